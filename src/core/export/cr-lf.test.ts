import fc from "fast-check";
import { expect, test } from "vitest";
import { toCrLf } from "./cr-lf.ts";

/** The pieces one after the other. */
function convert(pieces: readonly string[]): string {
  const to = new Uint8Array(2 * Buffer.byteLength(pieces.join("")));
  let state = { at: 0, isQuoted: false };
  for (const piece of pieces) state = toCrLf(Buffer.from(piece), { to, ...state });
  return Buffer.from(to.subarray(0, state.at)).toString();
}

test.each([
  ["", ""],
  ["a,b\n", "a,b\r\n"],
  ["a\nb\n", "a\r\nb\r\n"],
  ['"a\nb",c\n', '"a\nb",c\r\n'],
  ['"a ""b\n"" c",d\n"\n"\n', '"a ""b\n"" c",d\r\n"\n"\r\n'],
  ['"a\r\nb"\n', '"a\r\nb"\r\n'],
  ["ю,\ud83d\ude00\n", "ю,\ud83d\ude00\r\n"],
  ["\n\n", "\r\n\r\n"],
])("%j", (given, expected) => {
  expect(convert([given])).toBe(expected);
});

test("the result does not depend on chunk boundaries", () => {
  const csv = fc.array(fc.constantFrom('"', "\n", ",", "a", "\r"), { maxLength: 40 });
  fc.assert(
    fc.property(csv, fc.nat(40), (parts, cut) => {
      const text = parts.join("");
      expect(convert([text.slice(0, cut), text.slice(cut)])).toBe(convert([text]));
    }),
  );
});
