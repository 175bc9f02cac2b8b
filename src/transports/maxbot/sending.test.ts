import { expect, onTestFinished, test } from "vitest";
import { SEND_TIMEOUT_MS } from "../../core/transport/connector.ts";
import { createBot, TIMING } from "./bot.ts";
import type { MaxbotClient } from "./client.ts";
import { Refusal } from "./errors.ts";
import { readyPauses, sendMessage } from "./sending.ts";
import { linkTo, textMessage } from "./testing.ts";

const NOT_READY = new Refusal(
  400,
  "attachment.not.ready",
  "Key: errors.process.attachment.file.not.processed",
);

function botThat(call: MaxbotClient["call"]) {
  const link = linkTo("http://127.0.0.1:9");
  onTestFinished(() => link.dispose());
  const bot = createBot(link, link.signal, TIMING);
  return { ...bot, client: { ...bot.client, call } };
}

test("MAX has less time to process a file than the send", () => {
  const totalMs = readyPauses(TIMING).reduce((sum, ms) => sum + ms, 0);
  expect(totalMs).toBeLessThan(SEND_TIMEOUT_MS);
});

test("a send that is aborted while it waits for a refused file may be repeated", async () => {
  const limit = new AbortController();
  const bot = botThat(async () => {
    setImmediate(() => limit.abort());
    throw NOT_READY;
  });
  await expect(sendMessage(bot, textMessage(), limit.signal)).rejects.toMatchObject({
    name: "TransportError",
    retry: "later",
  });
});
