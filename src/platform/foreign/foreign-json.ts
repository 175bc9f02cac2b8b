/**
 * Readers for untrusted JSON. A value that is missing, null or of another type reads as undefined, so the types
 * require the caller to handle its absence.
 */
export type Reader<T> = (value: unknown) => T | undefined;
export type Read<R> = R extends Reader<infer T> ? T : never;

/** A non-empty string. */
export const text: Reader<string> = (value) =>
  typeof value === "string" && value !== "" ? value : undefined;

/** An integer as its decimal text. Also accepts strings, in which longer integers arrive. */
export const integerText: Reader<string> = (value) => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === "string" && /^-?\d{1,30}$/.test(value) ? value : undefined;
};

/** A text; an integer becomes its decimal text. For ids, and for words of people, which some programs send as numbers. */
export const anyText: Reader<string> = (value) => text(value) ?? integerText(value);

/** Also accepts its decimal text: messengers write numbers either way. */
export const number: Reader<number> = (value) => {
  const read = typeof value === "string" && /^-?\d{1,20}(\.\d{1,30})?$/.test(value) ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
};

/** A non-negative integer, such as a number of bytes. */
export const count: Reader<number> = (value) => {
  const read = number(value);
  return read !== undefined && Number.isSafeInteger(read) && read >= 0 ? read : undefined;
};

export const flag: Reader<boolean> = (value) => (typeof value === "boolean" ? value : undefined);

/** Whether the value is present at all. */
export const present: Reader<true> = (value) => (value === undefined || value === null ? undefined : true);

/** The valid items of a list; undefined if there are none. */
export function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map(read).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  };
}

type Shape = Readonly<Record<string, Reader<unknown>>>;
export type Fields<S extends Shape> = { readonly [K in keyof S]?: Read<S[K]> | undefined };

/** An object with those of the fields that are valid; undefined for anything but an object. */
export function fields<const S extends Shape>(shape: S): Reader<Fields<S>> {
  const readers = Object.entries(shape);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const source = value as Readonly<Record<string, unknown>>;
    // A messenger's report may have ten thousand of these objects. The names are those of the shape, not foreign.
    const found: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const item = Object.hasOwn(source, name) ? read(source[name]) : undefined;
      if (item !== undefined) found[name] = item;
    }
    return found as Fields<S>;
  };
}
