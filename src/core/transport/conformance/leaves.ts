/** A string of a payload, or a number that names a file. */
export interface Leaf {
  /** Such as `message.photo[].file_id`; items of a list have the same path. A `#` stands before fields of JSON text. */
  readonly path: string;
  readonly keys: readonly Key[];
  readonly value: string | number;
}
export type Key = string | number;
/** Stands in `keys` for the value that a JSON text holds. */
const JSON_TEXT = "#";

/** Every string and number of a payload, also those in texts that are JSON. Bytes are not read. */
export function* leavesOf(value: unknown, keys: readonly Key[] = [], path = ""): Generator<Leaf> {
  if (typeof value === "number") yield { path, keys, value };
  else if (typeof value === "string") {
    const inner = jsonIn(value);
    if (inner === undefined) yield { path, keys, value };
    else yield* leavesOf(inner, [...keys, JSON_TEXT], `${path}#`);
  } else for (const [key, item] of entriesOf(value)) yield* leavesOf(item, [...keys, key], below(path, key));
}

/** Every object and list of a payload, the payload itself too. */
export function* partsOf(
  value: unknown,
  keys: readonly Key[] = [],
  path = "",
): Generator<{ readonly path: string; readonly keys: readonly Key[]; readonly value: object }> {
  if (!isPart(value)) return;
  yield { path, keys, value };
  for (const [key, item] of entriesOf(value)) yield* partsOf(item, [...keys, key], below(path, key));
}

/** The path of a field or an item below a path. */
export function below(path: string, key: Key): string {
  if (typeof key === "number") return `${path}[]`;
  if (key === JSON_TEXT) return `${path}#`;
  return path === "" || path.endsWith("#") ? path + key : `${path}.${key}`;
}

/** As a value of `replaced`: there is nothing in this place. */
export const REMOVED = Symbol("removed");

/** A copy with another value at `keys`; the value itself if there is no such place. */
export function replaced(value: unknown, [key, ...rest]: readonly Key[], to: unknown): unknown {
  if (key === undefined) return to;
  if (key === JSON_TEXT && typeof value === "string") {
    const inner = jsonIn(value);
    return inner === undefined ? value : JSON.stringify(replaced(inner, rest, to));
  }
  if (!isPart(value)) return value;
  if (Array.isArray(value)) {
    const next = replaced(value[Number(key)], rest, to);
    return next === REMOVED ? value.toSpliced(Number(key), 1) : value.with(Number(key), next);
  }
  const { [key]: old, ...others } = value as Readonly<Record<Key, unknown>>;
  const next = replaced(old, rest, to);
  return next === REMOVED ? others : { ...value, [key]: next };
}

/** What is at `keys`; undefined if there is nothing. */
export function valueAt(value: unknown, keys: readonly Key[]): unknown {
  return keys.reduce(
    (at: unknown, key) => (isPart(at) ? (at as Record<Key, unknown>)[key] : undefined),
    value,
  );
}

function entriesOf(value: unknown): readonly (readonly [Key, unknown])[] {
  if (Array.isArray(value)) return [...value.entries()];
  return isPart(value) ? Object.entries(value) : [];
}

function isPart(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array);
}

/** The object or list that a text is the JSON of. */
function jsonIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isPart(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
