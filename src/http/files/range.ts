/** Bytes `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const SINGLE_RANGE = /^bytes=(\d*)-(\d*)$/;

/**
 * Parses a `Range` header for a file of this size: one range, null for the whole file (no header, several ranges,
 * another unit or invalid syntax, as RFC 9110 allows), or `unsatisfiable`.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | null | "unsatisfiable" {
  const match = header === undefined ? null : SINGLE_RANGE.exec(header.replaceAll(" ", ""));
  if (match === null) return null;
  const [, first = "", last = ""] = match;
  if (first === "") return last === "" ? null : suffixRange(Number(last), size);
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return null;
  return start < size ? { start, end } : "unsatisfiable";
}

function suffixRange(length: number, size: number): ByteRange | "unsatisfiable" {
  if (length === 0 || size === 0) return "unsatisfiable";
  return { start: Math.max(0, size - length), end: size - 1 };
}
