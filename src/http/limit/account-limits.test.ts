import fastify from "fastify";
import { expect, test, vi } from "vitest";
import { type App, scopeOf } from "../app.ts";
import { limitAccountConcurrency } from "./account-limits.ts";

/** Routes whose handlers wait for `letGo`; `running` contains the accounts of the started ones. */
function stand() {
  const running: number[] = [];
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const app = fastify() as unknown as App;
  app.decorateRequest("identity", null);
  app.addHook("onRequest", async (request) => {
    request.identity = {
      accountId: Number(request.headers["x-account"]),
      tokenId: "",
      kind: "api",
      scope: null,
      grantId: null,
      application: null,
    };
  });
  limitAccountConcurrency(app, scopeOf);
  const handler = async ({ identity }: { identity: { accountId: number } | null }) => {
    running.push(identity?.accountId ?? 0);
    await held;
    return "";
  };
  app.get("/v3/contacts", handler);
  app.get("/v2/groups/1", { config: { asksMessenger: true } }, handler);
  app.post("/v3/contacts", handler);
  app.post("/v3/message", handler);
  const ask = (account: number, method: "GET" | "HEAD" | "POST", url = "/v3/contacts") =>
    app.inject({ method, url, headers: { "x-account": String(account) } });
  return { running, letGo, ask };
}

test("runs at most three slow requests of an account concurrently", async () => {
  const { running, letGo, ask } = stand();
  const asked = (["GET", "HEAD", "POST", "GET", "HEAD", "POST", "GET"] as const).map((method) =>
    ask(1, method),
  );
  const others = [ask(2, "GET"), ask(1, "POST", "/v3/message"), ask(1, "POST", "/v3/message")];
  await vi.waitUntil(() => running.length >= 6);
  expect(running.toSorted()).toEqual([1, 1, 1, 1, 1, 2]);
  letGo();
  const answers = await Promise.all([...asked, ...others]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200));
});

test("requests that wait for a messenger take no turns of others", async () => {
  const { running, letGo, ask } = stand();
  const asked = Array.from({ length: 4 }, () => ask(1, "GET", "/v2/groups/1"));
  await vi.waitUntil(() => running.length === 4);
  asked.push(ask(1, "GET"));
  await vi.waitUntil(() => running.length === 5);
  letGo();
  await Promise.all(asked);
});

test("an account with too many waiting requests gets 503 with Retry-After", async () => {
  const { letGo, ask } = stand();
  const asked = Array.from({ length: 1_004 }, () => ask(1, "GET"));
  const first = await Promise.race(asked);
  expect(first.statusCode).toBe(503);
  expect(first.json()).toMatchObject({ message: expect.stringContaining("are waiting") });
  letGo();
  expect((await Promise.all(asked)).filter(({ statusCode }) => statusCode === 200)).toHaveLength(1_003);
});
