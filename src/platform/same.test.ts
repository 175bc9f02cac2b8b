import { expect, test } from "vitest";
import { isSame } from "./same.ts";

test.each([
  ["secret", "secret", true],
  ["secret", "Secret", false],
  ["secret", "secrets", false],
  ["", "secret", false],
  ["", "", true],
  ["ключ", Buffer.from("ключ"), true],
  [Buffer.from([0, 255]), Buffer.from([0, 255]), true],
  [new Uint8Array([0, 255]), Buffer.from([0, 254]), false],
  [["secret"], "secret", false],
  [undefined, "", false],
] as const)("%j and %j: %s", (given, expected, same) => {
  expect(isSame(given, expected)).toBe(same);
});
