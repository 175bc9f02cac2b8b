import { expect, test } from "vitest";
import type { ObjectShape } from "../schema/nulls.ts";
import { hasMoreValues, overfullList } from "./body-limits.ts";

test.each([
  ["[1,2,3]", 4, false],
  ["[1,2,3]", 3, true],
  ['{"a":{"b":[]}}', 4, false],
  ['{"a":{"b":[]}}', 3, true],
  ['["a,b,[{c"]', 2, false],
  ['["\\",,,\\\\",1]', 3, false],
  ['["\\\\\\",,",1]', 3, false],
  ['["\\\\\\\\",1,2]', 3, true],
  [`["${"\\".repeat(1_000)}",1]`, 3, false],
  // Not JSON: it is refused when it is parsed.
  ['["a,,,,,,,,', 2, false],
  [",,,,,,,,", 5, true],
  ["7", 1, false],
  ["", 1, false],
])("%.20j has more than %i values: %j", (json, limit, expected) => {
  expect(hasMoreValues(json, limit)).toBe(expected);
});

const inner: ObjectShape = { properties: { chats: { maxItems: 2, items: {} } } };
const list: ObjectShape = { maxItems: 3, items: inner };
const body: ObjectShape = { properties: { list } };

test.each([
  ["nothing is too long", body, { list: [{ chats: ["a", "b"] }, 7, null] }, null],
  ["a list", list, [1, 2, 3, 4], ""],
  ["a list in an object", body, { list: [1, 2, 3, 4] }, "/list"],
  ["a list in a list", body, { list: [{}, { chats: [1, 2, 3] }] }, "/list/1/chats"],
  ["the outer one first", body, { list: [{ chats: [1, 2, 3] }, 1, 1, 1] }, "/list"],
  ["what the schema does not know", body, { other: [1, 2, 3, 4, 5] }, null],
  ["what is inherited", { properties: { constructor: list } }, {}, null],
  ["no list where one belongs", body, { list: "abcdef" }, null],
  ["no object where one belongs", body, 7, null],
])("%s", (_name, schema, value, path) => {
  const found = overfullList(schema, value);
  expect(found?.instancePath ?? null).toBe(path);
  if (found !== null) expect(found.keyword).toBe("maxItems");
});
