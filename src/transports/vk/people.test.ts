import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { VkClient } from "./client.ts";
import { Refusal } from "./errors.ts";
import { findNames } from "./people.ts";
import { linkTo, sample } from "./testing.ts";
import { readEvent } from "./update.ts";

const GROUP = "2000000001";
const SOME_MINUTES_MS = 11 * 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
});

const groupWith = (title: string) => ({
  items: [{ peer: { id: Number(GROUP) }, chat_settings: { title } }],
});

test.each<[string, () => Promise<unknown>, string, number]>([
  ["returned", async () => groupWith("Team"), "Team", 1],
  ["not returned", async () => ({ items: [] }), "", 2],
  ["refused", () => Promise.reject(new Refusal(917, "no access")), "", 2],
])(
  "a title and a person that are %s are not asked for again at once",
  async (outcome, titles, title, calls) => {
    const link = linkTo("http://127.0.0.1:9");
    onTestFinished(() => link.dispose());
    const asked: string[] = [];
    const call: VkClient["call"] = async (method) => {
      asked.push(method);
      return method === "users.get" ? [] : titles();
    };
    const client = {
      call,
      redact: (text: string) => text,
      fetch: () => Promise.reject(new Error("no file")),
    };
    const event = readEvent(sample("group-chat"));
    const find = async () => {
      const names = await findNames(
        [
          {
            ...event,
            message: { ...event.message, peer_id: GROUP, from_id: `1${title.length}${outcome.length}77` },
          },
        ],
        { link, client, signal: link.signal },
      );
      expect(names.titleOf(GROUP)).toBe(title);
      // Beyond the pause that follows a failure.
      vi.setSystemTime(Date.now() + 31_000);
    };
    for (let events = 0; events < 5; events++) await find();
    expect(asked.toSorted()).toEqual(["messages.getConversationsById", "users.get"]);
    vi.setSystemTime(Date.now() + SOME_MINUTES_MS);
    for (let events = 0; events < 5; events++) await find();
    expect(asked.filter((method) => method !== "users.get")).toHaveLength(calls);
  },
);
