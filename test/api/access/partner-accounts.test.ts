import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createClientAccount } from "../../../src/core/account/accounts.ts";
import { createPartner, findPartner, setPartnerPassword } from "../../../src/core/account/partners.ts";
import { newId } from "../../../src/platform/ids.ts";
import { holdTx, startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { ACCOUNT, addClientAccount, addPartner, basic, type TestPartner } from "../kit/partner.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

let database: TestDatabase;
let node: TestNode;
let other: TestNode;
let partner: TestPartner;

beforeAll(async () => {
  database = await startTestDatabase();
  node = await startNode({ database });
  other = await startNode({ database });
  partner = await addPartner(node);
});
afterAll(async () => {
  await Promise.all([node.stop(), other.stop()]);
  await database.stop();
});

const create = (body: unknown, headers: Record<string, string> = partner.headers) =>
  call(node, "POST", "/v2/accounts", { headers, body });
const get = (id: unknown, headers: Record<string, string> = partner.headers) =>
  call(node, "GET", `/v2/accounts/${id}`, { headers });

describe("accounts of clients", () => {
  test("are created with an id of eight digits, and shown to their partner", async () => {
    const created = await create(ACCOUNT);
    expect(created.status).toBe(200);
    expect(created.json).toEqual({
      data: { account: { account_id: expect.any(Number), name: "Demo Client" } },
      meta: { timestamp: expect.any(Number) },
    });
    const { account_id: id } = (created.json as { data: { account: { account_id: number } } }).data.account;
    expect(String(id)).toMatch(/^[1-9]\d{7}$/);
    expect((await get(id)).json).toMatchObject({ data: { account: { account_id: id, ...ACCOUNT } } });
  });

  describe("show more on request", () => {
    let id = 0;
    let paid = "";
    let unpaid = "";
    beforeAll(async () => {
      id = await addClientAccount(node, partner);
      const owner = { id, access: "", api: "", sidecar: "" };
      paid = await addChannel(node, owner, { transport: "wapi" });
      unpaid = await addChannel(node, owner, {
        transport: "whatsapp",
        status: "disabled",
        reason: "not_enough_money",
      });
      await node.db.query("update channels set unpaid = true, tariff = 'max' where id = $1", [unpaid]);
      await addChannel(node, await addAccount(node.db), { transport: "wapi" });
    });
    const shown = async (query: string): Promise<Record<string, unknown>> => {
      const { json } = await get(`${id}${query}`);
      return (json as { data: { account: Record<string, unknown> } }).data.account;
    };
    const beside = async (query: string) =>
      Object.keys(await shown(query)).filter((name) =>
        ["billing", "channels", "subscriptions"].includes(name),
      );

    test.each([
      ["", ""],
      ["?expand=", ""],
      ["?expand=channels", "channels"],
      ["?expand=channels,billing", "billing channels"],
      ["?expand=channels,%20subscriptions", "channels subscriptions"],
      ["?expand=billing&expand=subscriptions", "billing subscriptions"],
      ["?expand=balance,toString", ""],
    ])("%s", async (query, expected) => {
      expect((await beside(query)).join(" ")).toBe(expected);
    });

    test("as it is: its channels as /v2/channels shows them, and which of them are paid", async () => {
      const found = await shown("?expand=billing,channels,subscriptions");
      expect(found["channels"]).toMatchObject([
        { channel_id: paid, transport: "wapi", state: "active", status: "active", reason: null },
        { channel_id: unpaid, transport: "whatsapp", state: "notEnoughMoney", tariff: "max" },
      ]);
      expect(found["subscriptions"]).toEqual([
        { channel_id: paid, tariff: null, paid: true },
        { channel_id: unpaid, tariff: "max", paid: false },
      ]);
      expect(found["billing"]).toBeNull();
    });

    test("only to its partner", async () => {
      const stranger = await addPartner(node);
      const answer = await get(`${id}?expand=channels`, stranger.headers);
      expect(outcome(answer)).toBe("404 ACCOUNT_NOT_FOUND");
    });
  });

  test("are private: another partner's, an operator's, a missing and an impossible one get the same response", async () => {
    const foreign = await addClientAccount(node, await addPartner(node));
    const operators = await addAccount(node.db);
    for (const id of [foreign, operators.id, 99_999_999, "1", "123456789", "abc", "12345678x", "%00"]) {
      const { status, json } = await get(id);
      expect([id, status, json]).toEqual([
        id,
        404,
        { error: "ACCOUNT_NOT_FOUND", description: "There is no such account of yours" },
      ]);
    }
  });

  test.each([
    [{}, "country currency lang name timezone"],
    [{ ...ACCOUNT, name: "ab" }, "name"],
    [{ ...ACCOUNT, name: null }, "name"],
    [{ ...ACCOUNT, name: "a\u0000bc" }, "name"],
    [{ ...ACCOUNT, lang: "english", currency: "eur", country: "Germany" }, "country currency lang"],
    [{ ...ACCOUNT, timezone: "2" }, "timezone"],
    [{ ...ACCOUNT, timezone: -12.5 }, "timezone"],
    [{ ...ACCOUNT, timezone: 15 }, "timezone"],
    [{ ...ACCOUNT, title: "x", lang: 5 }, "lang title"],
  ])("%j is faulty", async (body, fields) => {
    expect(outcome(await create(body))).toBe(`400 VALIDATION_ERROR ${fields}`);
  });

  test("a repetition beside the first request, whose commit is under way, gets the same account", async () => {
    const operationId = newId();
    let again: Promise<number> | undefined;
    await holdTx(node.db, async (tx) => {
      await tx.query(
        "insert into accounts (id, partner_id, name, operation_id) values (77777777, $1, 'Demo', $2)",
        [partner.id, operationId],
      );
      again = createClientAccount(node.core, partner.id, ACCOUNT, operationId);
      await vi.waitUntil(
        async () =>
          (
            await node.db.query(
              "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            )
          ).length >= 1,
      );
    });
    expect(await again).toBe(77777777);
  });

  test.each([-12, 0, 5.5, 14])("time zone %d", async (timezone) => {
    expect((await create({ ...ACCOUNT, timezone })).status).toBe(200);
  });

  test("with an Idempotency-Key one is created, also if the response was lost with its node", async () => {
    const headers = { ...partner.headers, "idempotency-key": "account-1" };
    const first = await create(ACCOUNT, headers);
    const again = await create(ACCOUNT, headers);
    expect([again.text, again.headers["idempotency-replayed"]]).toEqual([first.text, "true"]);
    await node.db.query(
      "update idempotency_keys set status = null, answer = null, locked_until = now() - interval '1 second' where account_id = $1",
      [partner.id],
    );
    const later = await create(ACCOUNT, headers);
    expect(later.headers["idempotency-replayed"]).toBeUndefined();
    expect(later.json).toMatchObject({ data: (first.json as { data: object }).data });
    expect(outcome(await create({ ...ACCOUNT, name: "Other" }, headers))).toBe("409 IDEMPOTENCY_KEY_REUSED");
  });
});

describe("the password", () => {
  const refused = { error: "INVALID_APIKEY", description: "Invalid authorization header" };

  test("gives no access if it is wrong, missing or of another kind", async () => {
    const account = await addAccount(node.db);
    const wrong = [
      {},
      { authorization: basic(partner.email, "wrong") },
      { authorization: basic("nobody@crm.example", partner.password) },
      { authorization: basic(partner.email, "") },
      { authorization: `Bearer ${account.access}` },
      { authorization: `Bearer ${account.api}` },
      { authorization: `Bearer ${partner.password}` },
    ];
    const routes = [
      ["POST", "/v2/accounts"],
      ["GET", "/v2/accounts/12345678"],
      ["POST", "/v2/oauth/token"],
      ["POST", "/v2/oauth/revoke"],
    ] as const;
    for (const [index, headers] of wrong.entries()) {
      const [method, path] = routes[index % routes.length] ?? routes[0];
      const answer = await call(node, method, path, { headers, raw: "{nonsense" });
      expect([path, answer.status, answer.json]).toEqual([path, 401, refused]);
      expect(answer.headers["www-authenticate"]).toBe('Basic realm="partner", charset="UTF-8"');
    }
  });

  test("gives access only to accounts and tokens", async () => {
    for (const path of ["/v2/channels", "/v3/webhooks", "/v2/users"]) {
      expect(outcome(await call(node, "GET", path, { headers: partner.headers }))).toBe("401 INVALID_APIKEY");
    }
  });

  test("matches whatever the case of the e-mail, and may contain any character", async () => {
    const someone = await addPartner(node);
    await setPartnerPassword(node.db, { email: someone.email, password: "пароль: with colon" }, null);
    const authorization = basic(someone.email.toUpperCase(), "пароль: with colon");
    expect((await create(ACCOUNT, { authorization })).status).toBe(200);
  });

  test("a new one applies at once, on every node", async () => {
    const someone = await addPartner(node);
    const ask = (on: TestNode, headers: Record<string, string>) =>
      call(on, "GET", "/v2/accounts/1", { headers });
    for (const on of [node, other]) expect((await ask(on, someone.headers)).status).toBe(404);
    await setPartnerPassword(node.db, { email: someone.email, password: "another password" }, null);
    for (const on of [node, other]) {
      expect((await ask(on, someone.headers)).status).toBe(401);
      expect((await ask(on, { authorization: basic(someone.email, "another password") })).status).toBe(404);
    }
  });

  test.each([
    ["nobody", "long enough, this", /not an e-mail/],
    ["a b@crm.example", "long enough, this", /not an e-mail/],
    ["with:colon@crm.example", "long enough, this", /not an e-mail/],
    ["short@crm.example", "too short", /at least 12 characters/],
    ["long@crm.example", "x".repeat(1_025), /at most 1024 bytes/],
  ])("%s with %.20j creates no partner", async (email, password, message) => {
    await expect(createPartner(node.db, { email, name: "x", password }, null)).rejects.toThrow(message);
    expect(await findPartner(node.db, email)).toBeNull();
  });

  test("cannot be set for a missing partner", async () => {
    const setting = setPartnerPassword(
      node.db,
      { email: "nobody@crm.example", password: "long enough, this" },
      null,
    );
    await expect(setting).rejects.toThrow(/no partner/);
  });

  test("is stored as argon2id only", async () => {
    const rows = await node.db.query<{ row: string }>("select row_to_json(p)::text as row from partners p");
    for (const { row } of rows) expect(row).toMatch(/"password":"\$argon2id\$/);
    expect(rows.map(({ row }) => row).join()).not.toContain(partner.password);
  });

  test("an unknown partner is refused as slowly as a wrong password", async () => {
    // Of the processors, whatever else keeps them busy.
    const timed = async (email: string, index: number): Promise<number> => {
      const before = process.cpuUsage();
      await create({}, { authorization: basic(email, `guess ${index}`) });
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let index = 0; index < 4; index++) {
      known.push(await timed((await addPartner(node)).email, index));
      unknown.push(await timed(`nobody-${index}@crm.example`, index));
    }
    // Without a password to compare with it would be some hundredth of it.
    expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 3);
  });
});

test("requests of a partner are counted like those of an account", async () => {
  const limited = await startNode({ database, rateLimitPerMinute: 3 });
  const answers: Answer[] = [];
  // The minute may end in between: then the fourth is not the fourth of its minute.
  do {
    const { headers } = await addPartner(limited);
    answers.length = 0;
    for (let index = 0; index < 4; index++)
      answers.push(await call(limited, "GET", "/v2/accounts/1", { headers }));
  } while (new Set(answers.map(({ headers }) => headers["x-ratelimit-reset"])).size > 1);
  await limited.stop();
  expect(answers.map(outcome)).toEqual([
    ...Array.from({ length: 3 }, () => "404 ACCOUNT_NOT_FOUND"),
    "429 TOO_MANY_REQUESTS",
  ]);
  expect(answers.map(({ headers }) => headers["x-ratelimit-remaining"])).toEqual(["2", "1", "0", "0"]);
});
