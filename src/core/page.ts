import { AppError } from "./errors.ts";

/** A page of a list, newest first. `next` is the cursor of the following page; null: this was the last one. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly next: string | null;
}

/** The opaque cursor of a row, made of its two sort columns. */
export function writeCursor(first: number, second: number | string): string {
  return Buffer.from(`${first} ${second}`).toString("base64url");
}

/**
 * Parses a cursor into the two columns. Throws VALIDATION_ERROR if it does not match `form`, which has two groups.
 */
export function readCursor(cursor: string, form: RegExp): readonly [string, string] {
  const [, first, second] = form.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (first !== undefined && second !== undefined) return [first, second];
  throw new AppError("VALIDATION_ERROR", {
    data: { fields: [{ field: "cursor", message: "must be the `next` of an earlier response" }] },
  });
}

/** `rows` has `limit` + 1 rows if there are more. */
export function pageOf<T>(rows: readonly T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
