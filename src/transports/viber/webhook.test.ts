import { expect, onTestFinished, test, vi } from "vitest";
import { createBot } from "./bot.ts";
import type { ViberClient } from "./client.ts";
import { Refusal } from "./errors.ts";
import { FAST, linkTo } from "./testing.ts";
import { keepWebhook } from "./webhook.ts";

const OURS = "https://gateway.example/in";

function keeping(call: ViberClient["call"], timing = FAST) {
  const link = linkTo("https://viber.example", { callbackUrl: OURS });
  const over = new AbortController();
  const done = keepWebhook({ ...createBot(link, over.signal, timing), client: { call } });
  onTestFinished(async () => {
    over.abort();
    await done;
    await link.dispose();
  });
}

test.each<[string, readonly (string | undefined)[], number]>([
  ["never reported", [undefined], 1],
  ["reported, then removed", [undefined, OURS, undefined, OURS], 2],
  ["replaced each time", [undefined, "https://other.example", "https://other.example", OURS], 3],
])("a webhook that is %s", async (_, reported, sets) => {
  const calls: string[] = [];
  const count = (method: string) => calls.filter((each) => each === method).length;
  keeping(async (method) => {
    calls.push(method);
    const webhook = reported[Math.min(count("get_account_info"), reported.length) - 1];
    return { id: "pa:1", name: "Shop", ...(webhook !== undefined && { webhook }) };
  });
  await vi.waitUntil(() => count("get_account_info") >= 6, { interval: 2 });
  expect(count("set_webhook")).toBe(sets);
});

test("after too many requests the pause grows from the usual first one", async () => {
  let calls = 0;
  keeping(async () => {
    calls++;
    throw new Refusal(12, "tooManyRequests");
  });
  // With a constant pause of two seconds, the third call would come after four.
  await vi.waitUntil(() => calls >= 3, { interval: 2, timeout: 3_500 });
});
