import { spawn } from "node:child_process";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPartner, type Partner } from "../../src/core/account/partners.ts";
import { verifyPassword } from "../../src/core/account/password.ts";
import { newToken } from "../../src/core/account/tokens.ts";
import { startGrant } from "../../src/core/oauth/grants.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";
import { INHERITED } from "../kit/environment.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");
let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await startTestDatabase();
  db = openDatabase({ connection: database.url, log: quietLog, applicationName: "test" });
});
afterAll(async () => {
  await db.close();
  await database.stop();
});

interface Outcome {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], input = ""): Promise<Outcome> {
  const env = {
    ...INHERITED,
    DATABASE_URL: database.url,
    SECRET_KEY: "vIbVeIKBxxO4H0mXFKdj6kHM/zf64AAbuFUs+pIq0wA=",
  };
  const child = spawn(process.execPath, [MAIN, ...args], { env });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stdin.end(input);
  const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, out, err };
}

async function json<T>(args: readonly string[], input?: string): Promise<T> {
  const { out, err, status } = await run([...args, "--json"], input);
  if (status !== 0) throw new Error(err);
  return JSON.parse(out) as T;
}

const create = (email: string, ...more: string[]): string[] => [
  "partner",
  "create",
  "--email",
  email,
  ...more,
];
async function passwordIs(email: string, password: string): Promise<boolean> {
  return verifyPassword(password, (await findPartner(db, email))?.password ?? "");
}

test("a partner gets a given password, or a generated one that is shown once, and may get another", async () => {
  const [made, given] = await Promise.all([
    json<{ partnerId: number; email: string; clientId: string; password: string }>(
      create("Made@crm.example"),
    ),
    json<object>(
      create("given@crm.example", "--name", "CRM", "--password-stdin"),
      "a password of mine\nnot this\n",
    ),
  ]);
  expect(made).toEqual({
    partnerId: expect.any(Number),
    email: "made@crm.example",
    clientId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    password: expect.stringMatching(/^[\w-]{32}$/),
  });
  expect(String(made.partnerId)).toMatch(/^\d{9}$/);
  expect(given).not.toHaveProperty("password");
  expect(await passwordIs("made@crm.example", made.password)).toBe(true);
  expect(await passwordIs("given@crm.example", "a password of mine")).toBe(true);

  const [list, changed] = await Promise.all([
    json<Partner[]>(["partner", "list"]),
    json<{ password: string }>(["partner", "password", "--email", "made@crm.example"]),
  ]);
  expect(list.map(({ email, name }) => [email, name])).toEqual([
    ["given@crm.example", "CRM"],
    ["made@crm.example", "Made@crm.example"],
  ]);
  expect(JSON.stringify(list)).not.toContain("argon2");
  expect(await passwordIs("made@crm.example", made.password)).toBe(false);
  expect(await passwordIs("made@crm.example", changed.password)).toBe(true);
});

test("invalid values are refused", async () => {
  await json(create("taken@crm.example"));
  const register = (uris: string, partner = "taken@crm.example") => [
    "oauth",
    "client",
    "register",
    "--partner",
    partner,
    "--name",
    "x",
    "--redirect-uris",
    uris,
  ];
  const cases: [string[], string, number, RegExp][] = [
    [create("TAKEN@crm.example"), "", 1, /a partner taken@crm.example already/],
    [register("https://crm.example", "nobody@crm.example"), "", 1, /no partner/],
    [register("http://crm.example/cb"), "", 1, /"http:\/\/crm.example\/cb" must begin with https/],
  ];
  const outcomes = await Promise.all(cases.map(([args, input]) => run(args, input)));
  for (const [index, [, , status, message]] of cases.entries()) {
    expect(outcomes[index]).toMatchObject({ status, out: "" });
    expect(outcomes[index]?.err).toMatch(message);
  }
});

test.each([
  [" ", "spaces"],
  [",", "commas"],
  [", ", "both"],
])("applications are registered with their redirect URIs, separated by %j", async (between, by) => {
  const email = `${by}@crm.example`;
  const { clientId: own } = await json<{ clientId: string }>(create(email));
  // A comma within a URI is part of it.
  const redirectUris = ["https://crm.example/cb?a=1,2", "http://localhost:3000/cb"];
  const made = await json<{ clientId: string }>([
    ...["oauth", "client", "register", "--partner", email, "--name", "CRM"],
    ...["--redirect-uris", redirectUris.join(between)],
  ]);
  expect(made).toEqual({
    clientId: expect.any(String),
    name: "CRM",
    partner: email,
    redirectUris,
  });
  const list = await json<{ clientId: string; partner: string }[]>(["oauth", "client", "list"]);
  expect(list.filter(({ partner }) => partner === email)).toEqual([
    { clientId: own, name: email, partner: email, redirectUris: [] },
    made,
  ]);
});

test("tokens are listed with their last use, and one of an application ends with its whole grant", async () => {
  const [{ partnerId }, { accountId }] = await Promise.all([
    json<{ partnerId: number }>(create("tokens@crm.example")),
    json<{ accountId: number; apiKey: string }>(["account", "create", "--name", "Listed"]),
  ]);
  const pair = await db.tx((tx) =>
    startGrant(tx, { partnerId, accountId, clientId: null, scope: ["crm"] }, (purpose) =>
      newToken(purpose, null),
    ),
  );
  await db.query(
    "update tokens set last_used_at = '2030-01-02T03:04:05Z' where account_id = $1 and kind = 'api'",
    [accountId],
  );
  const args = ["token", "list", "--account", String(accountId)];
  const tokens = await json<{ id: string; kind: string; hint: string; application: string | null }[]>(args);
  expect(tokens).toEqual([
    expect.objectContaining({ kind: "access", lastUsedAt: null, expiresAt: null, application: null }),
    expect.objectContaining({ kind: "api", lastUsedAt: "2030-01-02T03:04:05.000Z" }),
    expect.objectContaining({
      kind: "access",
      hint: pair.accessToken.slice(-4),
      expiresAt: expect.any(String),
      application: "tokens@crm.example",
    }),
  ]);
  const { out } = await run(args);
  expect(out).toMatch(/api +\S{4} +\S+ +2030-01-02T03:04:05.000Z +valid/);
  expect(out).toMatch(/valid until \S+ +tokens@crm.example/);

  expect(await json(["token", "revoke", tokens[2]?.id ?? ""])).toEqual({ revoked: true });
  expect((await run(["token", "revoke", pair.refreshToken])).status).toBe(1);
  const [grant] = await db.query(
    "select revoked_at is not null as revoked from oauth_grants where account_id = $1",
    [accountId],
  );
  expect(grant).toEqual({ revoked: true });
  expect((await run(args)).out).toMatch(/access .* revoked 20.* tokens@crm.example/);
});

test("what operators change is recorded: who, from which machine, and nothing secret", async () => {
  const { accountId, apiKey } = await json<{ accountId: number; apiKey: string }>([
    "account",
    "create",
    "--name",
    "Audited",
  ]);
  const { id, token } = await json<{ id: string; token: string }>([
    "token",
    "create",
    "--account",
    String(accountId),
    "--kind",
    "sidecar",
  ]);
  await json(["token", "revoke", token]);
  await json(create("audited@crm.example"));
  const list = (...args: string[]) => json<Record<string, unknown>[]>(["audit", "list", ...args]);
  const found = await list("--account", String(accountId));
  expect(found.map(({ action }) => action)).toEqual([
    "token.revoke",
    "token.create",
    "token.create",
    "token.create",
    "account.create",
  ]);
  const by = { actor: "operator", actorId: userInfo().username, from: hostname(), accountId };
  for (const entry of found) expect(entry).toMatchObject(by);
  expect(found[0]).toMatchObject({ subject: id });
  expect(JSON.stringify(found)).not.toContain(token);
  expect(JSON.stringify(found)).not.toContain(apiKey);
  expect(await list("--action", "partner.create", "--limit", "1")).toMatchObject([
    { action: "partner.create", accountId: null, actor: "operator" },
  ]);
  const odd = await run(["audit", "list", "--action", "nonsense"]);
  expect([odd.status, odd.err]).toEqual([2, expect.stringContaining("There is no action")]);
});
