import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stopClock } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { hello, paths, withWapi } from "./test-kit.ts";

describe("faults", () => {
  test("an error for the next matching calls, with Meta's text, then success", () =>
    withWapi(async ({ admin, ok, refused }) => {
      await admin("POST /faults", { edge: "messages", times: 2, error_code: 131056 });
      await ok(`GET ${paths.number}`);
      const refusal = /^400 \(#131056\) \(Business Account, Consumer Account\) pair rate limit hit \| /;
      expect(await refused(`POST ${paths.messages}`, hello)).toMatch(refusal);
      expect(await refused(`POST ${paths.messages}`, hello)).toMatch(refusal);
      await ok(`POST ${paths.messages}`, hello);
      expect(await admin("GET /faults")).toMatchObject({ items: [{ left: 0, hits: 2 }] });
    }));

  const codes: readonly (readonly [code: number, status: number, transient: boolean])[] = [
    [1, 400, true],
    [2, 503, true],
    [4, 400, true],
    [10, 403, false],
    [190, 401, false],
    [368, 403, false],
    [80007, 400, false],
    [130429, 400, false],
    [131000, 500, false],
    [131016, 500, false],
    [131031, 403, false],
    [131042, 400, false],
    [131057, 500, false],
    [132001, 404, false],
    [999999, 400, false],
  ];
  test.each(codes)("code %i has status %i", (error_code, status, transient) =>
    withWapi(async ({ admin, graph }) => {
      await admin("POST /faults", { error_code });
      const answer = await graph(`POST ${paths.messages}`, hello);
      expect(answer).toMatchObject({
        status,
        body: {
          error: {
            code: error_code,
            message: expect.stringContaining(`(#${error_code})`),
            type: "OAuthException",
          },
        },
      });
      expect(answer.body["error"]?.["is_transient"]).toBe(transient ? true : undefined);
    }),
  );

  test("for one recipient, with a custom text", () =>
    withWapi(async ({ admin, ok, graph }) => {
      await admin("POST /faults", { to: "48", error_code: 100 });
      await ok(`POST ${paths.messages}`, hello);
      const fault = { to: demo.user, error_code: 190, error_subcode: 463, message: "Gone", http_status: 400 };
      await admin("POST /faults", fault);
      expect(await graph(`POST ${paths.messages}`, hello)).toMatchObject({
        status: 400,
        body: { error: { message: "Gone", code: 190, error_subcode: 463 } },
      });
    }));

  test("a connection that breaks before or after the call is executed", () =>
    withWapi(async ({ admin, graph }) => {
      const sent = `GET /numbers/${demo.numberId}/sent`;
      await admin("POST /faults", { drop: "before" });
      await expect(graph(`POST ${paths.messages}`, hello)).rejects.toThrow();
      expect(await admin(sent)).toMatchObject({ count: 0 });
      await admin("POST /faults", { drop: "after" });
      await expect(graph(`POST ${paths.messages}`, hello)).rejects.toThrow();
      expect(await admin(sent)).toMatchObject({ count: 1 });
    }));

  test("a slow response, and one of a proxy", () =>
    withWapi(async ({ admin, base, ok }) => {
      await admin("POST /faults", { hang_ms: 60 });
      const started = performance.now();
      await ok(`POST ${paths.messages}`, hello);
      expect(performance.now() - started).toBeGreaterThan(50);
      await admin("POST /faults", { http_status: 502, http_body: "<h1>Bad Gateway</h1>" });
      const response = await fetch(base + paths.number);
      expect([response.status, await response.text()]).toEqual([502, "<h1>Bad Gateway</h1>"]);
    }));

  test("a fault without an effect is refused", () =>
    withWapi(async ({ admin }) => {
      await expect(admin("POST /faults", { edge: "messages" })).rejects.toThrow(/no_effect/);
    }));
});

describe("rates", () => {
  test("per person, per number, and for management calls", () =>
    withWapi(async ({ admin, graph, ok, refused }) => {
      stopClock();
      const send = `POST ${paths.messages}`;
      await admin("POST /flood", { pair_burst: 2 });
      await ok(send, hello);
      await ok(send, hello);
      expect(await refused(send, hello)).toMatch(/^400 \(#131056\)/);
      await ok(send, { ...hello, to: "48111222333" });
      await admin("POST /time", { advance_seconds: 6 });
      await ok(send, hello);
      await admin("POST /flood", { number_per_second: 2 });
      await ok(send, hello);
      await ok(send, hello);
      expect(await refused(send, hello)).toMatch(/^400 \(#130429\) Rate limit hit/);
      await admin("POST /flood", { calls_per_hour: 1 });
      await ok(`GET ${paths.templates}`);
      expect(await refused(`GET ${paths.templates}`)).toMatch(/^400 \(#80007\) Rate limit issues/);
      const { headers } = await graph(`GET ${paths.templates}`);
      expect(JSON.parse(headers.get("x-business-use-case-usage") ?? "")).toMatchObject({
        [demo.wabaId]: [{ type: "whatsapp", call_count: 100, estimated_time_to_regain_access: 1 }],
      });
      await admin("DELETE /flood");
      for (const _ of [1, 2, 3]) await ok(send, hello);
    }));
});

describe("a restart with a data directory", () => {
  test("accounts, people, templates, tokens, windows and files are kept", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "wapi-test-"));
    const kept: { media?: unknown } = {};
    try {
      await withWapi(
        async ({ admin, ann, ok }) => {
          const { message } = await ann("messages", { kind: "document", file: { size: 2000 } });
          kept.media = message?.["document"]?.["id"];
          await ok(`POST ${paths.subscribedApps}`, {});
          await admin("POST /users", { id: "48111222333", name: "Bob" });
          await admin(`POST /numbers/${demo.numberId}/qualities`, { quality_rating: "RED", tier: "TIER_2K" });
          await ok(`DELETE ${paths.templates}?name=order_confirmation`);
          await admin("POST /settings", { template_review: "approve" });
          await ok(`POST ${paths.templates}`, {
            name: "news",
            language: "en_US",
            category: "UTILITY",
            components: [{ type: "BODY", text: "Hello" }],
          });
        },
        { dataDir },
      );
      await withWapi(
        async ({ admin, ok, refused }) => {
          expect(await ok(`GET /v23.0/${kept.media}`)).toMatchObject({ file_size: "2000" });
          expect(await ok(`GET ${paths.subscribedApps}`)).toMatchObject({ data: [{}] });
          expect(await ok(`GET ${paths.templates}`)).toMatchObject({
            data: [{ name: "news", status: "APPROVED" }],
          });
          expect(await ok(`GET ${paths.number}?fields=quality_rating,messaging_limit_tier`)).toMatchObject({
            quality_rating: "RED",
            messaging_limit_tier: "TIER_2K",
          });
          const again = { language: "en_US", category: "UTILITY", components: [{ type: "BODY", text: "x" }] };
          const reused = refused(`POST ${paths.templates}`, { name: "order_confirmation", ...again });
          expect(await reused).toMatch(/being deleted/);
          expect(await admin("GET /users")).toMatchObject({ items: [{ name: "Ann" }, { name: "Bob" }] });
          await admin("POST /settings", { window_errors: "at_once" });
          await ok(`POST ${paths.messages}`, hello);
        },
        { dataDir, seedDemo: false },
      );
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });

  test("a reset deletes everything", () =>
    withWapi(async ({ admin, refused }) => {
      await admin("DELETE /");
      expect(await admin("GET /numbers")).toEqual({ items: [] });
      expect(await refused(`GET ${paths.number}`)).toMatch(/^401/);
    }));
});
