import { expect, test } from "vitest";
import { inkOn } from "./appearance.ts";
import { colourOf, initialsOf } from "./avatar.tsx";
import { pluralEn, pluralRu, preferredLocale } from "./i18n.ts";

test.each([
  ["", ["de-DE", "ru-RU"], "ru"],
  ["?lang=en", ["ru-RU"], "en"],
  ["?lang=RU", [], "ru"],
  ["?lang=fr", ["en-GB"], "en"],
  ["", ["fr", "de"], "en"],
])("language of %s for readers of %j", (search, wanted, expected) => {
  expect(preferredLocale(search, wanted, ["en", "ru", "es", "pt-BR"])).toBe(expected);
});

test.each([
  [0, "many", "other"],
  [1, "one", "one"],
  [2, "few", "other"],
  [5, "many", "other"],
  [11, "many", "other"],
  [12, "many", "other"],
  [21, "one", "other"],
  [22, "few", "other"],
  [111, "many", "other"],
])("plural of %i", (count, ru, en) => {
  expect(pluralRu(count, { one: "one", few: "few", many: "many" })).toBe(ru);
  expect(pluralEn(count, { one: "one", other: "other" })).toBe(en);
});

test.each([
  ["Ann Karpova", "AK"],
  ["olga.design", "OD"],
  ["Tver warehouse · group", "TG"],
  ["борис", "Б"],
  ["+7 900", "79"],
  ["👋", "?"],
  ["", "?"],
])("initials of %s", (name, expected) => {
  expect(initialsOf(name)).toBe(expected);
});

test("a person keeps their colour", () => {
  expect(colourOf("42")).toBe(colourOf("42"));
  expect(new Set(["1", "2", "3", "4", "5", "6"].map(colourOf)).size).toBeGreaterThan(2);
});

test.each([
  ["ffffff", "#000000"],
  ["ffd000", "#000000"],
  ["2457d6", "#ffffff"],
  ["000000", "#ffffff"],
])("ink on %s", (rgb, expected) => {
  expect(inkOn(rgb)).toBe(expected);
});
