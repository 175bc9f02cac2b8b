import { describe, expect, test } from "vitest";
import { stopClock } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { community, withVk } from "./test-kit.ts";

const hello = { peer_id: demo.userId, message: "hello", random_id: 0 };

describe("faults", () => {
  test("an error for the next calls of a method or to a peer, then success", () =>
    withVk(async ({ admin, ok, refused, call }) => {
      await admin("POST /faults", { method: "messages.send", peer_id: 5, error_code: 902 });
      await admin("POST /faults", { method: "messages.SEND", times: 2, error_code: 9 });
      expect(await ok("groups.getById")).toMatchObject({ groups: [{}] });
      expect(await refused("messages.send", hello)).toBe("9 Flood control");
      expect(await refused("messages.send", hello)).toBe("9 Flood control");
      expect(await ok("messages.send", hello)).toBe(1);
      expect(await refused("messages.send", { ...hello, peer_id: 5 })).toMatch(/^902 /);
      await admin("POST /faults", { error_code: 14 });
      expect(await call("messages.send", hello)).toMatchObject({
        error: { error_code: 14, captcha_sid: expect.any(String) },
      });
      expect(await admin("GET /faults")).toMatchObject({
        items: [{ hits: 1 }, { left: 0, hits: 2 }, { hits: 1 }],
      });
    }));

  test("a connection that breaks before or after the call is executed; the same random_id finds the message", () =>
    withVk(async ({ admin, call, ok }) => {
      await admin("POST /faults", { drop: "before" });
      await expect(call("messages.send", { ...hello, random_id: 5 })).rejects.toThrow();
      expect(await admin(`GET ${community}/sent`)).toMatchObject({ count: 0 });
      await admin("POST /faults", { drop: "after" });
      await expect(call("messages.send", { ...hello, random_id: 5 })).rejects.toThrow();
      expect(await admin(`GET ${community}/sent`)).toMatchObject({ count: 1 });
      expect(await ok("messages.send", { ...hello, random_id: 5 })).toBe(1);
      expect(await admin(`GET ${community}/sent`)).toMatchObject({ count: 1 });
    }));

  test("a slow response, one of a proxy, and a fault without an effect", () =>
    withVk(async ({ admin, base, ok }) => {
      await admin("POST /faults", { hang_ms: 60 });
      const started = performance.now();
      await ok("messages.send", hello);
      expect(performance.now() - started).toBeGreaterThan(50);
      await admin("POST /faults", { http_status: 502, http_body: "<h1>Bad Gateway</h1>" });
      const response = await fetch(`${base}/method/groups.getById`);
      expect([response.status, await response.text()]).toEqual([502, "<h1>Bad Gateway</h1>"]);
      await expect(admin("POST /faults", { method: "users.get" })).rejects.toThrow(/no_effect/);
    }));
});

test("twenty calls a second, by the emulator's clock", () =>
  withVk(async ({ admin, ok, refused }) => {
    stopClock();
    await admin("POST /flood", { group_per_second: 2 });
    await ok("groups.getById");
    await ok("groups.getById");
    expect(await refused("groups.getById")).toBe("6 Too many requests per second");
    await admin("POST /time", { advance_seconds: 1 });
    await ok("groups.getById");
    await admin("DELETE /flood");
    for (let left = 30; left > 0; left--) await ok("groups.getById");
  }));

test("a reset deletes everything", () =>
  withVk(async ({ admin }) => {
    await admin("DELETE /");
    expect(await admin("GET /communities")).toEqual({ items: [] });
    expect(await admin("GET /users")).toEqual({ items: [] });
    const made = await admin("POST /communities", { name: "New" });
    expect(await admin("POST /tokens", { group_id: made["id"] })).toMatchObject({
      token: expect.stringMatching(/^vk1\.a\./),
    });
  }));
