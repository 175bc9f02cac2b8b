import pg, { type CustomTypesConfig } from "pg";

const INT8 = 20;
const INT8_ARRAY = 1016;
// The declared ids lack those of arrays.
const parseArray: (text: string) => string[] = pg.types.getTypeParser(INT8_ARRAY as number);

/**
 * How values come back: `bigint` as a number (our ids stay below 2^53), `timestamptz` as a Date, `bytea` as a
 * Buffer, `numeric` as a string, `json` parsed.
 */
export const VALUE_TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === INT8) return Number;
    if (oid === INT8_ARRAY) return (text: string) => parseArray(text).map(Number);
    return format === "binary" ? pg.types.getTypeParser(oid, format) : pg.types.getTypeParser(oid);
  }) as CustomTypesConfig["getTypeParser"],
};
