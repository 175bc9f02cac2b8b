import { expect, onTestFinished, test, vi } from "vitest";
import type { AvitoClient } from "./client.ts";
import { Refusal } from "./errors.ts";
import { findFacts } from "./people.ts";
import { CHAT, linkTo } from "./testing.ts";

test.each<[string, AvitoClient["call"]]>([
  ["nameless", async () => ({ id: CHAT, users: [] })],
  ["unreadable", async () => ({})],
  ["refused", () => Promise.reject(new Refusal(403, "no access"))],
])("a chat that is %s is asked for again only after some minutes", async (_, outcome) => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const link = linkTo("http://127.0.0.1:9");
  onTestFinished(() => link.dispose());
  const call = vi.fn<AvitoClient["call"]>(outcome);
  const client = { call, fetch: () => Promise.reject(new Error("no file")) };
  for (const calls of [1, 2]) {
    for (let webhooks = 0; webhooks < 5; webhooks++)
      expect((await findFacts(link, client, CHAT)).contact.name).toBe("");
    expect(call).toHaveBeenCalledTimes(calls);
    vi.advanceTimersByTime(11 * 60_000);
  }
});
