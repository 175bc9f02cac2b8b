/** Telegram's data as plain JSON: 64-bit numbers and bytes become strings; functions and `undefined` are dropped. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

/** Bytes become base64. */
export function toPlain(value: unknown): Plain {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return String(value);
    case "object":
      return value === null ? null : plainObject(value);
    default:
      return null;
  }
}

function plainObject(value: object): Plain {
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (isLong(value)) return value.toString();
  const known = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(known.map(([key, item]) => [key, toPlain(item)]));
}

/** The library's 64-bit numbers (package `long`). */
function isLong(value: object): boolean {
  return "low" in value && "high" in value && "unsigned" in value;
}
