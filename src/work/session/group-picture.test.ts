import { expect, test } from "vitest";
import { pictureType } from "./group-picture.ts";

test.each([
  ["ffd8ffe0", "image/jpeg"],
  ["89504e470d0a1a0a00", "image/png"],
  ["4749463839", "image/gif"],
  ["524946461000000057454250", "image/webp"],
  ["524946461000000057415645", null],
  ["89504e47", null],
  ["", null],
])("%s: %s", (hex, type) => {
  expect(pictureType(Buffer.from(hex, "hex"))).toBe(type);
});
