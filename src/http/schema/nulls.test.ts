import { Type } from "typebox";
import { expect, test } from "vitest";
import { type ObjectShape, stripNulls } from "./nulls.ts";

const shape = Type.Object({
  id: Type.String(),
  name: Type.Optional(Type.String()),
  inner: Type.Optional(Type.Object({ url: Type.String(), size: Type.Optional(Type.Number()) })),
  list: Type.Optional(Type.Array(Type.Object({ a: Type.Optional(Type.String()), b: Type.String() }))),
  any: Type.Optional(Type.Unsafe({ type: "object" })),
}) as ObjectShape;

test.each([
  ["an optional field", { id: "1", name: null }, { id: "1" }],
  ["a required field stays", { id: null }, { id: null }],
  ["deeper down", { inner: { url: "u", size: null } }, { inner: { url: "u" } }],
  ["required deeper down stays", { inner: { url: null, size: null } }, { inner: { url: null } }],
  ["in items", { list: [{ a: null, b: null }, { b: "x" }] }, { list: [{ b: null }, { b: "x" }] }],
  ["an item itself stays", { list: [null] }, { list: [null] }],
  ["a field nobody knows", { id: "1", other: null }, { id: "1" }],
  ["in an object of any shape", { any: { x: null, y: [{ z: null, v: 1 }] } }, { any: { y: [{ v: 1 }] } }],
  ["not an object", "null", "null"],
])("%s", (_name, value, expected) => {
  stripNulls(shape, value);
  expect(value).toEqual(expected);
});

test("stops at a nesting that no client needs", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}null${"}".repeat(100_000)}`);
  expect(() => stripNulls(shape, deep)).not.toThrow();
});
