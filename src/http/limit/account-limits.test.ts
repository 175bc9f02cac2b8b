import fastify from "fastify";
import { expect, test, vi } from "vitest";
import type { App } from "../app.ts";
import { takeAccountTurns } from "./account-limits.ts";

/** Routes whose handlers wait until they are let go; `running` are their accounts. */
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
      application: null,
    };
  });
  takeAccountTurns(app);
  const handler = async ({ identity }: { identity: { accountId: number } | null }) => {
    running.push(identity?.accountId ?? 0);
    await held;
    return "";
  };
  app.get("/v3/contacts", handler);
  app.post("/v3/contacts", handler);
  app.post("/v3/message", handler);
  const ask = (account: number, method: "GET" | "HEAD" | "POST", url = "/v3/contacts") =>
    app.inject({ method, url, headers: { "x-account": String(account) } });
  return { running, letGo, ask };
}

test("of one account's requests that take the database long three are worked on at a time", async () => {
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

test("an account that has too many waiting is told to come back", async () => {
  const { letGo, ask } = stand();
  const asked = Array.from({ length: 1_004 }, () => ask(1, "GET"));
  const first = await Promise.race(asked);
  expect(first.statusCode).toBe(503);
  expect(first.json()).toMatchObject({ message: expect.stringContaining("wait for their turn") });
  letGo();
  expect((await Promise.all(asked)).filter(({ statusCode }) => statusCode === 200)).toHaveLength(1_003);
});
