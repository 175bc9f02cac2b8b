import { describe, expect, it } from "vitest";
import { anyText, count, fields, flag, integerText, listOf, number, present, text } from "./foreign-json.ts";

const ODD = [undefined, null, "", 5, 1.5, Number.NaN, true, {}, [], "a", "12"];

describe("readers", () => {
  it.each([
    ["text", text, ["a", "12"]],
    ["integerText", integerText, ["5", "12"]],
    ["anyText", anyText, ["5", "a", "12"]],
    ["number", number, [5, 1.5, 12]],
    ["count", count, [5, 12]],
    ["flag", flag, [true]],
    ["present", present, ["", 5, 1.5, Number.NaN, true, {}, [], "a", "12"].map(() => true)],
  ] as const)("%s accepts only values of its type", (_, read, expected) => {
    expect(ODD.map((value) => read(value)).filter((value) => value !== undefined)).toEqual(expected);
  });

  it.each(["1.5.2", "0x10", "1e400", " 1", "-", "1,5", "Infinity"])("%s is no number", (value) => {
    expect([number(value), count(value)]).toEqual([undefined, undefined]);
  });

  it("keeps ids of any length, and rejects unsafe integers", () => {
    expect(integerText("-1001234567890123456789")).toBe("-1001234567890123456789");
    expect(integerText(2 ** 53)).toBeUndefined();
  });

  it("reads the known fields that have the expected type", () => {
    const read = fields({ name: text, age: number, tags: listOf(text) });
    expect(read({ name: "Ann", age: "x", tags: ["a", null, 5], more: 1 })).toEqual({
      name: "Ann",
      tags: ["a"],
    });
    expect([read(null), read([]), read("x")]).toEqual([undefined, undefined, undefined]);
    expect(read({ tags: [null] })).toEqual({});
  });

  it("ignores the prototype", () => {
    expect(fields({ constructor: present, toString: present })({})).toEqual({});
  });
});
