import { expect, test } from "vitest";
import { withSoundPhone } from "./user.ts";

test.each([
  ["37192612345", true],
  ["12345678", true],
  ["123456789012345", true],
  ["1234567", false],
  ["1234567890123456", false],
  ["+37192612345", false],
  ["", false],
])("%j is a phone: %s", (phone, sound) => {
  expect(withSoundPhone({ id: "u", phone })).toEqual(sound ? { id: "u", phone } : { id: "u" });
});

test("no phone stays no phone", () => {
  const user: { id: string; phone?: string } = { id: "u" };
  expect(withSoundPhone(user)).toEqual({ id: "u" });
});
