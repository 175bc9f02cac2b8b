import { afterEach, expect, test } from "vitest";
import { language } from "../kit/i18n.ts";
import { overviewWords } from "./overview-words.ts";

afterEach(() => {
  language.value = "en";
});

test.each([
  ["en", 1, "Export failed 1 time"],
  ["en", 2, "Export failed 2 times"],
  ["ru", 1, "Выгрузка не удалась 1 раз"],
  ["ru", 2, "Выгрузка не удалась 2 раза"],
  ["ru", 5, "Выгрузка не удалась 5 раз"],
] as const)("failed exports: %s %d", (of, count, text) => {
  language.value = of;
  expect(overviewWords.value.exports_fail(count)).toBe(text);
});

test.each([
  ["ru", "Вебхуки не принимаются 3 раза подряд"],
  ["en", "Webhooks failing, 3 times in a row"],
] as const)("a failing receiver: %s", (of, text) => {
  language.value = of;
  expect(overviewWords.value.receiver_failing(3)).toBe(text);
});

test.each([
  [1, "1 event undeliverable", "1 messenger report could not be stored"],
  [2, "2 events undeliverable", "2 messenger reports could not be stored"],
])("undeliverable events and refused reports: %d", (count, events, reports) => {
  expect(overviewWords.value.events_parked(count)).toBe(events);
  expect(overviewWords.value.reports_refused(count)).toBe(reports);
});
