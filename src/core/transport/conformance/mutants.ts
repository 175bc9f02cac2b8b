/** A sample with one field changed. */
export interface Mutant {
  /** Such as `message.photo[].file_id`; items of a list have the same path. */
  readonly path: string;
  /** The change of the field: "missing", "null", or a wrong value as JSON. */
  readonly change: string;
  readonly value: unknown;
}

/** Wrong values for a field, by its kind. Empty values are of the right kind. */
const ODD: Readonly<Record<Kind, readonly unknown[]>> = {
  text: ["", "\u0000", "99999999999999999999", 7, true, {}, []],
  number: [0, -1, 1.5, 1e21, 1_700_000_000_000, "odd", {}, []],
  flag: ["yes", 7, {}],
  list: [[], [null], {}, "odd", 7],
  object: [{}, [], "odd", 7],
  bytes: [new Uint8Array(0), "odd", {}],
};
type Kind = "text" | "number" | "flag" | "list" | "object" | "bytes";

/**
 * Every field of a sample missing, null, and wrong: of another kind, empty, and with times and ids out of bounds.
 * Generated, so that parsers are tested with values that no author thought of.
 */
export function* mutantsOf(sample: unknown): Generator<Mutant> {
  for (const place of placesIn(sample, [], "")) {
    const { path, keys } = place;
    // A list with one item less is another list; no field is missing.
    if (!path.endsWith("[]")) yield { path, change: "missing", value: changed(sample, keys, MISSING) };
    for (const odd of [null, ...ODD[place.kind]])
      yield { path, change: describe(odd), value: changed(sample, keys, odd) };
  }
}

const MISSING = Symbol("missing");
type Key = string | number;

interface Place {
  readonly path: string;
  readonly keys: readonly Key[];
  readonly kind: Kind;
}

function* placesIn(value: unknown, keys: readonly Key[], path: string): Generator<Place> {
  if (keys.length > 0 && value !== null) yield { path, keys, kind: kindOf(value) };
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* placesIn(item, [...keys, index], `${path}[]`);
  else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array))
    for (const [key, item] of Object.entries(value))
      yield* placesIn(item, [...keys, key], path === "" ? key : `${path}.${key}`);
}

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return "list";
  if (value instanceof Uint8Array) return "bytes";
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "flag";
  return typeof value === "number" || typeof value === "bigint" ? "number" : "object";
}

function changed(value: unknown, [key, ...rest]: readonly Key[], to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(value)) {
    const next = changed(value[Number(key)], rest, to);
    return next === MISSING ? value.toSpliced(Number(key), 1) : value.with(Number(key), next);
  }
  const { [key]: old, ...others } = value as Readonly<Record<Key, unknown>>;
  const next = changed(old, rest, to);
  return next === MISSING ? others : { ...(value as object), [key]: next };
}

function describe(odd: unknown): string {
  return odd instanceof Uint8Array ? "no bytes" : JSON.stringify(odd);
}
