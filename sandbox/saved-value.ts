import Long from "long";

/** Converts values with bytes, maps, sets and 64-bit numbers to plain JSON and back. */

const marks = { bytes: "$bytes", map: "$map", set: "$set", long: "$long" } as const;

export function pack(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [marks.bytes]: Buffer.from(value).toString("base64") };
  if (Long.isLong(value)) return { [marks.long]: value.toString() };
  if (value instanceof Map) return { [marks.map]: [...value].map((entry) => entry.map(pack)) };
  if (value instanceof Set) return { [marks.set]: [...value].map(pack) };
  if (Array.isArray(value)) return value.map(pack);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, pack(each)]));
}

export function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  const { [marks.bytes]: bytes, [marks.map]: map, [marks.set]: set, [marks.long]: long } = fields;
  if (typeof bytes === "string") return Buffer.from(bytes, "base64");
  if (typeof long === "string") return Long.fromString(long);
  if (Array.isArray(map)) return new Map(map.map((entry) => unpack(entry) as [unknown, unknown]));
  if (Array.isArray(set)) return new Set(set.map(unpack));
  return Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, unpack(each)]));
}
