import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { findPartner } from "../../../src/core/account/partners.ts";
import { hashPassword, verifyPassword } from "../../../src/core/account/password.ts";
import { actAs } from "../../../src/core/audit/actor.ts";
import { firstLink, inviteOperator, resetOperator } from "../../../src/core/operator/links.ts";
import { listOperators, type Role } from "../../../src/core/operator/operators.ts";
import { totpCode, totpStep } from "../../../src/core/operator/totp.ts";
import { holdTx } from "../../kit/database.ts";
import { describeInterface } from "../../kit/interface.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { CONSOLE, newOperator, PASSWORD, type Person, redeem, signedIn, tokenOf } from "../kit/console.ts";
import { withinPeriod } from "../kit/login-period.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let other: TestAccount;
let root: Person;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  other = await addAccount(node.db);
});
afterAll(() => node.stop());

const signIn = (body: object, address = "203.0.113.9") =>
  call(node, "POST", `${CONSOLE}/sign-in`, { body, headers: { "x-forwarded-for": address } });

test("the first link creates the first operator, once; other printed links create none", async () => {
  const [link, second] = [await firstLink(node.core), await firstLink(node.core)];
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1\/app\/console#\/link\/tl_cl_[\w-]{43}$/);
  const look = (url: string | null) =>
    call(node, "POST", `${CONSOLE}/links/questions`, { body: { link: tokenOf(url) } });
  expect((await look(link)).json).toEqual({
    purpose: "first",
    role: "operator",
    accountId: null,
    login: null,
  });

  expect(outcome(await redeem(node, link, { login: "Root", password: "short" }))).toBe(
    "400 VALIDATION_ERROR password",
  );
  expect(outcome(await redeem(node, link, { login: "two words" }))).toBe("400 VALIDATION_ERROR login");
  const answers = await Promise.all(
    [link, second, link].map((each) => redeem(node, each, { login: "Root" })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  expect(outcome(await look(second))).toBe("404 NOT_FOUND");
  expect(await firstLink(node.core)).toBeNull();

  const made = answers.find(({ status }) => status === 200);
  const cookie = String(made?.headers["set-cookie"]);
  expect(cookie).toMatch(
    /^trunkline-console-80=tl_cs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
  root = await signedIn(node, "root");
  expect(root.me).toMatchObject({
    login: "root",
    role: "operator",
    accountId: null,
    hasSecondFactor: false,
  });
});

test("the curl commands in docs/console.md succeed, one after the other", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/console.md"), "utf8");
  const [shell = ""] = /(?<=```sh\n)curl -c cookies.txt.*?(?=```)/s.exec(page) ?? [];
  const [login, look, ...more] = shell.trim().split(/\n(?=curl)/);
  expect(more).toEqual([]);
  const pathOf = (line = "") => /https:\/\/gateway\.example(\S+)/.exec(line)?.[1] ?? "";
  const written = JSON.parse(/-d '(.*)'/.exec(login ?? "")?.[1] ?? "null") as { login: string };
  expect(login).toContain("Content-Type: application/json");
  const signedInAs = await call(node, "POST", pathOf(login), { body: { ...written, password: PASSWORD } });
  expect(outcome(signedInAs)).toBe("200");
  const cookie = String(signedInAs.headers["set-cookie"]).split(";")[0] ?? "";
  expect(outcome(await call(node, "GET", pathOf(look), { headers: { cookie } }))).toBe("200");
});

test("over https the cookie has the prefix that only this host can set", async () => {
  const settings = node.core.settings as { publicUrl: string };
  settings.publicUrl = "https://crm.example";
  try {
    const answer = await signIn({ login: "root", password: PASSWORD });
    expect(answer.headers["set-cookie"]).toMatch(
      /^__Host-trunkline=tl_cs_[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
    );
  } finally {
    settings.publicUrl = "http://127.0.0.1";
  }
});

test("nothing can be read without a session, or changed without its CSRF token", async () => {
  const ask = (headers: Record<string, string>, method: "GET" | "DELETE" = "GET") =>
    call(node, method, `${CONSOLE}/session`, { headers });
  expect(outcome(await ask({}))).toBe("401 INVALID_APIKEY");
  expect(outcome(await ask({ cookie: "trunkline-console-80=tl_cs_guess" }))).toBe("401 INVALID_APIKEY");
  expect(outcome(await ask({ cookie: root.cookie }))).toBe("200");
  const foreign = await signedIn(node, "root");
  for (const csrf of ["", "guess", foreign.csrf])
    expect(outcome(await ask({ cookie: root.cookie, "x-csrf-token": csrf }, "DELETE"))).toBe("403 FORBIDDEN");
  // What a form of another site can send.
  const form = await call(node, "POST", `${CONSOLE}/sign-in`, {
    raw: JSON.stringify({ login: "root", password: PASSWORD }),
    headers: { "content-type": "text/plain" },
  });
  expect(outcome(form)).toBe("415 UNSUPPORTED_MEDIA_TYPE");
});

test("who may do what: every route for every role", async () => {
  const people = new Map<Role, Person>([["operator", root]]);
  people.set("admin", await newOperator(node, { role: "admin", accountId: account.id }));
  people.set("viewer", await newOperator(node, { role: "viewer", accountId: null }));
  const routes = [
    ["GET", "/operators", "200 403 403"],
    ["POST", "/operators", "400 403 403"],
    ["POST", `/operators/${root.me["id"]}/links`, "200 403 403"],
    ["DELETE", `/operators/${root.me["id"]}`, "403 403 403"],
    ["GET", "/sessions", "200 200 200"],
    ["DELETE", "/sessions/00000000-0000-4000-8000-000000000000", "404 404 404"],
    ["POST", "/password", "400 400 400"],
  ] as const;
  for (const [method, path, expected] of routes) {
    const answers: Answer[] = [];
    for (const role of ["operator", "admin", "viewer"] as const)
      answers.push(await (people.get(role) ?? root).ask(method, path, method === "POST" ? {} : undefined));
    expect(answers.map(({ status }) => status).join(" "), `${method} ${path}`).toBe(expected);
  }
});

test.each(["x", "1.5", "-1", "9".repeat(30), "00000000-0000-4000-8000-000000000000", "99999999"])(
  "an account, partner or token that does not exist is a missing one, on every route: %j",
  async (id) => {
    const { paths } = await describeInterface("/app/openapi.json");
    const own: Readonly<Record<string, string>> = { account: String(account.id) };
    const wrong: string[] = [];
    for (const [path, operations] of Object.entries(paths))
      for (const name of ["account", "partner", "token"].filter((each) => path.includes(`{${each}}`)))
        for (const method of Object.keys(operations)) {
          const url = path
            .slice(CONSOLE.length)
            .replace(`{${name}}`, encodeURIComponent(id))
            .replaceAll(/\{(\w+)\}/g, (_place, other: string) => own[other] ?? randomUUID());
          const verb = method.toUpperCase() as "GET" | "POST" | "PATCH" | "DELETE";
          const answer = await root.ask(verb, url, verb === "GET" || verb === "DELETE" ? undefined : {});
          if (answer.status !== 404 && answer.status !== 400)
            wrong.push(`${verb} ${url}: ${outcome(answer)}`);
        }
    expect(wrong).toEqual([]);
  },
);

test.each([
  [{ role: "admin" }, "400 VALIDATION_ERROR accountId"],
  [{ role: "operator", accountId: 10_000_001 }, "400 VALIDATION_ERROR accountId"],
  [{ role: "admin", accountId: 99_999_999 }, "404 ACCOUNT_NOT_FOUND"],
  [{ role: "king" }, "400 VALIDATION_ERROR role"],
])("an invitation of %j: %s", async (body, expected) => {
  expect(outcome(await root.ask("POST", "/operators", body))).toBe(expected);
});

test("sessions: the list, ending one, the idle timeout and the absolute one", async () => {
  const login = `ann${process.pid}`;
  const first = await newOperator(node, { role: "viewer", accountId: null }, login);
  const second = await signedIn(node, login);
  const list = (await second.ask("GET", "/sessions")).json as { id: string; isThis: boolean }[];
  expect(list.map(({ isThis }) => isThis)).toEqual([true, false]);
  expect(outcome(await root.ask("DELETE", `/sessions/${list[1]?.id}`))).toBe("404 NOT_FOUND");
  expect(outcome(await second.ask("DELETE", `/sessions/${list[1]?.id}`))).toBe("200");
  expect(outcome(await first.ask("GET", "/session"))).toBe("401 INVALID_APIKEY");

  const age = (column: string, interval: string) =>
    node.db.query(`update operator_sessions set ${column} = now() - interval '${interval}' where id = $1`, [
      list[0]?.id,
    ]);
  await age("seen_at", "29 minutes");
  // Background requests of the page do not extend the session; a person's requests do.
  const background = { headers: { cookie: second.cookie, "x-background": "1" } };
  expect((await call(node, "GET", `${CONSOLE}/session`, background)).status).toBe(200);
  const seen = async () =>
    (
      await node.db.query<{ minutes: number }>(
        "select round(extract(epoch from now() - seen_at) / 60)::int as minutes from operator_sessions where id = $1",
        [list[0]?.id],
      )
    )[0]?.minutes;
  expect(await seen()).toBe(29);
  expect((await second.ask("GET", "/session")).status).toBe(200);
  expect(await seen()).toBe(0);
  await age("seen_at", "31 minutes");
  expect(outcome(await second.ask("GET", "/session"))).toBe("401 INVALID_APIKEY");

  const third = await signedIn(node, login);
  await node.db.query(
    "update operator_sessions set expires_at = now() where expires_at > now() and operator_id = $1",
    [third.me["id"]],
  );
  expect(outcome(await third.ask("GET", "/session"))).toBe("401 INVALID_APIKEY");

  const fourth = await signedIn(node, login);
  const out = await fourth.ask("DELETE", "/session");
  expect(out.headers["set-cookie"]).toMatch(/^trunkline-console-80=; .*Max-Age=0$/);
  expect(outcome(await fourth.ask("GET", "/session"))).toBe("401 INVALID_APIKEY");
});

test("a new password ends the other sessions; the old one is refused", async () => {
  const login = `bob${process.pid}`;
  const first = await newOperator(node, { role: "admin", accountId: other.id }, login);
  const second = await signedIn(node, login);
  const next = "a quite different password";
  const change = (body: object) => second.ask("POST", "/password", body);
  expect(outcome(await change({ current: "wrong", next }))).toBe("400 WRONG_PASSWORD");
  expect(outcome(await change({ current: PASSWORD, next: "short" }))).toBe("400 VALIDATION_ERROR password");
  expect(outcome(await change({ current: PASSWORD, next }))).toBe("200");
  expect((await first.ask("GET", "/session")).status).toBe(401);
  expect((await second.ask("GET", "/session")).status).toBe(200);
  expect((await signIn({ login, password: PASSWORD })).status).toBe(401);
  expect((await signIn({ login, password: next })).status).toBe(200);
});

test("a second factor: its first code, sign-in with it, no code twice, and a link that ends it", async () => {
  const login = `eve${process.pid}`;
  const eve = await newOperator(node, { role: "viewer", accountId: null }, login);
  const begun = (await eve.ask("POST", "/second-factor", {})).json as { key: string; qr: string };
  expect(begun.qr).toMatch(/^data:image\/png;base64,/);
  const key = fromBase32(begun.key);
  // The code of the present step and of the next one count for as long as this test may take.
  const now = totpStep(new Date());
  const confirm = (code: string) => eve.ask("POST", "/second-factor/codes", { code });
  expect(outcome(await confirm("000000"))).toBe("400 WRONG_PASSWORD");
  expect((await signIn({ login, password: PASSWORD })).json).toEqual({ needsCode: false });
  expect(outcome(await confirm(totpCode(key, now)))).toBe("200");
  // An open session is not enough to replace it.
  expect(outcome(await eve.ask("POST", "/second-factor", {}))).toBe("403 FORBIDDEN");

  const asked = await signIn({ login, password: PASSWORD });
  expect(asked.json).toEqual({ needsCode: true });
  expect(asked.headers["set-cookie"]).toBeUndefined();
  const give = (code: string) => signIn({ login, password: PASSWORD, code });
  expect(outcome(await give(totpCode(key, now)))).toBe("401 INVALID_APIKEY");
  expect(outcome(await give(totpCode(key, now + 40)))).toBe("401 INVALID_APIKEY");
  const code = totpCode(key, now + 1);
  const both = await Promise.all([give(code), give(code)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  expect(outcome(await give(code))).toBe("401 INVALID_APIKEY");
  expect((await signIn({ login, password: "wrong", code: totpCode(key, now + 2) })).status).toBe(401);

  const link = await resetOperator(node.core, login);
  const again = await redeem(node, link, {});
  expect(again.status).toBe(200);
  expect((await eve.ask("GET", "/session")).status).toBe(401);
  expect((await signIn({ login, password: PASSWORD })).json).toEqual({ needsCode: false });
  expect((await redeem(node, link, {})).status).toBe(404);
});

let guessed = 0;
test("guesses are limited: passwords from an address, and codes from everywhere", () =>
  withinPeriod(async () => {
    const login = `kim${process.pid}-${++guessed}`;
    const kim = await newOperator(node, { role: "viewer", accountId: null }, login);
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => signIn({ login, password: `guess ${index}` }, "198.51.100.1")),
    );
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(guesses.filter((answer) => outcome(answer) === "429 TOO_MANY_LOGINS")).toHaveLength(2);
    expect((await signIn({ login, password: PASSWORD }, "198.51.100.1")).status).toBe(429);
    expect((await signIn({ login, password: PASSWORD }, "198.51.100.2")).status).toBe(200);

    const { key } = (await kim.ask("POST", "/second-factor", {})).json as { key: string };
    await kim.ask("POST", "/second-factor/codes", { code: totpCode(fromBase32(key), totpStep(new Date())) });
    const codes: number[] = [];
    for (let index = 0; index < 12; index++)
      codes.push(
        (await signIn({ login, password: PASSWORD, code: "000000" }, `192.0.2.${index + 1}`)).status,
      );
    expect(codes).toEqual([...Array(10).fill(401), 429, 429]);
  }));

test("links: expired, of a removed person, and their audit entries", async () => {
  const by = { kind: "operator", id: "root", from: "server-1" } as const;
  const old = await actAs(by, () => inviteOperator(node.core, { role: "admin", accountId: other.id }));
  await node.db.query(
    "update operator_links set expires_at = now() where role = 'admin' and account_id = $1",
    [other.id],
  );
  expect((await redeem(node, old, { login: "late" })).status).toBe(404);

  const gone = await newOperator(node, { role: "viewer", accountId: other.id }, `zoe${process.pid}`);
  const reset = await resetOperator(node.core, `zoe${process.pid}`);
  expect(outcome(await root.ask("DELETE", `/operators/${gone.me["id"]}`))).toBe("200");
  expect((await gone.ask("GET", "/session")).status).toBe(401);
  expect((await redeem(node, reset, {})).status).toBe(404);
  expect(outcome(await root.ask("DELETE", `/operators/${root.me["id"]}`))).toBe("403 FORBIDDEN");
  expect((await listOperators(node.db)).map(({ login }) => login)).not.toContain(`zoe${process.pid}`);

  const { json } = await call(node, "GET", "/v3/audit", { token: other.api });
  const entries = (json as { data: Record<string, unknown>[] }).data.filter(
    ({ details }) => JSON.stringify(details) !== "{}",
  );
  expect(entries.map(({ action, actor, actorId }) => [action, actor, actorId])).toEqual([
    ["operator.create", "console", `zoe${process.pid}`],
    ["operator.invite", "service", ""],
    ["operator.invite", "operator", "root"],
    ["operator.create", "console", `bob${process.pid}`],
    ["operator.invite", "service", ""],
  ]);
  expect(JSON.stringify(json)).not.toMatch(/tl_c|password":/);
});

function fromBase32(text: string): Buffer {
  const bits = [...text]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

test("partners: created with a client, listed with their accounts, and refused to those of one account", async () => {
  const post = (path: string, body: object = {}) => root.ask("POST", `/partners${path}`, body);
  const made = (await post("", { email: "Reseller@crm.example", name: "Reseller" })).json as {
    partnerId: number;
    clientId: string;
    password: string;
  };
  const { partnerId, clientId } = made;
  const known = async (password: string) =>
    verifyPassword(password, (await findPartner(node.db, "reseller@crm.example"))?.password ?? "");
  expect(await known(made.password)).toBe(true);
  expect(outcome(await post("", { email: "reseller@crm.example" }))).toBe("400 VALIDATION_ERROR email");
  expect(outcome(await post("", { email: "nobody" }))).toBe("400 VALIDATION_ERROR email");
  await node.db.query("update accounts set partner_id = $1 where id = $2", [partnerId, account.id]);

  const redirectUris = ["https://app.example/back"];
  const client = (await post(`/${partnerId}/clients`, { name: "App", redirectUris })).json as { id: string };
  const plain = { name: "App", redirectUris: ["http://app.example/back"] };
  expect(outcome(await post(`/${partnerId}/clients`, plain))).toBe("400 VALIDATION_ERROR redirectUris");
  expect(outcome(await post("/1/clients", { name: "App", redirectUris }))).toBe("404 NOT_FOUND");
  const next = (await post(`/${partnerId}/password`)).json as { password: string };
  expect([await known(made.password), await known(next.password)]).toEqual([false, true]);

  const listed = await root.ask("GET", "/partners");
  expect(listed.text).not.toContain(next.password);
  expect((listed.json as { id: number }[]).find(({ id }) => id === partnerId)).toMatchObject({
    email: "reseller@crm.example",
    name: "Reseller",
    accounts: 1,
    clients: [
      { id: clientId, name: "Reseller", redirectUris: [] },
      { id: client.id, name: "App", redirectUris },
    ],
  });
  const admin = await newOperator(node, { role: "admin", accountId: account.id });
  expect(outcome(await admin.ask("GET", "/partners"))).toBe("403 FORBIDDEN");
  expect(outcome(await admin.ask("POST", "/partners", { email: "x@crm.example" }))).toBe("403 FORBIDDEN");
});

test("a password that is reset while the old one is checked lets nobody in, and is not undone", async () => {
  const person = await newOperator(node, { role: "operator", accountId: null }, "raced");
  const hash = await hashPassword("the new password");
  const old = { current: PASSWORD, next: "of an intruder" };
  let requests: Promise<Answer[]> | undefined;
  await holdTx(node.db, async (tx) => {
    // As `trunkline operator reset` does with its link.
    await tx.query("update operators set password = $2 where login = $1", ["raced", hash]);
    requests = Promise.all([
      signIn({ login: "raced", password: PASSWORD }),
      person.ask("POST", "/password", old),
    ]);
    await vi.waitUntil(
      async () =>
        (
          await node.db.query(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).length >= 2,
    );
    await tx.query(
      "delete from operator_sessions s using operators o where o.id = s.operator_id and o.login = 'raced'",
    );
  });
  expect((await requests)?.map(outcome)).toEqual(["401 INVALID_APIKEY", "400 WRONG_PASSWORD"]);
  const [row] = await node.db.query(
    `select password, (select count(*) from operator_sessions s where s.operator_id = o.id) as sessions
     from operators o where login = 'raced'`,
  );
  expect(row).toEqual({ password: hash, sessions: 0 });
});
