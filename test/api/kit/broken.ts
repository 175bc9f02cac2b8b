import fc, { type Arbitrary } from "fast-check";

/** What clients send by mistake or on purpose. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  "",
  " ",
  "\0",
  "\ud800",
  "\u202e",
  "null",
  "' or 1=1 --",
  "../../etc/passwd",
  "x".repeat(5_000),
  "👍".repeat(300),
  [],
  [null],
  [[[[]]]],
  {},
  { __proto__: null },
  { constructor: { prototype: {} } },
  { toString: 1 },
];

/** The same JSON with something in it changed, left out or added. */
export function broken(value: Arbitrary<unknown>): Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat(1_000),
    how: fc.constantFrom("replace", "replace", "leave out", "add"),
    by: fc.oneof(fc.constantFrom(...ODD_VALUES), fc.jsonValue({ maxDepth: 2 })),
  });
  return fc.tuple(value, change).map(([json, { at, how, by }]) => {
    const copy = structuredClone({ root: json }) as Record<string, unknown>;
    const places = placesOf(copy);
    const place = places[at % places.length];
    if (place === undefined) return by;
    if (how === "replace") place.parent[place.key] = by;
    else if (how === "leave out") leaveOut(place);
    else place.parent[`added_${at}`] = by;
    return copy["root"];
  });
}

interface Place {
  readonly parent: Record<string, unknown>;
  readonly key: string;
}

function placesOf(parent: Record<string, unknown>): Place[] {
  return Object.entries(parent).flatMap(([key, value]) => [
    { parent, key },
    ...(typeof value === "object" && value !== null ? placesOf(value as Record<string, unknown>) : []),
  ]);
}

function leaveOut({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

/** Bodies that are no JSON, or not quite. */
export const RAW_BODIES: readonly (string | Buffer)[] = [
  "",
  " ",
  "{",
  '{"a":',
  "[1,]",
  "undefined",
  "NaN",
  '"\ud800"',
  "{'a':1}",
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
  `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`,
  Buffer.from([0xff, 0xfe, 0x00, 0x7b]),
  Buffer.from([0xc3, 0x28]),
  "\ufeff{}",
];
