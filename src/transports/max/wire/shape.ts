const MAX_DEPTH = 12;

/**
 * The structure of a payload without its content, for comparing a real server's frames with the expected ones.
 */
export function shapeOf(value: unknown, depth = 0): unknown {
  if (value === null) return "null";
  if (value instanceof Uint8Array) return "bytes";
  if (depth > MAX_DEPTH) return "…";
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => shapeOf(item, depth + 1));
  if (typeof value !== "object") return typeof value;
  // Keys that are ids identify people.
  const entries = Object.entries(value).map(([key, item]) => [
    /^-?\d+$/.test(key) ? "(id)" : key,
    shapeOf(item, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
