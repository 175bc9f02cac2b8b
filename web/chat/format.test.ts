import { afterEach, expect, test } from "vitest";
import { type Language, locale } from "../kit/i18n.ts";
import { clockTime, dayName, duration, fileSize, shortTime } from "./format.ts";

afterEach(() => {
  locale.value = "en";
});
const NOW = new Date(2026, 4, 15, 12, 41).getTime();
const at = (year: number, month: number, day: number, hour = 9) =>
  new Date(year, month - 1, day, hour).getTime();

test.each<[number, Language, string, string]>([
  [at(2026, 5, 15), "en", "Today", "09:00"],
  [at(2026, 5, 14, 23), "en", "Yesterday", "Thu"],
  [at(2026, 5, 12), "en", "Tuesday", "Tue"],
  [at(2026, 3, 2), "en", "March 2", "Mar 2"],
  [at(2024, 3, 2), "en", "March 2, 2024", "3/2/24"],
  [at(2026, 5, 15), "ru", "Сегодня", "09:00"],
  [at(2026, 5, 14), "ru", "Вчера", "чт"],
  [at(2026, 5, 12), "ru", "Вторник", "вт"],
  [at(2026, 3, 2), "ru", "2 марта", "2 мар."],
])("%d in %s", (time, lang, day, short) => {
  locale.value = lang;
  expect(dayName(time, NOW)).toBe(day);
  expect(shortTime(time, NOW)).toBe(short);
});

test("midnight is 00:00", () => expect(clockTime(at(2026, 5, 15, 0))).toBe("00:00"));

test.each<[number, Language, string]>([
  [0, "en", "0 B"],
  [999, "en", "999 B"],
  [1000, "en", "1 KB"],
  [1_234_567, "en", "1.2 MB"],
  [52_428_800, "en", "52 MB"],
  [1_234_567, "ru", "1,2 МБ"],
])("%d bytes in %s", (bytes, lang, text) => {
  locale.value = lang;
  expect(fileSize(bytes)).toBe(text);
});

test.each([
  [0, "0:00"],
  [13.6, "0:14"],
  [3665, "61:05"],
  [Number.NaN, "0:00"],
  [Number.POSITIVE_INFINITY, "0:00"],
])("%d seconds", (seconds, text) => expect(duration(seconds)).toBe(text));
