import { describe, expect, test } from "vitest";
import { ALL_STATUSES } from "../../../src/core/channel-status.ts";
import { checkTexts, unusedTexts } from "../../kit/texts-check.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";
import type { Texts } from "./texts.ts";

const LANGUAGES = { en, ru, es, "pt-BR": pt } as const satisfies Readonly<Record<string, Texts>>;
const STATES = ALL_STATUSES.map(({ status, reason }) => reason ?? status);

describe.each(Object.entries(LANGUAGES))("texts in %s", (_, texts) => {
  test("are those of English", () => checkTexts(texts, en));

  test("each state of a channel has a name and a remedy", () => {
    const names: Readonly<Record<string, unknown>> = texts.channelStates;
    expect(STATES.filter((state) => names[state] === undefined)).toEqual([]);
    const remedies: Readonly<Record<string, unknown>> = texts.remedies;
    expect(STATES.filter((state) => state !== "active" && remedies[state] === undefined)).toEqual([]);
  });
});

test("each text is used", () => {
  const sources = import.meta.glob<string>("../**/*.{ts,tsx}", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const { refusals: _refusals, ...named } = en;
  expect(unusedTexts(named, sources)).toEqual([]);
});

test.each([
  ["en", 1, "Export failed 1 time"],
  ["en", 2, "Export failed 2 times"],
  ["ru", 1, "Выгрузка не удалась 1 раз"],
  ["ru", 2, "Выгрузка не удалась 2 раза"],
  ["ru", 5, "Выгрузка не удалась 5 раз"],
  ["es", 1, "La exportación falló 1 vez"],
  ["es", 2, "La exportación falló 2 veces"],
  ["pt-BR", 1, "A exportação falhou 1 vez"],
  ["pt-BR", 2, "A exportação falhou 2 vezes"],
] as const)("failed exports: %s %d", (of, count, text) => {
  expect(LANGUAGES[of].overview.exports_fail(count)).toBe(text);
});

test.each([
  ["ru", "Вебхуки не принимаются 3 раза подряд"],
  ["en", "Webhooks failing, 3 times in a row"],
  ["es", "Los webhooks fallan, 3 veces seguidas"],
  ["pt-BR", "Os webhooks falham, 3 vezes seguidas"],
] as const)("a failing receiver: %s", (of, text) => {
  expect(LANGUAGES[of].overview.receiver_failing(3)).toBe(text);
});

test.each([
  [1, "1 event undeliverable", "1 messenger report could not be stored"],
  [2, "2 events undeliverable", "2 messenger reports could not be stored"],
])("undeliverable events and refused reports: %d", (count, events, reports) => {
  expect(en.overview.events_parked(count)).toBe(events);
  expect(en.overview.reports_refused(count)).toBe(reports);
});
