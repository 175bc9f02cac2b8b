import { createRequire } from "node:module";
import Long from "long";
import { expect, test } from "vitest";
import { TlReader } from "./reader.ts";
import { type Combinator, currentSchema, type Parameter } from "./schema.ts";
import { parseSchema } from "./text-schema.ts";
import { ids, TlError, type TlObject } from "./value.ts";
import { encode, TlWriter } from "./writer.ts";

/** A value of any type of the schema, with every optional field set. */
function sampleOf(type: string, depth: number): unknown {
  switch (type) {
    case "int":
      return -7;
    case "long":
      return Long.fromString("-1234567890123456789");
    case "int53":
      return 1_234_567_890_123;
    case "int128":
      return Buffer.alloc(16, 1);
    case "int256":
      return Buffer.alloc(32, 2);
    case "double":
      return 0.5;
    case "string":
      return "текст 👍";
    case "bytes":
      return Buffer.alloc(300, 3);
    case "Bool":
      return true;
    default:
      return objectOf(type, depth);
  }
}

const primitive = new Set([
  "int",
  "long",
  "int53",
  "int128",
  "int256",
  "double",
  "string",
  "bytes",
  "Bool",
  "#",
  "true",
]);

/** The constructor of each type that requires the fewest others. */
const smallest = new Map<string, Combinator>();
const needs = ({ parameters }: Combinator) =>
  parameters.filter(({ type, condition }) => !condition && !primitive.has(type)).length;
for (const each of currentSchema) {
  const known = smallest.get(each.type);
  if (!each.isMethod && (!known || needs(each) < needs(known))) smallest.set(each.type, each);
}

function objectOf(type: string, depth: number): TlObject | undefined {
  const chosen = smallest.get(type);
  return chosen && fill(chosen.name, chosen.parameters, depth);
}

function fill(name: string, parameters: readonly Parameter[], depth: number): TlObject {
  const fields: Record<string, unknown> = { _: name };
  for (const each of parameters) {
    if (each.type === "#" || (each.condition && depth > 1)) continue;
    if (each.type === "true") fields[each.name] = true;
    else {
      const value = sampleOf(each.type, depth + 1);
      if (value !== undefined) fields[each.name] = each.isVector ? [value, value] : value;
    }
  }
  return fields as unknown as TlObject;
}

test("every constructor of the schema is decoded to what was encoded", () => {
  let checked = 0;
  for (const each of currentSchema) {
    const isOdd = each.isMethod || each.parameters.some(({ isBare, type }) => isBare || type === "X");
    if (isOdd || each.name === "vector") continue;
    const value = fill(each.name, each.parameters, 0);
    const reader = new TlReader(currentSchema, encode(currentSchema, value));
    expect(reader.object(each.type), each.name).toMatchObject(value);
    checked++;
  }
  expect(checked).toBeGreaterThan(1400);
});

test("values outside the schema are refused", () => {
  const read = (write: (writer: TlWriter) => TlWriter, expected: string) => () =>
    new TlReader(currentSchema, write(new TlWriter(currentSchema)).finish()).object(expected);
  expect(read((writer) => writer.uint(0x01020304), "InputPeer")).toThrow(TlError);
  expect(read((writer) => writer.object({ _: "inputUserSelf" }), "InputPeer")).toThrow("constructor");
  expect(read((writer) => writer.uint(0xdde8a54c).int(1), "InputPeer")).toThrow("fetch");
  expect(read((writer) => writer.uint(ids.boolTrue), "InputPeer")).toThrow("constructor");
  const call = new TlWriter(currentSchema).object({ _: "inputPeerSelf" }).finish();
  expect(() => new TlReader(currentSchema, call).method()).toThrow("method");
});

test("a schema in the TL language has the ids of its layer, and ids of people as numbers", () => {
  const text = String(createRequire(import.meta.url)("telegram/tl/apiTl.js"));
  const older = parseSchema(198, text);
  const user = { _: "inputPeerUser", userId: 7, accessHash: Long.ONE } as TlObject;
  expect(new TlReader(older, encode(older, user)).object("InputPeer")).toMatchObject(user);
  expect(older.byName("message")?.id).not.toBe(currentSchema.byName("message")?.id);
  expect(older.byName("users.getUsers")).toMatchObject({ isMethod: true, answersVector: true });
});
