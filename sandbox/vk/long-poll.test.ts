import { describe, expect, test } from "vitest";
import type { Json } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { community, type VkKit, withVk } from "./test-kit.ts";

const group = { group_id: demo.groupId };

async function open({ ok }: VkKit): Promise<(ts: string, more?: object) => Promise<Json>> {
  await ok("groups.setLongPollSettings", { ...group, enabled: 1, api_version: "5.199", message_new: 1 });
  const { key, server } = await ok("groups.getLongPollServer", group);
  return async (ts, more = {}) => {
    const query = new URLSearchParams({ act: "a_check", key: String(key), ts, wait: "25", ...more });
    return (await (await fetch(`${server}?${query}`)).json()) as Json;
  };
}

describe("long polling", () => {
  test("is off until it is enabled", () =>
    withVk(async ({ refused }) => {
      expect(await refused("groups.getLongPollServer", group)).toBe(
        "100 One of the parameters specified was missing or invalid: longpoll for this group is not enabled",
      );
    }));

  test("waits for an event, or returns all events since the position", () =>
    withVk(async (kit) => {
      const poll = await open(kit);
      const waiting = poll("0");
      await kit.admin(`GET ${community}/polls?count=1`);
      await kit.ann("messages", { text: "1" });
      await kit.ann("typing");
      expect(await waiting).toMatchObject({
        ts: "1",
        updates: [
          { type: "message_new", group_id: demo.groupId, v: "5.199", object: { message: { text: "1" } } },
        ],
      });
      await kit.ann("messages", { text: "2" });
      await kit.ann("messages", { text: "3" });
      expect(await poll("1")).toMatchObject({ ts: "3", updates: [{}, {}] });
      expect(await poll("0")).toMatchObject({ ts: "3", updates: [{}, {}, {}] });
      expect(await poll("3", { wait: "0" })).toEqual({ ts: "3", updates: [] });
    }));

  test("failed: 1 with a position to resume from, 2 for the key, 3 for both", () =>
    withVk(async (kit) => {
      const poll = await open(kit);
      const fail = (failed: number) => kit.admin(`POST ${community}/long_poll_failures`, { failed });
      await kit.ann("messages", { text: "1" });
      expect(await poll("7")).toEqual({ failed: 1, ts: 1 });
      expect(await poll("x")).toEqual({ failed: 1, ts: 1 });
      await fail(1);
      expect(await poll("1")).toEqual({ failed: 1, ts: 2 });
      const waiting = poll("2");
      await kit.admin(`GET ${community}/polls?count=4`);
      await fail(2);
      expect(await waiting).toEqual({ failed: 2 });
      await fail(3);
      const again = await open(kit);
      expect(await again("2")).toEqual({ failed: 3 });
      expect(await again("0", { wait: "0" })).toEqual({ ts: "0", updates: [] });
      expect(await poll("0")).toEqual({ failed: 2 });
    }));

  test("a connection that breaks, and a response of a proxy", () =>
    withVk(async (kit) => {
      const poll = await open(kit);
      await kit.admin("POST /faults", { method: "long_poll", drop: "before" });
      await expect(poll("0")).rejects.toThrow();
      await kit.admin("POST /faults", { method: "long_poll", http_status: 502 });
      await expect(poll("0")).rejects.toThrow(/not valid JSON/);
    }));
});
