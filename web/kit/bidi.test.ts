import { expect, test } from "vitest";
import { withoutDirections, withoutOverrides } from "./bidi.ts";

test.each([
  ["an override", "photo\u202Egpj.exe", "photogpj.exe", "photogpj.exe"],
  ["an isolate", "from \u2068Ann\u2069", "from \u2068Ann\u2069", "from Ann"],
  ["marks", "\u200E+7\u200F\u061C", "\u200E+7\u200F\u061C", "+7"],
  ["embeddings", "\u202Aa\u202Bb\u202C", "\u202Aa\u202Bb\u202C", "ab"],
  [
    "joiners of emoji and Persian",
    "👨\u200D👩 می\u200Cخواهم",
    "👨\u200D👩 می\u200Cخواهم",
    "👨\u200D👩 می\u200Cخواهم",
  ],
])("%s", (_, text, inText, inName) => {
  expect(withoutOverrides(text)).toBe(inText);
  expect(withoutDirections(text)).toBe(inName);
});
