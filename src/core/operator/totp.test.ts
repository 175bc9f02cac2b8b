import { expect, test } from "vitest";
import { base32, matchTotp, totpCode, totpStep, totpUri } from "./totp.ts";

const KEY = Buffer.from("12345678901234567890");

/** RFC 6238, appendix B, the rows for SHA-1. */
test.each([
  [59, "94287082"],
  [1111111109, "07081804"],
  [1111111111, "14050471"],
  [1234567890, "89005924"],
  [2000000000, "69279037"],
  [20000000000, "65353130"],
])("the code at %i seconds is %s", (seconds, expected) => {
  const step = totpStep(new Date(seconds * 1000));
  expect(totpCode(KEY, step, 8)).toBe(expected);
  expect(totpCode(KEY, step)).toBe(expected.slice(2));
});

/** RFC 4226, appendix D: the counters 0 to 9. */
test("codes by their counter", () => {
  expect(Array.from({ length: 10 }, (_, step) => totpCode(KEY, step))).toEqual(
    "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" "),
  );
});

test.each([
  [-2, null],
  [-1, 99],
  [0, 100],
  [1, 101],
  [2, null],
])("a code that is off by %i steps", (off, expected) => {
  const at = new Date(100 * 30_000 + 15_000);
  expect(matchTotp(KEY, totpCode(KEY, 100 + off), at)).toBe(expected);
});

test.each([["12345"], ["1234567"], [""], ["abcdef"]])("%s is not a code", (code) => {
  expect(matchTotp(KEY, code, new Date(0))).toBeNull();
});

test("spaces in a code do not count", () => {
  expect(matchTotp(KEY, "755 224", new Date(0))).toBe(0);
});

/** RFC 4648, section 10, without the padding. */
test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("%j in base 32 is %j", (text, expected) => {
  expect(base32(Buffer.from(text))).toBe(expected);
});

test("the URI for authenticator apps", () => {
  expect(totpUri(KEY, { issuer: "Trunkline crm.example", login: "ann@crm.example" })).toBe(
    "otpauth://totp/Trunkline%20crm.example:ann%40crm.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Trunkline%20crm.example",
  );
});
