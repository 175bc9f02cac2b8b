import { expect, test } from "vitest";
import { checkTexts, unusedTexts } from "../../kit/texts-check.ts";
import { cannedWords } from "../canned/words.ts";
import { en } from "./en.ts";
import { es, kit as kitEs } from "./es.ts";
import { en as laterEn } from "./later/en.ts";
import { es as laterEs, kit as laterKitEs } from "./later/es.ts";
import { kit as laterKitPt, pt as laterPt } from "./later/pt.ts";
import { ru as laterRu } from "./later/ru.ts";
import { kit as kitPt, pt } from "./pt.ts";
import { ru } from "./ru.ts";

type Parts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const ENGLISH: Parts = { ...en, ...laterEn };
const LANGUAGES: Readonly<Record<string, Parts>> = {
  ru: { ...ru, ...laterRu },
  es: { ...es, ...laterEs },
  "pt-BR": { ...pt, ...laterPt },
};

test.each(Object.entries(LANGUAGES))("texts in %s", (_, parts) => checkTexts(parts, ENGLISH));

test("each text is used", () => {
  const sources = import.meta.glob<string>("../**/*.{ts,tsx}", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const { errors: _errors, ...named } = ENGLISH;
  expect(unusedTexts(named, sources)).toEqual([]);
});

test.each([
  ["es", { ...kitEs, ...laterKitEs }],
  ["pt-BR", { ...kitPt, ...laterKitPt }],
])("texts of canned answers in %s are those of English", (_, { canned }) =>
  expect(Object.keys(canned)).toEqual(Object.keys(cannedWords.value)),
);

test.each([
  [1, "ещё 1 минуту:"],
  [2, "ещё 2 минуты:"],
  [5, "ещё 5 минут:"],
  [21, "ещё 21 минуту:"],
])("how long a message can be changed, in Russian: %d", (left, text) =>
  expect(ru.composer.editWindow(left)).toContain(text),
);

test.each([
  [0, "0 fotos", "0 foto"],
  [1, "1 foto", "1 foto"],
  [2, "2 fotos", "2 fotos"],
])("plurals of %d in Spanish and Portuguese", (count, spanish, portuguese) =>
  expect([es.bubble.album(count), pt.bubble.album(count)]).toEqual([spanish, portuguese]),
);
