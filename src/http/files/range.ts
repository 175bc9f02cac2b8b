/** Bytes `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const SINGLE_RANGE = /^bytes=(\d*)-(\d*)$/;

/**
 * What a `Range` header asks of so many bytes: one range, null for the whole (no header, several ranges, another
 * unit or nonsense, as RFC 9110 lets a server do), or `unsatisfiable`.
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
