import { expect, test } from "vitest";
import { checkTexts, unusedTexts } from "../../kit/texts-check.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { en as laterEn } from "./later/en.ts";
import { es as laterEs } from "./later/es.ts";
import { pt as laterPt } from "./later/pt.ts";
import { ru as laterRu } from "./later/ru.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";

test.each([
  ["ru", ru, laterRu],
  ["es", es, laterEs],
  ["pt-BR", pt, laterPt],
])("texts in %s", (_, { fields, ...opening }, later) => {
  const { fields: _fields, ...english } = en;
  checkTexts({ ...opening, ...later }, { ...english, ...laterEn });
  expect(Object.keys(fields)).toEqual(Object.keys(ru.fields));
});

test("each text is used", () => {
  const sources = import.meta.glob<string>("../**/*.{ts,tsx}", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  // The others are found by a name that the service gives.
  const { page } = en;
  const { next, earlier } = laterEn;
  expect(unusedTexts({ page, next, earlier }, sources)).toEqual([]);
});

test.each([
  [1, "1 segundo", "1 segundo"],
  [2, "2 segundos", "2 segundos"],
])("plurals of %d in Spanish and Portuguese", (seconds, spanish, portuguese) => {
  expect(es.page.renewsIn(seconds)).toContain(spanish);
  expect(pt.page.renewsIn(seconds)).toContain(portuguese);
});
