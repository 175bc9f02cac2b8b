import { afterEach, expect, test } from "vitest";
import { ALL_STATUSES } from "../../../src/core/channel-status.ts";
import { language } from "../../kit/i18n.ts";
import { channelWords } from "../words.ts";
import { remedies } from "./channel-notice-words.ts";

afterEach(() => {
  language.value = "en";
});

const states = ALL_STATUSES.map(({ status, reason }) => reason ?? status);

test.each(["en", "ru"] as const)("each state of a channel has a name and a remedy: %s", (each) => {
  language.value = each;
  const names: Readonly<Record<string, unknown>> = channelWords.value;
  expect(states.filter((state) => names[state] === undefined)).toEqual([]);
  const known: Readonly<Record<string, unknown>> = remedies.value;
  expect(states.filter((state) => state !== "active" && known[state] === undefined)).toEqual([]);
});
