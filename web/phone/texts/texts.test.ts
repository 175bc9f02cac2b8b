import { expect, test } from "vitest";
import { checkTexts, unusedTexts } from "../../kit/texts-check.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";

test.each([
  ["ru", ru],
  ["es", es],
  ["pt-BR", pt],
])("texts in %s", (_, texts) => checkTexts(texts, en));

test("each text is used", () => {
  const sources = import.meta.glob<string>("../**/*.{ts,tsx}", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  // The names of message kinds are found by what the sandbox gives.
  expect(unusedTexts({ page: en.page }, sources)).toEqual([]);
});

test.each([
  [1, "1 vez", "1 vez"],
  [2, "2 veces", "2 vezes"],
])("plurals of %d in Spanish and Portuguese", (count, spanish, portuguese) => {
  expect(es.page.times(count)).toBe(spanish);
  expect(pt.page.times(count)).toBe(portuguese);
});
