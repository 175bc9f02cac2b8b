import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { JsonTooLarge, parseBounded } from "./bounded-json.ts";

const MANY = 1_000_000;
const parse = (text: string): unknown => parseBounded(text, MANY);

describe("parseBounded", () => {
  it.each([
    ["12345678901234567890", "12345678901234567890"],
    ["-12345678901234567890", "-12345678901234567890"],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", "9007199254740992"],
    ["-9007199254740992", "-9007199254740992"],
    ["1689556908129832", 1689556908129832],
    ["1234567890123456.5", 1234567890123456.5],
    ["12345678901234567890e-2", Number("12345678901234567890e-2")],
    ["1.5", 1.5],
    ["1e400", Number.POSITIVE_INFINITY],
    ['"12345678901234567890"', "12345678901234567890"],
    [String.raw`"\"12345678901234567890\\"`, '"12345678901234567890\\'],
    ["[12345678901234567890,12345678901234567891]", ["12345678901234567890", "12345678901234567891"]],
  ])("%s", (text, expected) => {
    expect(parse(`{"id":${text}}`)).toEqual({ id: expected });
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    "",
    "{",
    '{"a"',
    '"a',
    '"a\\',
    "01234567890123456789",
    "12345678901234567890 1",
    "--1",
    "[1,]",
    "1-",
    '""""',
    '["a""[[[[[',
  ])("rejects invalid JSON: %s", (text) => expect(() => parse(text)).toThrow(SyntaxError));

  it("equals JSON.parse for input without long numbers", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        const plain: unknown = JSON.parse(text);
        const hasLong = /[^"\w.]-?\d{16}/.test(` ${text}`);
        if (!hasLong) expect(parse(text)).toEqual(plain);
      }),
    );
  });

  it("keeps every digit of integers of any length", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })), (integers) => {
        const read = parse(`[${integers.join(" , ")}]`) as (string | number)[];
        expect(read.map(BigInt)).toEqual(integers);
      }),
    );
  });

  it("rejects input with more values than allowed, at any depth", () => {
    expect(parseBounded("[1,[2],{}]", 5)).toEqual([1, [2], {}]);
    expect(() => parseBounded("[1,[2],{}]", 4)).toThrow(JsonTooLarge);
    expect(parseBounded('{"a":"[[[[,,,,{{{{"}', 1)).toEqual({ a: "[[[[,,,,{{{{" });
  });

  it.each([
    ["lists", "[".repeat(128), "]".repeat(128)],
    ["objects and lists", '{"a":['.repeat(64), "]}".repeat(64)],
  ])("rejects %s that are nested deeper than allowed", (_, open, close) => {
    expect(parse(open + close)).toBeDefined();
    expect(() => parse(`[${open}${close}]`)).toThrow(JsonTooLarge);
    expect(parse(`[${"[],".repeat(1_000)}"[[[["]`)).toHaveLength(1_001);
  });

  it("builds nothing of JSON beyond the limits", () => {
    const built = vi.spyOn(JSON, "parse");
    try {
      for (const text of ["[".repeat(4_000_000), `[${"0,".repeat(2_000_000)}0]`, '{"a":'.repeat(800_000)])
        expect(() => parseBounded(text, 1_000)).toThrow(JsonTooLarge);
      expect(built).not.toHaveBeenCalled();
    } finally {
      built.mockRestore();
    }
  });

  // The limit checks the order of magnitude only: a reviver-based parser took 26 s for 4 MB.
  it.each([
    ["long numbers", `[${"1234567890123456789,".repeat(200_000)}0]`],
    ["small objects and one long number", `[1234567890123456789,${"{},".repeat(1_300_000)}0]`],
    ["quotes", `[1234567890123456789,${'"",'.repeat(1_300_000)}0]`],
    ["escaped quotes", `[1234567890123456789,"${'\\"'.repeat(2_000_000)}"]`],
    ["an open text", `[1234567890123456789,"${"\\\\\\".repeat(1_300_000)}`],
    ["digits", `[${"1".repeat(4_000_000)}]`],
    ["signs", `[${"-1".repeat(2_000_000)}]`],
  ])("parses 4 MB of %s in linear time", (_, text) => {
    const began = performance.now();
    try {
      parseBounded(text, 10_000_000);
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError);
    }
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
