import { describe, expect, test } from "vitest";
import { stopClock } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { account, toAnn, withInstagram } from "./test-kit.ts";

const route = "POST /me/messages";
const hello = { ...toAnn, message: { text: "hello" } };

describe("faults", () => {
  test("an error for the next calls of an edge or to a person, then success", () =>
    withInstagram(async ({ admin, ok, refused }) => {
      await admin("POST /faults", { to: "5", error_code: 368 });
      await admin("POST /faults", { edge: "messages", times: 2, error_code: 613 });
      expect(await ok("GET /me")).toMatchObject({ id: demo.pageId });
      for (const _ of [1, 2]) expect(await refused(route, hello)).toMatch(/^400 613 /);
      await ok(route, hello);
      expect(await refused(route, { ...hello, recipient: { id: "5" } })).toMatch(/^403 368 /);
      await admin("POST /faults", {
        error_code: 100,
        error_subcode: 2018001,
        message: "No matching user found",
      });
      expect(await refused(route, hello)).toBe("400 100/2018001 No matching user found");
      expect(await admin("GET /faults")).toMatchObject({
        items: [{ hits: 1 }, { left: 0, hits: 2 }, { hits: 1 }],
      });
    }));

  test("a connection that breaks before or after the call is executed", () =>
    withInstagram(async ({ admin, graph }) => {
      await admin("POST /faults", { drop: "before" });
      await expect(graph(route, hello)).rejects.toThrow();
      expect(await admin(`GET ${account}/sent`)).toMatchObject({ count: 0 });
      await admin("POST /faults", { drop: "after" });
      await expect(graph(route, hello)).rejects.toThrow();
      expect(await admin(`GET ${account}/sent`)).toMatchObject({ count: 1 });
    }));

  test("a slow response, one of a proxy, and a fault without an effect", () =>
    withInstagram(async ({ admin, base, ok }) => {
      await admin("POST /faults", { hang_ms: 60 });
      const started = performance.now();
      await ok(route, hello);
      expect(performance.now() - started).toBeGreaterThan(50);
      await admin("POST /faults", { http_status: 502, http_body: "<h1>Bad Gateway</h1>" });
      const response = await fetch(`${base}/me`);
      expect([response.status, await response.text()]).toEqual([502, "<h1>Bad Gateway</h1>"]);
      await expect(admin("POST /faults", { edge: "messages" })).rejects.toThrow(/no_effect/);
    }));
});

test("rate limits, by the emulator's clock", () =>
  withInstagram(async ({ admin, ok, refused }) => {
    stopClock();
    await admin("POST /flood", { text_per_second: 2, private_replies_per_hour: 1 });
    await ok(route, hello);
    await ok(route, hello);
    expect(await refused(route, hello)).toMatch(/^400 613 /);
    await admin("POST /time", { advance_seconds: 1 });
    await ok(route, hello);
    for (const first of [true, false]) {
      const { comment } = await admin(`POST ${account}/users/${demo.userId}/comments`, { text: "x" });
      const reply = { recipient: { comment_id: comment?.["id"] }, message: { text: "y" } };
      if (first) await ok(route, reply);
      else expect(await refused(route, reply)).toMatch(/^400 613 /);
    }
    await admin("DELETE /flood");
    for (let left = 5; left > 0; left--) await ok(route, hello);
  }));

test("calls are recorded without secrets", () =>
  withInstagram(async ({ admin, refused }) => {
    const query = new URLSearchParams({
      grant_type: "fb_exchange_token",
      client_id: demo.appId,
      client_secret: demo.appSecret,
      fb_exchange_token: "EAAunknown",
    });
    await refused(`GET /oauth/access_token?${query}`, undefined, { token: null });
    const { items } = await admin("GET /calls?node=oauth");
    expect(items).toMatchObject([{ edge: "access_token", status: 401, error_code: 190 }]);
    expect(JSON.stringify(items)).not.toMatch(/EAAunknown|demo-trunkline-sandbox-app-secret/);
  }));

test("a reset deletes everything", () =>
  withInstagram(async ({ admin }) => {
    await admin("DELETE /");
    expect(await admin("GET /accounts")).toEqual({ items: [] });
    await admin("POST /apps", {});
    const made = await admin("POST /accounts", { username: "new" });
    expect(await admin("POST /tokens", { kind: "instagram" })).toMatchObject({ account_ids: [made["id"]] });
  }));
