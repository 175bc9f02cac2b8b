import { expect, test } from "vitest";
import { matchesIn } from "./marked-words.ts";

test.each([
  ["The lamp", "lamp", ["lamp"]],
  ["Lamps and LAMP", "lamp", ["Lamp", "LAMP"]],
  ["a clamp", "lamp", []],
  ["Лампа и лампочка", "ламп", ["Ламп", "ламп"]],
  ["two words: blue lamp", "lamp blue", ["blue", "lamp"]],
  ["lamplight", "lamp lamplight", ["lamplight"]],
  ["a.b (c)", "a.b (c", ["a", "b", "c"]],
  ["anything", " .*", []],
])("%s, searched for %s", (text, asked, expected) =>
  expect(matchesIn(text, asked).map(([from, to]) => text.slice(from, to))).toEqual(expected),
);
