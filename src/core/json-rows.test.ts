import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonRows, jsonValue, storable } from "./json-rows.ts";

const HIGH = "\ud83d";
const LOW = "\udc4d";

const TEXTS: readonly (readonly [name: string, text: string, stored: string])[] = [
  ["plain text", "hello", "hello"],
  ["no text", "", ""],
  ["NUL", "a\0b\0", "ab"],
  ["a lone high surrogate", `a${HIGH}b`, "a\ufffdb"],
  ["a lone low surrogate", `${LOW}`, "\ufffd"],
  ["surrogates in the wrong order", LOW + HIGH, "\ufffd\ufffd"],
  ["a pair", HIGH + LOW, "👍"],
  ["a pair with NUL in it", `${HIGH}\0${LOW}`, "👍"],
  ["what only looks like an escape", "\\u0000 \\ud83d", "\\u0000 \\ud83d"],
  ["other control characters", "\u0001\n\t\u001f", "\u0001\n\t\u001f"],
];

describe("storable", () => {
  it.each(TEXTS)("%s", (_, text, stored) => expect(storable(text)).toBe(stored));
});

describe("jsonValue", () => {
  it.each(TEXTS)("%s", (_, text, stored) => {
    expect(JSON.parse(jsonValue({ deep: [{ text }] }))).toEqual({ deep: [{ text: stored }] });
  });

  it.each([[null], [0], [true], ["text"], [[]], [{}]])("%j", (value) => {
    expect(JSON.parse(jsonValue(value))).toEqual(value);
  });
});

describe("jsonRows", () => {
  it("keeps rows and values apart", () => {
    const at = new Date("2030-01-02T03:04:05.678Z");
    expect(JSON.parse(jsonRows([{ at, text: "a\0", none: null, left: undefined }, { text: "b" }]))).toEqual([
      { at: "2030-01-02T03:04:05.678Z", text: "a", none: null },
      { text: "b" },
    ]);
  });

  it("contains nothing that PostgreSQL rejects, and changes nothing else", () => {
    const text = fc.string({ unit: "binary" });
    const broken = fc
      .array(fc.oneof(text, fc.constantFrom("\0", HIGH, LOW, "\\u0000", "\\ud800")))
      .map((all) => all.join(""));
    const row = fc.record({
      text: broken,
      deep: fc.array(broken),
      number: fc.double({ noNaN: true, noDefaultInfinity: true }),
    });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const read = JSON.parse(jsonRows(rows)) as typeof rows;
        const texts = read.flatMap((each) => [each.text, ...each.deep]);
        expect(texts.filter((value) => value.includes("\0") || !value.isWellFormed())).toEqual([]);
        const expected = rows.map((each) => ({
          text: storable(each.text),
          deep: each.deep.map(storable),
          number: each.number + 0,
        }));
        expect(read).toEqual(expected);
      }),
    );
  });
});
