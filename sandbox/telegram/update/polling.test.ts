import { describe, expect, test } from "vitest";
import { type Kit, withSandbox } from "../../test-kit.ts";

/** Starts a call that waits, and returns once it is waiting. */
async function startPoll({ admin, call }: Kit, parameters: object) {
  const { last_seq } = await admin("GET /bots/1000001/calls");
  const answer = call("getUpdates", { timeout: 20, ...parameters });
  await admin(`GET /bots/1000001/calls?method=getUpdates&after=${last_seq}&count=1`);
  return answer;
}

const otherPoller =
  "409 Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";

describe("getUpdates", () => {
  test("returns updates until they are confirmed by the offset", () =>
    withSandbox(async ({ ann, ok }) => {
      for (const text of ["one", "two", "three"]) await ann("messages", { text });
      const all = await ok("getUpdates");
      const first = Number(all[0]?.["update_id"]);
      expect(all).toMatchObject([
        { update_id: first, message: { text: "one", message_id: 1 } },
        { update_id: first + 1, message: { text: "two" } },
        { update_id: first + 2, message: { text: "three" } },
      ]);
      expect(await ok("getUpdates", { limit: 2, offset: first })).toHaveLength(2);
      expect(await ok("getUpdates", { offset: first + 2 })).toMatchObject([{ message: { text: "three" } }]);
      expect(await ok("getUpdates", { offset: first })).toMatchObject([{ message: { text: "three" } }]);
      expect(await ok("getUpdates", { offset: -1 })).toHaveLength(1);
    }));

  test("waits for the first update", () =>
    withSandbox(async (kit) => {
      const poll = startPoll(kit, { offset: 0 });
      await kit.admin("GET /bots/1000001/calls?method=getUpdates&count=1");
      await kit.ann("messages", { text: "now" });
      expect((await poll).body["result"]).toMatchObject([{ message: { text: "now" } }]);
    }));

  test("a second poller ends the first; the next conflict is reported late", () =>
    withSandbox(async (kit) => {
      await kit.admin("POST /settings", { wait_scale: 0.01 });
      const first = kit.refused("getUpdates", { timeout: 20, offset: 1 });
      await kit.admin("GET /bots/1000001/calls?count=1");
      const second = kit.refused("getUpdates", { timeout: 20, offset: 2 });
      expect(await first).toBe(otherPoller);
      const third = kit.call("getUpdates", { timeout: 20, offset: 3 });
      expect(await second).toBe(otherPoller);
      await kit.ann("messages", { text: "x" });
      expect((await third).status).toBe(200);
    }));

  test("a webhook excludes polling, and ends a waiting poll", () =>
    withSandbox(async (kit) => {
      const poll = kit.refused("getUpdates", { timeout: 20 });
      await kit.admin("GET /bots/1000001/calls?count=1");
      await kit.ok("setWebhook", { url: `${kit.url}/inbox` });
      expect(await poll).toBe("409 Conflict: terminated by setWebhook request");
      expect(await kit.refused("getUpdates")).toBe(
        "409 Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
      await kit.ok("deleteWebhook");
      expect((await kit.call("getUpdates", { offset: 5 })).status).toBe(200);
    }));

  test("the same offset again has to wait", () =>
    withSandbox(async ({ admin, ok }) => {
      await admin("POST /settings", { wait_scale: 0.02 });
      const started = performance.now();
      await ok("getUpdates", { offset: 7 });
      await ok("getUpdates", { offset: 7 });
      expect(performance.now() - started).toBeGreaterThan(50);
    }));

  test("a caller that disconnects releases the poll", () =>
    withSandbox(async ({ admin, apiRoot, token, call }) => {
      const hangUp = new AbortController();
      const url = `${apiRoot}/bot${token}/getUpdates?timeout=20`;
      const lost = fetch(url, { signal: hangUp.signal }).catch(() => "gone");
      await admin("GET /bots/1000001/calls?count=1");
      hangUp.abort();
      expect(await lost).toBe("gone");
      expect((await call("getUpdates", { offset: 1 })).status).toBe(200);
    }));

  test("only the requested types are queued, for a day", () =>
    withSandbox(async ({ admin, ann, ok }) => {
      await ok("getUpdates", { allowed_updates: ["callback_query"] });
      await ann("messages", { text: "unheard" });
      await ok("getUpdates", { offset: 1, allowed_updates: [] });
      await ann("messages", { text: "heard" });
      expect(await admin("GET /bots/1000001/updates")).toMatchObject({ pending: 1 });
      await admin("POST /bots/1000001/time", { advance_seconds: 86_401 });
      expect(await admin("GET /bots/1000001/updates")).toMatchObject({ pending: 0 });
    }));
});
