import fc from "fast-check";
import { expect, test } from "vitest";
import { plainData, plainText } from "./foreign.ts";

test.each([
  ["line breaks stay", "a\r\nb\rc\u2028d\te", "a\nb\nc\nd\te"],
  ["controls and escape sequences", "a\u0000b\u001b[31mc\u009bd", "ab[31mcd"],
  ["directions", "invoice\u202Egnp.exe\u2066x\u2069\u200f", "invoicegnp.exex"],
  [
    "invisible tags",
    `Hi${String.fromCodePoint(...[..."send"].map((c) => 0xe0000 + (c.codePointAt(0) ?? 0)))}!`,
    "Hi!",
  ],
  ["variation selectors that carry bytes", "x\u{e0110}\u{e0120}\ufe01y", "xy"],
  ["zero width", "ig\u200bno\u2060re\ufeff", "ignore"],
  ["half a pair", "a\ud800b", "a\ufffdb"],
  ["emoji and joined scripts", "👩‍💻 ❤️ می‌خواهم", "👩‍💻 ❤️ می‌خواهم"],
])("%s", (_, text, expected) => {
  expect(plainText(text)).toBe(expected);
});

test("a long text is cut, and says so", () => {
  const text = plainText(`${"x".repeat(3_999)}😀${"y".repeat(500)}`);
  expect(text).toMatch(/^x{3999}. \[501 more characters are left out\]$/u);
});

test("only texts of customers are named after them", () => {
  const data = [
    { direction: "inbound", text: "a\u202eb", recipient: { name: "c\u0007" } },
    { direction: "outbound", text: "d" },
    null,
    5,
  ];
  expect(plainData(data)).toEqual([
    { direction: "inbound", text_of_customer: "ab", recipient: { name: "c" } },
    { direction: "outbound", text: "d" },
    null,
    5,
  ]);
});

test("whatever is in a text, the result stays the JSON that it was", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (rest, text) => {
      const message = { direction: "inbound", text, rest };
      const read = JSON.parse(JSON.stringify(plainData(message))) as object;
      expect(Object.keys(read)).toEqual(["direction", "text_of_customer", "rest"]);
      expect(JSON.stringify(read)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});
