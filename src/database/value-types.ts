import pg, { type CustomTypesConfig } from "pg";

const INT8 = 20;
const INT8_ARRAY = 1016;

/**
 * Result types: `bigint` as a number (our ids are below 2^53), `timestamptz` as a Date, `bytea` as a Buffer,
 * `numeric` as a string, `json` parsed.
 */
export const VALUE_TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === INT8) return Number;
    if (oid === INT8_ARRAY) return parseNumbers;
    return format === "binary" ? pg.types.getTypeParser(oid, format) : pg.types.getTypeParser(oid);
  }) as CustomTypesConfig["getTypeParser"],
};

/**
 * Parses an array without nulls. The driver would use a general parser for each number, which is many times slower.
 */
function parseNumbers(text: string): number[] {
  return JSON.parse(`[${text.slice(1, -1)}]`);
}

/**
 * Converts a parameter for the driver: arrays of strings and numbers become PostgreSQL array literals, because a
 * batch contains thousands of values and the driver's own conversion is several times slower. Other values are
 * unchanged.
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
