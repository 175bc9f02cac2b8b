import { describe, expect, it } from "vitest";
import { answerLines, answerLinesOf, hasAddress, linked, wordsIn } from "./words.ts";

describe("structured answers", () => {
  it.each<[string, unknown, string[]]>([
    [
      "fields",
      { name: "Zoe", date: "2026-12-01", guests: 2, vegan: false },
      ["name: Zoe", "date: 2026-12-01", "guests: 2", "vegan: false"],
    ],
    ["lists", { toppings: ["ham", "olives"] }, ["toppings: ham, olives"]],
    [
      "fields inside",
      { address: { city: "Pune", lines: [{ street: "1 Main St" }] } },
      ["address city: Pune", "address lines street: 1 Main St"],
    ],
    ["no values", { a: "", b: null, c: [], d: {}, token: "t" }, []],
    ["a plain value", ["not", "an", "object"], ["not, an, object"]],
  ])("%s", (_, data, lines) => expect(answerLines(data, ["token"])).toEqual(lines));

  it("reads JSON text, and shows what is not JSON as it is", () => {
    expect(answerLinesOf('{"size":"XL"}')).toEqual(["size: XL"]);
    expect(answerLinesOf("XL")).toEqual(["XL"]);
    expect(answerLinesOf(undefined)).toEqual([]);
  });

  it("stays short, however deep the data", () => {
    let deep: unknown = { value: 1, more: 2 };
    for (let level = 0; level < 100; level++) deep = { ["x".repeat(9_000)]: deep };
    expect(answerLines(deep).join("").length).toBeLessThan(2_000_000);
    expect(answerLines(deep)).toHaveLength(1);
  });
});

it("an address follows the words that lead there, unless they contain it", () => {
  expect(linked("our site", "https://a.example")).toBe("our site (https://a.example)");
  expect(linked("see https://a.example", "https://a.example")).toBe("see https://a.example");
  expect(linked(undefined, "https://a.example")).toBe("https://a.example");
  expect(linked("words", undefined)).toBe("words");
});

it.each([
  ["Look https://example.com/page", "https://example.com/page", true],
  ["Look (example.com/page), please", "https://www.example.com/page/", true],
  ["EXAMPLE.com!", "https://example.com/", true],
  ["see https://пример.рф/путь.", "https://xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C", true],
  ["https://example.com/page2", "https://example.com/page", false],
  ["https://example.com/page?a=1", "https://example.com/page", false],
  ["three pages ... of it", "https://example.com/page", false],
  ["", "https://example.com/", false],
])("%j has the address %s: %s", (text, address, expected) => {
  expect(hasAddress(text, address)).toBe(expected);
});

it("finds what a person can read in an unknown kind", () => {
  const part = {
    id: "77",
    title: "Lunch?",
    options: [{ text: "Yes", id: "1" }, { text: "No" }, { text: "No" }],
    more: { url: "https://a.example", hash: "x", bytes: Buffer.of(1) },
  };
  expect(wordsIn(part)).toBe("Lunch?\nYes\nNo\nhttps://a.example");
  expect(wordsIn({ id: "77" })).toBeNull();
  expect(wordsIn("plain")).toBe("plain");
});
