import { expect, test } from "vitest";
import { nulPaths } from "./nul.ts";

test("names texts and field names with NUL", () => {
  const value = { a: "x\0", list: ["x", { b: "\0" }], "c\0": "x", d: "x" };
  expect(nulPaths(value)).toEqual(["a", "list[1].b", "c\ufffd"]);
  expect(nulPaths("\0")).toEqual(["body"]);
});

test("names a hundred at most", () => {
  expect(nulPaths(Array.from({ length: 300 }, () => "\0"))).toHaveLength(100);
});

test("cuts long paths off", () => {
  const long = "n".repeat(10_000);
  expect(nulPaths({ [long]: { a: "\0", b: "\0" } })).toEqual([long.slice(0, 500), long.slice(0, 500)]);
});
