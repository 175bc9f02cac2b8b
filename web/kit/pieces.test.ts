import { expect, test } from "vitest";
import { beginning, pieceEnd } from "./pieces.ts";

const pieces = (text: string, length: number, lines = 1_000): string[] => {
  const found: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = pieceEnd(text, from, { length, lines });
    found.push(text.slice(from, end));
    from = end;
  }
  return found;
};

test.each<[string, string, number, number, readonly string[]]>([
  ["nothing", "", 10, 10, []],
  ["a text that fits", "one two", 10, 10, ["one two"]],
  ["words", "one two three", 9, 10, ["one two ", "three"]],
  ["a word that is too long", "abcdefghij", 4, 10, ["abcd", "efgh", "ij"]],
  ["lines", "1\n2\n3\n4\n5", 100, 2, ["1\n2\n", "3\n4\n", "5"]],
  ["only line ends", "\n\n\n", 100, 2, ["\n\n", "\n"]],
  ["a line that is too long", "abcdef\ng", 4, 2, ["abcd", "ef\ng"]],
  ["emoji", "😀😀😀", 3, 10, ["😀", "😀", "😀"]],
  ["a family of three", "ab👨‍👩‍👧c", 9, 10, ["ab", "👨‍👩‍👧c"]],
  ["an accent of its own", "abcde\u0301f", 5, 10, ["abcd", "e\u0301f"]],
])("pieces of %s", (_, text, length, lines, expected) => {
  expect(pieces(text, length, lines)).toEqual(expected);
  expect(pieces(text, length, lines).join("")).toBe(text);
});

test("a character that is longer than a piece is divided", () => {
  const zalgo = `a${"\u0301".repeat(100)}`;
  expect(pieces(zalgo, 10).join("")).toBe(zalgo);
});

test.each([
  ["short", "short"],
  ["one two three four", "one two…"],
  ["שלום עולם גדול", "שלום עולם…"],
])("the beginning of %j", (text, expected) => expect(beginning(text, 10)).toBe(expected));
