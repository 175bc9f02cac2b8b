import { describe, expect, it } from "vitest";
import { type LinkedStretch, quotation, withAddresses } from "./marked-words.ts";

const A = "https://a.example/p";
const B = "https://b.example/";
const at = (offset: number, length: number, url = A): LinkedStretch => ({ offset, length, url });

describe("links behind words", () => {
  it.each<[string, string, readonly LinkedStretch[], string]>([
    ["none", "price list", [], "price list"],
    ["all words", "price list", [at(0, 10)], `price list (${A})`],
    ["in the middle, after an emoji", "👋 see this, please", [at(3, 8)], `👋 see this (${A}), please`],
    ["several, in any order", "one two", [at(4, 3, B), at(0, 3)], `one (${A}) two (${B})`],
    ["an address in the text", `one ${A}`, [at(0, 3)], `one ${A}`],
    [
      "an address in the text, without its slash",
      "see https://b.example",
      [at(0, 3, B)],
      "see https://b.example",
    ],
    ["the same address twice", "here and here", [at(0, 4), at(9, 4)], `here (${A}) and here`],
    ["one link in two styles", "price list", [at(0, 5), at(5, 5)], `price list (${A})`],
    ["white space at the end", "one \ntwo", [at(0, 5)], `one (${A}) \ntwo`],
    ["beyond the text", "one", [at(2, 99), at(500, 3, B)], `one (${A}) (${B})`],
    ["before the text", "one", [at(-5, 2)], `(${A})one`],
    ["inside a character", "👋👋", [at(0, 3)], `👋👋 (${A})`],
    ["without words", "", [at(0, 0)], `(${A})`],
  ])("%s", (_, text, links, expected) => expect(withAddresses(text, links)).toBe(expected));

  it("keeps all words of nested stretches", () => {
    expect(withAddresses("one two three", [at(0, 13), at(4, 3, B)])).toBe(`one two (${B}) three (${A})`);
  });
});

it.each([
  ["", ""],
  ["one", "> one"],
  ["one\n\ntwo", "> one\n> \n> two"],
  ["> one", "> > one"],
])("a quotation of %j", (words, expected) => expect(quotation(words)).toBe(expected));
