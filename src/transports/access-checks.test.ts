import { expect, test } from "vitest";
import { TIMING as AVITO } from "./avito/channel.ts";
import { TIMING as INSTAGRAM } from "./instagram/watch.ts";
import { TIMING as MAXBOT } from "./maxbot/bot.ts";
import { TIMING as TELEGRAM } from "./telegram/bot.ts";
import { TIMING as VIBER } from "./viber/bot.ts";
import { TIMING as VK } from "./vk/community.ts";
import { WAIT_SECONDS as VK_POLL_SECONDS } from "./vk/receiving.ts";
import { TIMING as WAPI } from "./wapi/watch.ts";

/** The jitter of the checks adds up to a quarter. Personal accounts are told by their connection. */
test.each([
  ["avito", AVITO.checkMs],
  ["instagram", INSTAGRAM.checkMs],
  ["maxbot", MAXBOT.checkMs],
  ["telegram", TELEGRAM.checkMs],
  ["viber", VIBER.checkMs],
  ["vk", VK.checkMs],
  // The check comes before the first request after this age.
  ["vk without webhooks", VK.accessMs + VK_POLL_SECONDS * 1_000],
  ["wapi", WAPI.accessMs],
])("an idle channel of %s notices within a minute that its access has ended", (_transport, checkMs) => {
  expect(checkMs * 1.25).toBeLessThan(60_000);
});
