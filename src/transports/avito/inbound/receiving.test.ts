import { expect, onTestFinished, test, vi } from "vitest";
import { TransportError } from "../../../core/transport/errors.ts";
import { createChannel } from "../channel.ts";
import { Refusal } from "../errors.ts";
import { FAST, linkTo } from "../testing.ts";
import { createSignal, keepReceiving } from "./receiving.ts";

const broken = new TransportError("UNKNOWN_ERROR", "unreadable", { retry: "later", data: "HTTP 500" });

/** An account with these chats, the first of which always fails to be read. */
function receiving(chatIds: readonly string[], failure: Error) {
  const link = linkTo("https://avito.example");
  const over = new AbortController();
  const updated = Math.floor(Date.now() / 1000) - 60;
  const reads: string[] = [];
  const chats = chatIds.map((id) => ({ id, updated, last_message: { id: "m" } }));
  const client = {
    fetch: () => Promise.reject(new Error("no file")),
    call: async (_method: string, path: string) => {
      if (path.endsWith("/self")) return { id: 1, name: "Shop" };
      if (path.endsWith("/chats")) return { chats };
      const id = chatIds.find((each) => path.includes(`/${each}/`)) ?? "";
      reads.push(id);
      if (id === chatIds[0]) throw failure;
      return { messages: [] };
    },
  };
  const done = link.state
    .set("told", String(updated - 60))
    .then(() => keepReceiving({ ...createChannel(link, over.signal, FAST), client }, createSignal()));
  onTestFinished(async () => {
    over.abort();
    await done;
    await link.dispose();
  });
  return { reads, updated, position: () => link.state.get("told") };
}

test.each<[string, Error]>([
  ["400", new Refusal(400, "no")],
  ["422", new Refusal(422, "no")],
  ["500", broken],
])("a chat that always fails with %s blocks neither the others nor the position", async (_, failure) => {
  const { reads, updated, position } = receiving(["bad", "good"], failure);
  await vi.waitUntil(async () => (await position()) === String(updated), { interval: 5 });
  expect(reads.filter((id) => id === "good")).toHaveLength(1);
  expect(reads.filter((id) => id === "bad")).toHaveLength(3);
});

test.each<[string, Error]>([
  ["a rate limit", new Refusal(429, "slow", { retryAfterMs: 100 })],
  ["an outage", broken],
])("the position stays after %s", async (_, failure) => {
  const { reads, updated, position } = receiving(["bad"], failure);
  await vi.waitUntil(() => reads.length >= 5, { interval: 5 });
  expect(await position()).toBe(String(updated - 60));
});
