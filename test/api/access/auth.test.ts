import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, outcome } from "../kit/call.ts";
import { addPartner } from "../kit/partner.ts";
import {
  addAccount,
  addToken,
  startNode,
  type TestAccount,
  type TestNode,
  tokenHash,
} from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const ROUTES = [
  ["POST", "/v2/channels"],
  ["GET", "/v2/channels"],
  ["GET", "/v2/channels/x"],
  ["DELETE", "/v2/channels/x"],
  ["POST", "/v2/channels/x/reinit"],
  ["POST", "/v2/channels/x/auth/2fa"],
  ["POST", "/v2/channels/x/pairing-code"],
  ["POST", "/v2/messages"],
  ["PATCH", "/v2/messages/x"],
  ["DELETE", "/v2/messages/x"],
  ["GET", "/v3/webhooks"],
  ["PATCH", "/v3/webhooks"],
] as const;

describe.each(ROUTES)("%s %s", (method, path) => {
  const right = path.startsWith("/v2") ? (["access"] as const) : (["api", "sidecar"] as const);
  const wrong = path.startsWith("/v2") ? (["api", "sidecar"] as const) : (["access"] as const);

  test.each(right)("opens to %s", async (kind) => {
    expect((await call(node, method, path, { token: account[kind] })).status).not.toBe(401);
  });

  test.each(wrong)("is closed to %s", async (kind) => {
    expect(outcome(await call(node, method, path, { token: account[kind] }))).toBe("401 INVALID_APIKEY");
  });

  test("is closed without a token, whatever the body", async () => {
    const answer = await call(node, method, path, { raw: "{nonsense" });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
    expect(answer.headers["x-ratelimit-limit"]).toBeUndefined();
    expect(answer.json).toMatchObject({
      error: "INVALID_APIKEY",
      description: "Invalid authorization header",
      data: { reason: "The Authorization header is missing" },
    });
  });
});

describe("every route of the interface", () => {
  type Operation = { security: Record<string, []>[] };
  const SIDECAR = /^\w+ \/v3\/(channels|message|templates)(\/|$)|^GET \/v3\/webhooks(\/(?!secret)|$)/;
  let routes: { method: "GET"; path: string; security: string }[];

  beforeAll(async () => {
    const { paths } = (await call(node, "GET", "/openapi.json")).json as {
      paths: Record<string, Record<string, Operation>>;
    };
    routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => ({
        method: method.toUpperCase() as "GET",
        path,
        security: Object.keys(security[0] ?? {}).join(),
      })),
    );
  });

  /** How each route answers to these headers, where it does not answer 401. */
  async function letIn(headers: Record<string, string>): Promise<string[]> {
    const answers = await Promise.all(
      routes.map(async ({ method, path, security }) => {
        const { status } = await call(node, method, path.replaceAll(/\{\w+\}/g, "x"), { headers });
        return status === 401 ? [] : [`${security} ${status === 403 ? "403 " : ""}${method} ${path}`];
      }),
    );
    return answers.flat().filter((route) => !/^ GET \/(healthz|readyz|v2\/oauth\/authorize)$/.test(route));
  }
  const bearer = (token: string) => letIn({ authorization: `Bearer ${token}` });
  const interfacesOf = (entries: readonly string[]) => new Set(entries.map((route) => route.split(" ")[0]));

  test("refuses unknown callers", async () => {
    expect(routes.length).toBeGreaterThan(70);
    expect(await letIn({})).toEqual([]);
    expect(
      await letIn({ authorization: `Basic ${Buffer.from("a@b.example:x").toString("base64")}` }),
    ).toEqual([]);
    expect(await bearer("x".repeat(49))).toEqual([]);
  });

  test("accepts the right kind of token and no other", async () => {
    expect(interfacesOf(await bearer(account.access))).toEqual(new Set(["accessToken"]));
    expect(interfacesOf(await bearer(account.api))).toEqual(new Set(["apiKey"]));
    const { headers } = await addPartner(node);
    expect(interfacesOf(await letIn(headers))).toEqual(new Set(["partner"]));
  });

  test("a sidecar key opens four families of /v3, and is forbidden the others", async () => {
    const answers = await bearer(account.sidecar);
    const isForbidden = (route: string): boolean => route.startsWith("apiKey 403 ");
    expect(interfacesOf(answers)).toEqual(new Set(["apiKey"]));
    const routeOf = (route: string): string => route.split(" ").slice(-2).join(" ");
    const families = answers
      .filter((route) => !isForbidden(route))
      .map((route) => routeOf(route).split("/")[2]);
    expect([...new Set(families)].toSorted()).toEqual(["channels", "message", "templates", "webhooks"]);
    for (const route of answers) expect(isForbidden(route)).toBe(!SIDECAR.test(routeOf(route)));
  });
});

test.each([
  ["bearer", 200],
  ["BEARER", 200],
  ["Basic", 401],
  ["", 401],
])("scheme %j: %i", async (scheme, status) => {
  const headers = { authorization: `${scheme} ${account.access}`.trim() };
  expect((await call(node, "GET", "/v2/channels", { headers })).status).toBe(status);
});

test.each(["", "x", "Bearer", "Bearer  ", `Bearer ${"x".repeat(5_000)}`, "Bearer a b"])(
  "authorization %.20j is refused",
  async (authorization) => {
    expect((await call(node, "GET", "/v2/channels", { headers: { authorization } })).status).toBe(401);
  },
);

test("a revoked token is refused, at once if the notification arrives", async () => {
  const token = await addToken(node.db, account.id, "access");
  expect((await call(node, "GET", "/v2/channels", { token })).status).toBe(200);
  const noticed = Promise.withResolvers<void>();
  const unlisten = await node.db.listen("tokens", () => noticed.resolve());
  await node.db.query("update tokens set revoked_at = now() where hash = $1", [tokenHash(token)]);
  node.db.notify("tokens", tokenHash(token).toString("hex"));
  await noticed.promise;
  await unlisten();
  expect((await call(node, "GET", "/v2/channels", { token })).status).toBe(401);
});

test("its last use is recorded, at once and then once a minute", async () => {
  const [token, another] = [
    await addToken(node.db, account.id, "access"),
    await addToken(node.db, account.id, "access"),
  ];
  const lastUse = async (of: string) => {
    const [row] = await node.db.query<{ last_used_at: Date | null }>(
      "select last_used_at from tokens where hash = $1",
      [tokenHash(of)],
    );
    return row?.last_used_at ?? null;
  };
  await call(node, "GET", "/v2/channels", { token });
  await expect.poll(() => lastUse(token)).toBeInstanceOf(Date);
  const first = await lastUse(token);
  // Uses are recorded seconds later, together: with that of another token, this one would be recorded, too.
  await call(node, "GET", "/v2/channels", { token });
  await call(node, "GET", "/v2/channels", { token: another });
  await expect.poll(() => lastUse(another)).toBeInstanceOf(Date);
  expect(await lastUse(token)).toEqual(first);
});
