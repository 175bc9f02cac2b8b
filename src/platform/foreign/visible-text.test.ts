import { expect, test } from "vitest";
import { visibleCell, visibleJson, visibleText } from "./visible-text.ts";

test.each<[string, string]>([
  ["Ann's shop, № 1 – 😀 שלום", "Ann's shop, № 1 – 😀 שלום"],
  ["\u001b[2J\u001b]0;title\u0007", "\\u001b[2J\\u001b]0;title\\u0007"],
  ["\u009b31m", "\\u009b31m"],
  ["a\rb\bc\u007f", "a\\u000db\\u0008c\\u007f"],
  ["a\u0000b", "a\\u0000b"],
  ["photo\u202egpj.exe", "photo\\u202egpj.exe"],
  ["a\u2028b\u2066c\u200fd", "a\\u2028b\\u2066c\\u200fd"],
  ["two\nlines\tand a tab", "two\nlines\tand a tab"],
])("%j is shown as %s", (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("a cell is a single line", () => {
  expect(visibleCell("a\nfail  all\tis lost\u001b[m")).toBe("a\\u000afail  all\\u0009is lost\\u001b[m");
});

test("JSON keeps its meaning for programs", () => {
  const value = { name: "a\u009bb\u202ec\u001bd", "k\u007f": "\\u001b" };
  const shown = visibleText(JSON.stringify(value));
  expect(JSON.parse(shown)).toEqual(value);
  expect(shown).not.toMatch(/[\u007f-\u009f\u202e]/);
});

test("decoded JSON contains the visible text", () => {
  const value = { msg: 'a\u009bb\u202ec\u001bd\r"\\u001b\\', err: { stack: "Error\n    at x" } };
  expect(JSON.parse(visibleJson(`${JSON.stringify(value)}\n`))).toEqual({
    msg: 'a\\u009bb\\u202ec\\u001bd\\u000d"\\u001b\\',
    err: { stack: "Error\n    at x" },
  });
});
