/**
 * Rows for `json_to_recordset($1::json)`: one parameter for a whole batch. PostgreSQL rejects NUL and lone surrogates
 * in text, so both are removed.
 */
export function jsonRows(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  return mayBeRefused(text)
    ? JSON.stringify(rows, (_key, value) => (typeof value === "string" ? storable(value) : value))
    : text;
}

/** The same for a single text or jsonb parameter. */
export function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** One jsonb parameter. */
export function jsonValue(value: unknown): string {
  const text = JSON.stringify(value);
  return mayBeRefused(text)
    ? JSON.stringify(value, (_key, inner) => (typeof inner === "string" ? storable(inner) : inner))
    : text;
}

function mayBeRefused(json: string): boolean {
  return json.includes("\\u0000") || json.includes("\\ud");
}
