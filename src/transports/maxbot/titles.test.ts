import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { MaxbotClient } from "./client.ts";
import { Refusal } from "./errors.ts";
import { GROUP, linkTo, sample } from "./testing.ts";
import { findTitles } from "./titles.ts";

const SOME_MINUTES_MS = 11 * 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

test.each<[string, MaxbotClient["call"]]>([
  ["empty", async () => ({ chat_id: Number(GROUP), title: "" })],
  ["refused", () => Promise.reject(new Refusal(403, "chat.denied", "No"))],
  ["refused for too many requests", () => Promise.reject(new Refusal(429, "too.many.requests", "No", 1))],
])("a title that is %s is requested again only after some minutes", async (_, outcome) => {
  const link = linkTo("http://127.0.0.1:9");
  onTestFinished(() => link.dispose());
  const call = vi.fn<MaxbotClient["call"]>(outcome);
  const client = { call, redact: (text: string) => text, fetch: () => Promise.reject(new Error("no file")) };
  const find = () => findTitles([sample("group")], { link, client, signal: link.signal });
  for (let updates = 0; updates < 5; updates++) expect([...(await find())]).toEqual([[GROUP, ""]]);
  expect(call).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(SOME_MINUTES_MS);
  for (let updates = 0; updates < 5; updates++) await find();
  expect(call).toHaveBeenCalledTimes(2);
});
