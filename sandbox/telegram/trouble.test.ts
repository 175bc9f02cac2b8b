import { describe, expect, test } from "vitest";
import { stopClock, withSandbox } from "../test-kit.ts";

const hello = { chat_id: 111, text: "hello" };

describe("faults", () => {
  test("an error for the next calls of a method, then success", () =>
    withSandbox(async ({ admin, ok, refused }) => {
      await admin("POST /faults", { method: "sendmessage", times: 2, error_code: 500 });
      expect(await ok("getMe")).toMatchObject({ is_bot: true });
      expect(await refused("sendMessage", hello)).toBe("500 Internal Server Error");
      expect(await refused("sendMessage", hello)).toBe("500 Internal Server Error");
      expect(await ok("sendMessage", hello)).toMatchObject({ message_id: 1 });
      expect(await admin("GET /faults")).toMatchObject({ items: [{ left: 0, hits: 2 }] });
    }));

  test("retry_after, for one chat only", () =>
    withSandbox(async ({ admin, call }) => {
      await admin("POST /faults", { chat_id: 5, retry_after: 7 });
      await admin("POST /faults", { chat_id: 111, retry_after: 9 });
      const answer = await call("sendMessage", hello);
      expect(answer).toMatchObject({
        status: 429,
        body: { description: "Too Many Requests: retry after 9", parameters: { retry_after: 9 } },
      });
      expect(answer.headers.get("retry-after")).toBe("9");
    }));

  test("a connection that breaks before or after the call is executed", () =>
    withSandbox(async ({ admin, call }) => {
      await admin("POST /faults", { drop: "before" });
      await expect(call("sendMessage", hello)).rejects.toThrow();
      expect(await admin("GET /bots/1000001/sent")).toMatchObject({ count: 0 });
      await admin("POST /faults", { drop: "after" });
      await expect(call("sendMessage", hello)).rejects.toThrow();
      expect(await admin("GET /bots/1000001/sent")).toMatchObject({ count: 1 });
    }));

  test("a slow response, and one of a proxy", () =>
    withSandbox(async ({ admin, apiRoot, ok, token }) => {
      await admin("POST /faults", { hang_ms: 60 });
      const started = performance.now();
      await ok("sendMessage", hello);
      expect(performance.now() - started).toBeGreaterThan(50);
      await admin("POST /faults", { http_status: 502, http_body: "<h1>Bad Gateway</h1>" });
      const response = await fetch(`${apiRoot}/bot${token}/getMe`);
      expect([response.status, await response.text()]).toEqual([502, "<h1>Bad Gateway</h1>"]);
    }));

  test("a fault without an effect is refused", () =>
    withSandbox(async ({ admin }) => {
      await expect(admin("POST /faults", { method: "sendMessage" })).rejects.toThrow(/no_effect/);
    }));
});

describe("flood control", () => {
  test("one message a second in a chat after a short burst, by the emulator's clock", () =>
    withSandbox(async ({ admin, ok, refused }) => {
      stopClock();
      await admin("POST /flood", {});
      for (const _ of [1, 2, 3]) await ok("sendMessage", hello);
      expect(await refused("sendMessage", hello)).toBe("429 Too Many Requests: retry after 1");
      expect(await ok("getMe")).toMatchObject({ is_bot: true });
      await admin("POST /bots/1000001/time", { advance_seconds: 1 });
      await ok("sendMessage", hello);
      await admin("DELETE /flood");
      for (const _ of [1, 2, 3, 4, 5]) await ok("sendMessage", hello);
    }));

  test("a pause for one chat", () =>
    withSandbox(async ({ admin, ok, refused }) => {
      await admin("POST /flood", { chat_id: 111, retry_after: 30 });
      expect(await refused("sendMessage", hello)).toBe("429 Too Many Requests: retry after 30");
      await admin("POST /bots/1000001/time", { advance_seconds: 30 });
      await ok("sendMessage", hello);
    }));
});
