import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actAs } from "../../../src/core/audit/actor.ts";
import type { ProviderSettings, RoleRule } from "../../../src/core/base.ts";
import { firstLink, inviteOperator, resetOperator } from "../../../src/core/operator/links.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import {
  type People,
  signInAtProvider,
  startOpenIdProvider,
  type TestProvider,
} from "../../kit/openid-provider.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { CONSOLE, newOperator, PASSWORD, type Person, personOf, redeem } from "../kit/console.ts";
import { withinPeriod } from "../kit/login-period.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const PUBLIC_URL = "http://127.0.0.1";
const PEOPLE: People = {
  ann: { preferred_username: "Ann", roles: ["gateway-team"], email: "ann@corp.example" },
  ben: { preferred_username: "ben", roles: "support" },
  cat: { preferred_username: "cat", roles: ["shop-leads"] },
  dan: { preferred_username: "dan", roles: ["nothing of ours"] },
  eve: { preferred_username: "root", roles: ["support"] },
  fay: { preferred_username: "fay", roles: ["elsewhere"] },
};

const ROLES: RoleRule[] = [
  { role: "operator", accountId: null, value: "gateway-team" },
  { role: "viewer", accountId: null, value: "support" },
  { role: "admin", accountId: 99_999_999, value: "elsewhere" },
];

let database: TestDatabase;
let provider: TestProvider;
let account: TestAccount;
/** Two nodes of one installation. */
let node: TestNode;
let second: TestNode;
let root: Person;

beforeAll(async () => {
  [database, provider] = await Promise.all([
    startTestDatabase(),
    startOpenIdProvider({ publicUrl: PUBLIC_URL, people: PEOPLE }),
  ]);
  const options = { database, console: { provider: settingsOf(provider) } };
  node = await startNode(options);
  second = await startNode(options);
  account = await addAccount(node.db);
  root = await newOperator(node, { role: "operator", accountId: null }, "root");
  // The accounts of tests have their numbers at run time only.
  ROLES.push({ role: "admin", accountId: account.id, value: "shop-leads" });
});
afterAll(async () => {
  await node.stop();
  await second.stop();
  await database.stop();
  await provider.stop();
});

function settingsOf({ issuer, clientId, clientSecret }: TestProvider): ProviderSettings {
  return {
    issuer,
    clientId,
    clientSecret,
    scopes: "openid profile email",
    name: "Corp",
    roleClaim: "roles",
    roles: ROLES,
    sessionMs: 3_600_000,
  };
}

interface Departure {
  readonly url: string;
  /** Of the browser at the service. */
  readonly cookie: string;
}

async function depart(at: TestNode, cookie = ""): Promise<Departure> {
  const answer = await call(at, "POST", `${CONSOLE}/provider/departures`, {
    body: {},
    headers: { cookie, "x-forwarded-for": "203.0.113.7" },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const set = String(answer.headers["set-cookie"]);
  expect(set).toMatch(/^trunkline-sign-in-80=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=3600$/);
  return { url: (answer.json as { url: string }).url, cookie: set.split(";")[0] ?? "" };
}

let callers = 0;

function comeBack(at: TestNode, { search }: { readonly search: string }, cookie: string): Promise<Answer> {
  return call(at, "POST", `${CONSOLE}/provider/returns`, {
    body: { query: search },
    // From an address of its own, so that no test uses up the attempts of another.
    headers: { cookie, "x-forwarded-for": `198.51.100.${++callers}` },
  });
}

/** All of it, as a browser does it. */
async function signIn(name: string, from = node, to = node): Promise<Answer> {
  const { url, cookie } = await depart(from);
  return comeBack(to, await signInAtProvider(url, name), cookie);
}

function refusal({ json }: Answer): string {
  return (json as { description: string }).description;
}

test("a person signs in at the provider, begins at one node and ends at the other, and signs out of both", async () => {
  expect((await call(node, "GET", `${CONSOLE}/sign-in`)).json).toEqual({ passwords: true, provider: "Corp" });
  const { url, cookie } = await depart(node);
  const asked = new URL(url);
  expect(asked.origin).toBe(provider.issuer);
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    response_type: "code",
    client_id: "gateway",
    redirect_uri: `${PUBLIC_URL}/app/console`,
    scope: "openid profile email",
    code_challenge_method: "S256",
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  });
  const back = await signInAtProvider(url, "ann");
  expect(back.origin + back.pathname).toBe(`${PUBLIC_URL}/app/console`);
  const answer = await comeBack(second, back, cookie);
  expect(outcome(answer)).toBe("200");
  expect(answer.headers["set-cookie"]).toMatch(
    /^trunkline-console-80=tl_cs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=3600$/,
  );
  const ann = await personOf(node, answer);
  expect(ann.me).toMatchObject({ login: "ann", role: "operator", accountId: null, isFromProvider: true });
  const [session] = (await ann.ask("GET", "/sessions")).json as { createdAt: string; expiresAt: string }[];
  expect(Date.parse(session?.expiresAt ?? "") - Date.parse(session?.createdAt ?? "")).toBe(3_600_000);

  const own = [
    await ann.ask("POST", "/password", { current: PASSWORD, next: "another good password" }),
    await ann.ask("POST", "/second-factor", {}),
    await root.ask("POST", `/operators/${ann.me["id"]}/links`, {}),
  ];
  expect(own.map(outcome)).toEqual(["403 FORBIDDEN", "403 FORBIDDEN", "403 FORBIDDEN"]);

  const out = await ann.ask("DELETE", "/session");
  expect(outcome(await ann.ask("GET", "/session"))).toBe("401 INVALID_APIKEY");
  const leave = new URL((out.json as { url: string }).url);
  expect(leave.origin).toBe(provider.issuer);
  expect(leave.searchParams.get("post_logout_redirect_uri")).toBe(`${PUBLIC_URL}/app/console`);
  expect(leave.searchParams.get("id_token_hint")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  const page = await fetch(leave);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("/session/end/confirm")]);
});

test("the session of a password has nothing to end at the provider", async () => {
  const person = await newOperator(node, { role: "viewer", accountId: null });
  expect((await person.ask("DELETE", "/session")).json).toEqual({ url: null });
});

test("the claims decide at each sign-in: role, account, name; without a role the sessions end", async () => {
  const first = await personOf(node, await signIn("ben"));
  expect(first.me).toMatchObject({ login: "ben", role: "viewer", accountId: null });
  provider.people.set("ben", { preferred_username: "Benjamin", roles: ["shop-leads", "x"] });
  const again = await personOf(node, await signIn("ben"));
  expect(again.me).toMatchObject({
    id: first.me["id"],
    login: "benjamin",
    role: "admin",
    accountId: account.id,
  });
  provider.people.set("ben", { preferred_username: "Benjamin" });
  const refused = await signIn("ben");
  expect(outcome(refused)).toBe("403 FORBIDDEN");
  expect(refused.headers["set-cookie"]).toBeUndefined();
  expect(refusal(refused)).toBe(
    'Corp knows you, but nothing in the claim "roles" gives you a role in this console. Ask those who manage Corp or OIDC_ROLES.',
  );
  for (const person of [first, again])
    expect(outcome(await person.ask("GET", "/session"))).toBe("401 INVALID_APIKEY");

  const { json } = await root.ask("GET", "/audit?limit=50");
  const entries = (json as { data: Record<string, unknown>[] }).data.filter(
    ({ actorId }) => actorId === "ben" || actorId === "benjamin",
  );
  expect(
    entries.map(({ action, actorId, accountId, details }) => [action, actorId, accountId, details]),
  ).toEqual([
    ["operator.refuse", "benjamin", null, { login: "benjamin", provider: provider.issuer, subject: "ben" }],
    ["operator.sign_in", "benjamin", account.id, { provider: "Corp" }],
    [
      "operator.change",
      "benjamin",
      account.id,
      {
        login: "benjamin",
        role: "admin",
        account: account.id,
        former: { login: "ben", role: "viewer" },
      },
    ],
    ["operator.sign_in", "ben", null, { provider: "Corp" }],
    ["operator.create", "ben", null, { login: "ben", role: "viewer" }],
  ]);
});

test("nobody without a role is stored, nor one whose account does not exist", async () => {
  expect(outcome(await signIn("dan"))).toBe("403 FORBIDDEN");
  const fay = await signIn("fay");
  expect([outcome(fay), refusal(fay)]).toEqual([
    "403 FORBIDDEN",
    "OIDC_ROLES gives you account 99999999, which does not exist.",
  ]);
  expect(await node.db.query("select 1 from operators where login in ('dan', 'fay')")).toEqual([]);
});

test("a name that somebody has already stays theirs, also with concurrent sign-ins", async () => {
  const people = await Promise.all(
    [node, second, node].map(async (at) => personOf(at, await signIn("eve", at))),
  );
  const names = people.map(({ me }) => me["login"]);
  expect(new Set(names).size).toBe(1);
  expect(names[0]).toMatch(/^root\+[\da-f]{12}$/);
  expect(people[0]?.me["role"]).toBe("viewer");
  expect(
    await node.db.query(
      "select count(*) as count from operators where provider_id is not null and login like 'root+%'",
    ),
  ).toEqual([{ count: 1 }]);
  expect(
    (await call(node, "POST", `${CONSOLE}/sign-in`, { body: { login: names[0], password: PASSWORD } }))
      .status,
  ).toBe(401);
});

test("a state is of one browser, taken once over all nodes, and ends", async () => {
  const { url, cookie } = await depart(node);
  const back = await signInAtProvider(url, "ann");
  const other = await depart(node);
  expect(outcome(await comeBack(node, back, other.cookie))).toBe("400 INVALID_GRANT");
  expect(outcome(await comeBack(node, back, ""))).toBe("400 INVALID_GRANT");
  const forged = new URL(back);
  forged.searchParams.set("state", (back.searchParams.get("state") ?? "").replace(/^\d/, "9"));
  expect(outcome(await comeBack(node, forged, cookie))).toBe("400 INVALID_GRANT");
  expect(outcome(await comeBack(node, { search: "?code=x" }, cookie))).toBe("400 INVALID_GRANT");
  // The secret of the browser is kept, so a second sign-in does not spoil the first.
  await depart(second, cookie);
  const both = await Promise.all([comeBack(node, back, cookie), comeBack(second, back, cookie)]);
  expect(both.map(outcome).toSorted()).toEqual(["200", "400 INVALID_GRANT"]);
  expect(refusal(both.find(({ status }) => status === 400) as Answer)).toMatch(
    /^This sign-in has expired, was used/,
  );

  // As `departForProvider` makes it, half an hour ago.
  const begin = `${Math.floor(Date.now() / 1_000) - 1}.${"x".repeat(22)}`;
  const browser = cookie.split("=")[1] ?? "";
  const proof = node.core.seal.derive("console sign-in state", begin, browser).toString("base64url");
  expect(outcome(await comeBack(node, { search: `?code=x&state=${begin}.${proof}` }, cookie))).toBe(
    "400 INVALID_GRANT",
  );
});

test("a code of another sign-in is refused by nonce and verifier, and ten failures stop an address", () =>
  withinPeriod(async () => {
    const [mine, theirs] = [await depart(node), await depart(node)];
    const stolen = await signInAtProvider(theirs.url, "ann");
    const answers: string[] = [];
    for (let index = 0; index < 11; index++) {
      const { url, cookie } = index === 0 ? mine : await depart(node);
      const query = new URLSearchParams(stolen.search);
      query.set("state", new URL(url).searchParams.get("state") ?? "");
      const answer = await call(node, "POST", `${CONSOLE}/provider/returns`, {
        body: { query: String(query) },
        headers: { cookie, "x-forwarded-for": "192.0.2.77" },
      });
      answers.push(outcome(answer));
    }
    expect(answers).toEqual([...Array(10).fill("403 FORBIDDEN"), "429 TOO_MANY_LOGINS"]);
  }));

test("what the provider refuses is said, and only the service's own page is ever returned to", async () => {
  const refused = await signIn("nobody");
  expect([outcome(refused), refusal(refused)]).toEqual([
    "403 FORBIDDEN",
    "Corp did not sign you in: access_denied: Nobody has this name",
  ]);
  const answer = await call(node, "POST", `${CONSOLE}/provider/departures?to=https://evil.example`, {
    body: { url: "https://evil.example", redirect_uri: "https://evil.example" },
    headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
  });
  expect(answer.text).not.toContain("evil");
});

test("a provider that is away: a sentence, passwords go on, and it is used as soon as it is back", async () => {
  const started = await depart(node);
  const back = await signInAtProvider(started.url, "ann");
  const fresh = await startNode({ database, console: { provider: settingsOf(provider) } });
  await provider.setAway(true);
  try {
    const sentence = "Corp cannot be reached; the log of the service says why. Passwords work meanwhile.";
    const start = await call(fresh, "POST", `${CONSOLE}/provider/departures`, { body: {} });
    expect([outcome(start), refusal(start)]).toEqual(["503 UNAVAILABLE", sentence]);
    const end = await comeBack(node, back, started.cookie);
    expect([outcome(end), refusal(end)]).toEqual(["503 UNAVAILABLE", sentence]);
    const byPassword = { body: { login: "root", password: PASSWORD } };
    expect(outcome(await call(fresh, "POST", `${CONSOLE}/sign-in`, byPassword))).toBe("200");
  } finally {
    await provider.setAway(false);
  }
  expect(outcome(await signIn("ann", fresh, fresh))).toBe("200");
  await fresh.stop();
});

test("the provider's keys may change at any time", async () => {
  expect(outcome(await signIn("ann"))).toBe("200");
  await provider.rotateKeys();
  expect(outcome(await signIn("ann"))).toBe("200");
  await provider.rotateKeys();
  expect(outcome(await signIn("ann"))).toBe("200");
});

test.each([
  [30, "200"],
  [600, "403 FORBIDDEN"],
])("an ID token that ended %i s ago by our clock: %s", async (seconds, expected) => {
  const late = await startOpenIdProvider({
    publicUrl: PUBLIC_URL,
    people: PEOPLE,
    expiredSeconds: seconds,
    claimsInIdToken: true,
  });
  const at = await startNode({ database, console: { provider: settingsOf(late) } });
  try {
    expect(outcome(await signIn("ann", at, at))).toBe(expected);
  } finally {
    await at.stop();
    await late.stop();
  }
});

test("a provider in a private network is reached only if ALLOW_NETWORKS names it", async () => {
  const lines: unknown[] = [];
  const log = { ...quietLog, warn: (fields: unknown) => lines.push(fields) };
  const at = await startNode({
    database,
    allowNetworks: [],
    log: log as never,
    console: { provider: settingsOf(provider) },
  });
  const answer = await call(at, "POST", `${CONSOLE}/provider/departures`, { body: {} });
  await at.stop();
  expect(outcome(answer)).toBe("503 UNAVAILABLE");
  expect(answer.text).not.toContain("ALLOW_NETWORKS");
  expect(lines).toMatchObject([
    { err: expect.objectContaining({ message: expect.stringContaining("ALLOW_NETWORKS") }) },
  ]);
});

test("metadata that name another issuer are not used: anybody's tenant may be behind a shared one", async () => {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ issuer: "https://other.example", authorization_endpoint: "https://other.example/a" }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = await startNode({ database, console: { provider: { ...settingsOf(provider), issuer } } });
  expect(outcome(await call(at, "POST", `${CONSOLE}/provider/departures`, { body: {} }))).toBe(
    "503 UNAVAILABLE",
  );
  await at.stop();
  server.close();
});

test("an e-mail address decides only if the provider has verified it", async () => {
  const roles: readonly RoleRule[] = [{ role: "viewer", accountId: null, value: "Ann@corp.example" }];
  const settings = { ...settingsOf(provider), roleClaim: "email", roles };
  const at = await startNode({ database, console: { provider: settings } });
  expect(outcome(await signIn("ann", at, at))).toBe("403 FORBIDDEN");
  provider.people.set("ann", { ...PEOPLE["ann"], email_verified: true });
  expect(outcome(await signIn("ann", at, at))).toBe("200");
  await at.stop();
});

test("without passwords: no sign-in by one, no links but those of the command line", async () => {
  const by = { kind: "console", id: "root", from: "" } as const;
  const core = node.core;
  const [invitation, reset] = await actAs(by, () =>
    Promise.all([inviteOperator(core, { role: "operator", accountId: null }), resetOperator(core, "root")]),
  );
  const at = await startNode({
    database,
    console: { provider: settingsOf(provider), passwords: false },
  });
  try {
    expect((await call(at, "GET", `${CONSOLE}/sign-in`)).json).toEqual({
      passwords: false,
      provider: "Corp",
    });
    const byPassword = await call(at, "POST", `${CONSOLE}/sign-in`, {
      body: { login: "root", password: PASSWORD },
    });
    expect([outcome(byPassword), refusal(byPassword)]).toEqual([
      "403 FORBIDDEN",
      "Passwords are switched off: people sign in at Corp",
    ]);
    expect((await redeem(at, invitation, { login: "late" })).status).toBe(404);
    expect((await redeem(at, reset, {})).status).toBe(404);
    const ann = await personOf(at, await signIn("ann", at, at));
    for (const path of ["/operators", `/operators/${root.me["id"]}/links`])
      expect(outcome(await ann.ask("POST", path, { role: "viewer" }))).toBe("403 FORBIDDEN");

    const link = await inviteOperator({ ...core, byCommand: true }, { role: "operator", accountId: null });
    const rescued = await personOf(at, await redeem(at, link, { login: "rescued" }));
    expect(rescued.me).toMatchObject({ login: "rescued", role: "operator" });
  } finally {
    await at.stop();
  }
});

test("a first link of an installation without passwords works; without a provider there is nothing to sign in at", async () => {
  const empty = await startNode({ console: { passwords: false, provider: settingsOf(provider) } });
  expect((await redeem(empty, await firstLink(empty.core), { login: "first" })).status).toBe(200);
  await empty.stop();
  const plain = await startNode({ database });
  for (const [path, body] of [
    ["departures", {}],
    ["returns", { query: "?code=x&state=y" }],
  ] as const)
    expect(outcome(await call(plain, "POST", `${CONSOLE}/provider/${path}`, { body }))).toBe("404 NOT_FOUND");
  await plain.stop();
});
