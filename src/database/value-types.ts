import pg, { type CustomTypesConfig } from "pg";

const INT8 = 20;
const INT8_ARRAY = 1016;

/**
 * How values come back: `bigint` as a number (our ids stay below 2^53), `timestamptz` as a Date, `bytea` as a
 * Buffer, `numeric` as a string, `json` parsed.
 */
export const VALUE_TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === INT8) return Number;
    if (oid === INT8_ARRAY) return parseNumbers;
    return format === "binary" ? pg.types.getTypeParser(oid, format) : pg.types.getTypeParser(oid);
  }) as CustomTypesConfig["getTypeParser"],
};

/** Of a list without nulls: the driver takes each number through a general parser, which is many times slower. */
function parseNumbers(text: string): number[] {
  return JSON.parse(`[${text.slice(1, -1)}]`);
}

/**
 * A parameter as the driver should get it: lists of texts and numbers as the literal that PostgreSQL reads, because a
 * batch has thousands of them and the driver's own way costs several times as much; all else unchanged.
 */
export function parameterOf(value: unknown): unknown {
  return Array.isArray(value) ? (arrayLiteral(value) ?? value) : value;
}

function arrayLiteral(values: readonly unknown[]): string | undefined {
  let text = "{";
  for (const value of values) {
    if (text.length > 1) text += ",";
    if (value === null) text += "NULL";
    else if (typeof value === "number") text += value;
    else if (typeof value === "string") text += quoted(value);
    else return undefined;
  }
  return `${text}}`;
}

const SPECIAL = /["\\]/g;

function quoted(text: string): string {
  return text.includes('"') || text.includes("\\") ? `"${text.replace(SPECIAL, "\\$&")}"` : `"${text}"`;
}
