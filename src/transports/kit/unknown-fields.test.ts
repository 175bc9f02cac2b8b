import { expect, it } from "vitest";
import { unknownFields } from "./unknown-fields.ts";

it.each<[unknown, string[]]>([
  [{ text: "a", effect: "confetti", size: 1 }, ["effect", "size"]],
  [{ text: "a", effect: null, list: [], off: false, none: 0, word: "" }, []],
  [{ part: {} }, ["part"]],
  ["text", []],
  [null, []],
])("unknown fields of %j", (value, expected) => {
  expect(unknownFields(value, new Set(["text"]))).toEqual(expected);
});
