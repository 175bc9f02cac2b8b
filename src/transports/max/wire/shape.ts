const MAX_DEPTH = 12;

/**
 * What a payload is made of, without a word of what is in it: for comparing a real server's frames with what is expected.
 */
export function shapeOf(value: unknown, depth = 0): unknown {
  if (value === null) return "null";
  if (value instanceof Uint8Array) return "bytes";
  if (depth > MAX_DEPTH) return "…";
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => shapeOf(item, depth + 1));
  if (typeof value !== "object") return typeof value;
  // Keys that are ids name people.
  const entries = Object.entries(value).map(([key, item]) => [
    /^-?\d+$/.test(key) ? "(id)" : key,
    shapeOf(item, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
