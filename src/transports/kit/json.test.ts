import { expect, it } from "vitest";
import { numberIn, objectIn, objectsIn, textIn } from "./json.ts";

it("returns a field only if it is present and of the expected type", () => {
  const from = {
    text: "a",
    empty: "",
    number: 7,
    object: { a: 1 },
    list: [{ a: 1 }, 2, null, [3]],
    nothing: null,
  };
  expect(
    ["text", "empty", "number", "object", "list", "nothing", "missing"].map((key) => textIn(from, key)),
  ).toEqual(["a", undefined, "7", undefined, undefined, undefined, undefined]);
  expect([numberIn(from, "number"), numberIn(from, "text"), numberIn({ number: "2.5" }, "number")]).toEqual([
    7,
    undefined,
    2.5,
  ]);
  expect([objectIn(from, "object"), objectIn(from, "list"), objectIn(null, "x")]).toEqual([
    { a: 1 },
    undefined,
    undefined,
  ]);
  expect([objectsIn(from, "list"), objectsIn(from, "object"), objectsIn(undefined, "x")]).toEqual([
    [{ a: 1 }],
    [],
    [],
  ]);
});
