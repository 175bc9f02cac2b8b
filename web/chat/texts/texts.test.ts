import { describe, expect, test } from "vitest";
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

/** Calls a text with arguments with names or small numbers, so that it becomes a sentence. */
const sentence = (text: unknown, value: unknown): unknown =>
  typeof text === "function" ? text(value, value) : text;
const entries = (parts: Parts) =>
  Object.entries(parts).flatMap(([part, texts]) =>
    Object.entries(texts).map(([key, text]) => [`${part}.${key}`, text] as const),
  );

describe.each(Object.entries(LANGUAGES))("texts in %s", (_, parts) => {
  test("each exists, takes what the English one takes, and says it", () => {
    const names = (of: Parts) =>
      entries(of)
        .map(([name]) => name)
        .toSorted();
    expect(names(parts)).toEqual(names(ENGLISH));
    const english = new Map(entries(ENGLISH));
    for (const [name, text] of entries(parts)) {
      const source = english.get(name);
      expect(typeof text, name).toBe(typeof source);
      for (const value of [0, 1, 2, 5, 21, 1_000_000, "Ann"]) {
        const said = String(sentence(text, value));
        expect(said.trim(), name).not.toBe("");
        if (typeof text === "function" && String(sentence(source, value)).includes(String(value)))
          expect(said, name).toContain(String(value));
      }
    }
  });
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
