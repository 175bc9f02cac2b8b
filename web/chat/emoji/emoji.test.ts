import { describe, expect, test } from "vitest";
import { words as english } from "./en.ts";
import { words as spanish } from "./es.ts";
import { type Emoji, findEmoji, GROUPS, readEmoji, withTone } from "./find-emoji.ts";
import { list } from "./list.ts";
import { words as portuguese } from "./pt.ts";
import { words as russian } from "./ru.ts";

const LANGUAGES = { en: english, ru: russian, es: spanish, pt: portuguese };

describe.each(Object.entries(LANGUAGES))("emoji in %s", (_, words) => {
  const all = readEmoji(list, words);
  test("each has a group and a name", () => {
    expect(words.split("\n")).toHaveLength(list.split("\n").length);
    expect(all.length).toBeGreaterThan(1_800);
    expect(all.filter(({ group, words: [name] }) => GROUPS[group] === undefined || !name)).toEqual([]);
    expect(new Set(all.map(({ text }) => text)).size).toBe(all.length);
  });
});

test.each<[keyof typeof LANGUAGES, string, string]>([
  ["en", "fire", "🔥"],
  ["en", "thumbs up", "👍"],
  ["en", "THUMB", "👍"],
  ["ru", "огонь", "🔥"],
  ["ru", "елка", "🎄"],
  ["es", "corazon rojo", "❤️"],
  ["es", "fuego", "🔥"],
  ["pt", "coração", "❤️"],
  ["pt", "fogo", "🔥"],
])("%s: %s finds %s", (language, asked, expected) => {
  const all = readEmoji(list, LANGUAGES[language]);
  expect(findEmoji(all, asked).map(({ text }) => text)).toContain(expected);
});

test.each([
  ["nothing", "qqqq", 0],
  ["no words", "  ", 0],
  ["many, of which the first are shown", "f", 96],
])("%s", (_, asked, count) => expect(findEmoji(readEmoji(list, english), asked)).toHaveLength(count));

test.each<[string, boolean, number, string]>([
  ["👍", true, 0, "👍"],
  ["👍", true, 1, "👍🏻"],
  ["👍", true, 5, "👍🏿"],
  ["✌️", true, 3, "✌🏽"],
  ["👩‍🚀", true, 2, "👩🏼‍🚀"],
  ["🔥", false, 5, "🔥"],
])("%s with tones (%s) in tone %d is %s", (text, hasTones, tone, expected) =>
  expect(withTone({ text, hasTones } satisfies Partial<Emoji>, tone)).toBe(expected),
);
