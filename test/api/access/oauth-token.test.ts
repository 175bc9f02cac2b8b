import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueCode } from "../../../src/core/oauth/code.ts";
import { newSecret } from "../../../src/platform/ids.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import {
  addClientAccount,
  addPartner,
  askToken,
  clientTokens,
  exchangeRequest,
  machineRequest,
  REDIRECT,
  refreshRequest,
  type TestPartner,
  tokensOf,
} from "../kit/partner.ts";
import { addAccount, startNode, type TestNode, tokenHash } from "../kit/service.ts";

let database: TestDatabase;
let node: TestNode;
let other: TestNode;
let partner: TestPartner;
let stranger: TestPartner;
let account: number;

beforeAll(async () => {
  database = await startTestDatabase();
  node = await startNode({ database });
  other = await startNode({ database });
  partner = await addPartner(node);
  stranger = await addPartner(node);
  account = await addClientAccount(node, partner);
});
afterAll(async () => {
  await Promise.all([node.stop(), other.stop()]);
  await database.stop();
});

const ask = (body: unknown, by = partner, on = node): Promise<Answer> => askToken(on, by, body);
const machine = async (scope?: string, by = partner): Promise<string> =>
  tokensOf(await ask(machineRequest(scope), by)).access_token;
const use = async (token: string, on = node, path = "/v2/channels"): Promise<string> =>
  outcome(await call(on, "GET", path, { token }));
const refresh = (token: string, by = partner, on = node): Promise<Answer> =>
  ask(refreshRequest(token, by.clientId), by, on);

const VERIFIER = newSecret(48);
const S256 = createHash("sha256").update(VERIFIER).digest();
const newCode = (facts: { clientId?: string; challenge?: Buffer; scope?: "crm"[] } = {}): Promise<string> =>
  issueCode(node.core, {
    accountId: account,
    clientId: facts.clientId ?? partner.clientId,
    redirectUri: REDIRECT,
    scope: facts.scope ?? ["transport", "crm"],
    challenge: facts.challenge ?? S256,
  });
const codeRequest = (code: string, more: object = {}) => ({
  grant_type: "authorization_code",
  authorize_code_data: {
    code,
    redirect_uri: REDIRECT,
    client_id: partner.clientId,
    code_verifier: VERIFIER,
    ...more,
  },
});

const PAIR = {
  access_token: expect.stringMatching(/^tl_\w\w_[\w-]{43}$/),
  refresh_token: expect.stringMatching(/^tl_rt_[\w-]{43}$/),
  token_type: "Bearer",
  expires_in: 3_600,
  refresh_expires_in: 604_800,
};

/** As a library for OAuth sends it. */
async function askForm(fields: Record<string, string> | string, path = "token", by = partner) {
  const answer = await fetch(`${node.url}/v2/oauth/${path}`, {
    method: "POST",
    headers: { ...by.headers, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
  return {
    status: answer.status,
    json: (await answer.json()) as Record<string, string>,
    headers: answer.headers,
  };
}

describe("forms, as RFC 6749 has them", () => {
  test("every grant takes one, and the answer has the fields of the standard", async () => {
    const first = await askForm({
      grant_type: "client_credentials",
      scope: "transport crm",
      unknown: "ignored",
    });
    expect(first).toMatchObject({ status: 200, json: PAIR });
    expect(first.headers.get("cache-control")).toBe("no-store");
    const subject = {
      subject_token: first.json["access_token"] ?? "",
      subject_token_type: "urn:x:machine_token",
    };
    const exchanged = await askForm({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      ...subject,
      requested_subject: String(account),
      scope: "crm",
    });
    expect(exchanged).toMatchObject({ status: 200, json: PAIR });
    const redeemed = await askForm({
      grant_type: "authorization_code",
      code: await newCode(),
      redirect_uri: REDIRECT,
      client_id: partner.clientId,
      code_verifier: VERIFIER,
    });
    expect(redeemed).toMatchObject({ status: 200, json: PAIR });
    expect(await use(redeemed.json["access_token"] ?? "")).toBe("200");
    const refreshed = await askForm({
      grant_type: "refresh_token",
      refresh_token: redeemed.json["refresh_token"] ?? "",
      client_id: partner.clientId,
    });
    expect(refreshed).toMatchObject({ status: 200, json: PAIR });
    const token = refreshed.json["refresh_token"] ?? "";
    expect(await askForm({ token, token_type_hint: "refresh_token" }, "revoke")).toMatchObject({
      status: 200,
      json: {},
    });
    const again = await askForm({
      grant_type: "refresh_token",
      refresh_token: token,
      client_id: partner.clientId,
    });
    expect(again).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
  });

  test.each([
    ["an unknown grant", "grant_type=password&username=a", "unsupported_grant_type"],
    ["no grant", "scope=crm", "unsupported_grant_type"],
    ["a field twice", "grant_type=client_credentials&scope=crm&scope=crm", "invalid_request"],
    ["a missing field", "grant_type=refresh_token&client_id=x", "invalid_request"],
    ["an unknown scope", "grant_type=client_credentials&scope=everything", "invalid_scope"],
    ["an unknown client", "grant_type=refresh_token&refresh_token=x&client_id=y", "invalid_client"],
  ])("%s is refused with the standard's code", async (_, form, error) => {
    const { status, json } = await askForm(form);
    expect([status, json["error"]]).toEqual([400, error]);
    expect(json["error_description"]).toEqual(expect.any(String));
  });

  test("the metadata names the routes and what they support", async () => {
    const { status, json } = await call(node, "GET", "/.well-known/oauth-authorization-server", {});
    expect(status).toBe(200);
    const { issuer, token_endpoint } = json as Record<string, string>;
    expect(token_endpoint).toBe(`${issuer}/v2/oauth/token`);
    expect(json).toMatchObject({
      grant_types_supported: expect.arrayContaining(["authorization_code", "refresh_token"]),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
  });
});

test.each([
  ["an integer, as it was created", Number],
  ["a string", String],
])("a token exchange names the account by %s", async (_, as) => {
  const { access_token: token } = tokensOf(await ask(exchangeRequest(await machine(), as(account))));
  expect(await use(token)).toBe("200");
});

describe("the answer", () => {
  test("is the same for all four grants, and must not be cached", async () => {
    const first = await ask(machineRequest());
    const exchanged = await ask(exchangeRequest(tokensOf(first).access_token, account));
    const refreshed = await refresh(tokensOf(exchanged).refresh_token);
    const redeemed = await ask(codeRequest(await newCode()));
    for (const answer of [first, exchanged, refreshed, redeemed]) {
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ data: PAIR, meta: { timestamp: expect.any(Number) } });
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
  });

  test("gives access to the account on /v2 and nothing else, for an hour", async () => {
    const { access_token: token } = await clientTokens(node, partner, account);
    expect(await use(token)).toBe("200");
    expect(await use(token, node, "/v3/webhooks")).toBe("401 INVALID_APIKEY");
    const [row] = await node.db.query<{ account_id: number; seconds: number }>(
      "select account_id, extract(epoch from expires_at - created_at)::int as seconds from tokens where hash = $1",
      [tokenHash(token)],
    );
    expect(row).toEqual({ account_id: account, seconds: 3_600 });
  });

  test("a machine token, a refresh token and a code give no access", async () => {
    const { refresh_token: refreshToken } = await clientTokens(node, partner, account);
    for (const token of [await machine(), refreshToken, await newCode()])
      for (const path of ["/v2/channels", "/v3/webhooks", "/v2/accounts/1"])
        expect(await use(token, node, path)).toBe("401 INVALID_APIKEY");
  });

  test("with an Idempotency-Key it is repeated, and stored encrypted until then", async () => {
    const headers = { ...partner.headers, "idempotency-key": newSecret(8) };
    const send = (scope: string) =>
      call(node, "POST", "/v2/oauth/token", { headers, body: machineRequest(scope) });
    const first = await send("crm");
    const again = await send("crm");
    expect([again.text, again.headers["idempotency-replayed"]]).toEqual([first.text, "true"]);
    expect(outcome(await send("transport"))).toBe("409 IDEMPOTENCY_KEY_REUSED");
    const [row] = await node.db.query<{ answer: string }>(
      "select answer from idempotency_keys where key = $1",
      [headers["idempotency-key"]],
    );
    expect(row?.answer).toMatch(/^[\w+/]+=*$/);
    expect(Buffer.from(row?.answer ?? "", "base64").toString()).not.toContain("tl_");
  });
});

describe("invalid bodies get every error at once", () => {
  const data = (grant: string, name: string, fields: object) => ({ grant_type: grant, [name]: fields });
  const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
  const exchange = (fields: object) => data(EXCHANGE, "token_exchange_data", fields);
  const code = (fields: object) => data("authorization_code", "authorize_code_data", fields);

  test.each([
    [{}, "grant_type"],
    [{ grant_type: null, scope: "crm" }, "grant_type scope"],
    [{ grant_type: "password", username: "x" }, "grant_type username"],
    [{ grant_type: 5 }, "grant_type"],
    [{ grant_type: "client_credentials" }, "client_credentials_data"],
    [{ grant_type: "client_credentials", client_credentials_data: null }, "client_credentials_data"],
    [{ grant_type: "client_credentials", client_credentials_data: "crm" }, "client_credentials_data"],
    [data("client_credentials", "client_credentials_data", {}), "client_credentials_data.scope"],
    [
      data("client_credentials", "client_credentials_data", { scope: "all" }),
      "client_credentials_data.scope",
    ],
    [data("client_credentials", "client_credentials_data", { scope: "" }), "client_credentials_data.scope"],
    [
      data("client_credentials", "client_credentials_data", { scope: ["crm"], user: 1 }),
      "client_credentials_data.scope client_credentials_data.user",
    ],
    [
      { ...machineRequest(), refresh_token_data: { refresh_token: "x", client_id: "y" } },
      "refresh_token_data",
    ],
    [
      { grant_type: EXCHANGE, client_credentials_data: { scope: "crm" } },
      "client_credentials_data token_exchange_data",
    ],
    [
      exchange({}),
      "token_exchange_data.requested_subject token_exchange_data.scope token_exchange_data.subject_token token_exchange_data.subject_token_type",
    ],
    [
      exchange({ subject_token: "", subject_token_type: "machine", requested_subject: 1234567, scope: "x" }),
      "token_exchange_data.requested_subject token_exchange_data.scope token_exchange_data.subject_token token_exchange_data.subject_token_type",
    ],
    [
      exchange({
        subject_token: "x",
        subject_token_type: "urn:ietf:params:oauth:token-type:refresh_token",
        requested_subject: "1234-5678",
        scope: "crm",
        audience: "x",
      }),
      "token_exchange_data.audience token_exchange_data.requested_subject token_exchange_data.subject_token_type",
    ],
    [{ grant_type: "refresh_token" }, "refresh_token_data"],
    [
      data("refresh_token", "refresh_token_data", { token: "x", client_id: 5 }),
      "refresh_token_data.client_id refresh_token_data.refresh_token refresh_token_data.token",
    ],
    [
      code({}),
      "authorize_code_data.client_id authorize_code_data.code authorize_code_data.code_verifier authorize_code_data.redirect_uri",
    ],
    [
      code({ code: "x", redirect_uri: "", client_id: "x", code_verifier: "too short", code_challenge: "x" }),
      "authorize_code_data.code_challenge authorize_code_data.code_verifier authorize_code_data.redirect_uri",
    ],
    [
      code({ code: "x", redirect_uri: "x", client_id: "x", code_verifier: "ü".repeat(50) }),
      "authorize_code_data.code_verifier",
    ],
  ])("%j", async (body, fields) => {
    expect(outcome(await ask(body))).toBe(`400 VALIDATION_ERROR ${fields}`);
  });

  test("a null in the data of another grant is ignored", async () => {
    expect((await ask({ ...machineRequest(), refresh_token_data: null })).status).toBe(200);
  });

  test.each(["transport,crm", "crm transport", "crm", " transport , crm "])("scope %j", async (scope) => {
    expect((await ask(machineRequest(scope))).status).toBe(200);
  });

  test.each(["application/xml", "text/plain"])("type %s is refused", async (type) => {
    const headers = { ...partner.headers, "content-type": type };
    const raw = "grant_type=client_credentials";
    expect(outcome(await call(node, "POST", "/v2/oauth/token", { headers, raw }))).toBe(
      "415 UNSUPPORTED_MEDIA_TYPE",
    );
  });
});

describe("token exchange", () => {
  test("accepts every common spelling of the subject token's type", async () => {
    const subject = await machine();
    for (const type of [
      "urn:example:oauth:token-type:machine_token",
      "urn:ietf:params:oauth:token-type:access_token",
    ]) {
      const request = exchangeRequest(subject, account);
      const body = {
        ...request,
        token_exchange_data: { ...request.token_exchange_data, subject_token_type: type },
      };
      expect((await ask(body)).status).toBe(200);
    }
  });

  test("gives access only to the partner's own accounts", async () => {
    const subject = await machine();
    const foreign = await addClientAccount(node, stranger);
    const operators = await addAccount(node.db);
    for (const id of [foreign, operators.id, 99_999_999])
      expect(outcome(await ask(exchangeRequest(subject, id)))).toBe("404 ACCOUNT_NOT_FOUND");
  });

  test("accepts only the partner's own machine tokens", async () => {
    const tokens = await clientTokens(node, partner, account);
    for (const subject of [
      "nonsense",
      await machine("crm", stranger),
      tokens.access_token,
      tokens.refresh_token,
    ])
      expect(outcome(await ask(exchangeRequest(subject, account)))).toBe("400 INVALID_GRANT");
  });

  test("refuses an expired one", async () => {
    const subject = await machine();
    await node.db.query("update oauth_machine_tokens set expires_at = now() where hash = $1", [
      tokenHash(subject),
    ]);
    expect(outcome(await ask(exchangeRequest(subject, account)))).toBe("400 INVALID_GRANT");
  });

  test("grants no more than the machine token has, and less on request", async () => {
    expect(outcome(await ask(exchangeRequest(await machine("crm"), account, "transport,crm")))).toBe(
      "400 INVALID_SCOPE",
    );
    const { access_token: crm } = await clientTokens(node, partner, account, "crm");
    expect(await use(crm, node, "/v2/users")).toBe("200");
    expect(await use(crm, node, "/v2/webhooks")).toBe("200");
    expect(await use(crm)).toBe("403 FORBIDDEN");
    const { access_token: transport } = await clientTokens(node, partner, account, "transport");
    expect(await use(transport)).toBe("200");
    for (const path of ["/v2/users", "/v2/contacts", "/v2/deals/x", "/v2/counters/unanswered/x"])
      expect(await use(transport, node, path)).toBe("403 FORBIDDEN");
  });
});

describe("refresh", () => {
  test("works once; the next token has the same account and scope", async () => {
    const first = await clientTokens(node, partner, account, "crm");
    const second = tokensOf(await refresh(first.refresh_token));
    const third = tokensOf(await refresh(second.refresh_token));
    for (const { access_token: token } of [first, second, third]) {
      expect(await use(token, node, "/v2/users")).toBe("200");
      expect(await use(token)).toBe("403 FORBIDDEN");
    }
  });

  test("a machine token is refreshed to a machine token", async () => {
    const first = tokensOf(await ask(machineRequest("crm")));
    const second = tokensOf(await refresh(first.refresh_token));
    expect((await ask(exchangeRequest(second.access_token, account, "crm"))).status).toBe(200);
    expect(await use(second.access_token)).toBe("401 INVALID_APIKEY");
  });

  test("a reused token ends its whole family, and no other", async () => {
    const bystander = await clientTokens(node, partner, account);
    const first = await clientTokens(node, partner, account);
    const second = tokensOf(await refresh(first.refresh_token));
    expect(await use(second.access_token, other)).toBe("200");
    expect(outcome(await refresh(first.refresh_token))).toBe("400 INVALID_GRANT");
    expect(outcome(await refresh(second.refresh_token))).toBe("400 INVALID_GRANT");
    for (const on of [node, other])
      for (const token of [first.access_token, second.access_token])
        await expect.poll(() => use(token, on)).toBe("401 INVALID_APIKEY");
    expect(await use(bystander.access_token)).toBe("200");
    expect((await refresh(bystander.refresh_token)).status).toBe(200);
  });

  test("two nodes at the same time: one succeeds, and then the whole family is revoked", async () => {
    for (let round = 0; round < 10; round++) {
      const first = await clientTokens(node, partner, account);
      const answers = await Promise.all([
        refresh(first.refresh_token, partner, node),
        refresh(first.refresh_token, partner, other),
      ]);
      expect(answers.map(outcome).toSorted()).toEqual(["200", "400 INVALID_GRANT"]);
      const won = answers.find(({ status }) => status === 200);
      const { access_token: access, refresh_token: next } = tokensOf(won ?? answers[0]);
      expect(outcome(await refresh(next))).toBe("400 INVALID_GRANT");
      await expect.poll(() => use(access, other)).toBe("401 INVALID_APIKEY");
    }
  });

  test("twenty at once over two nodes: never more than one succeeds", async () => {
    const first = await clientTokens(node, partner, account);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        refresh(first.refresh_token, partner, index % 2 ? node : other),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("the old and the new token of a family at once leave nothing alive", async () => {
    for (let round = 0; round < 5; round++) {
      const first = await clientTokens(node, partner, account);
      const second = tokensOf(await refresh(first.refresh_token));
      const [, next] = await Promise.all([
        refresh(first.refresh_token, partner, node),
        refresh(second.refresh_token, partner, other),
      ]);
      const tokens = [first.access_token, second.access_token];
      if (next.status === 200) tokens.push(tokensOf(next).access_token);
      for (const token of tokens) await expect.poll(() => use(token)).toBe("401 INVALID_APIKEY");
    }
  });

  test("another partner cannot use it, nor end it by trying", async () => {
    const mine = await clientTokens(node, partner, account);
    expect(outcome(await refresh(mine.refresh_token, stranger))).toBe("400 INVALID_GRANT");
    expect((await refresh(mine.refresh_token)).status).toBe(200);
    expect(outcome(await refresh(mine.refresh_token, stranger))).toBe("400 INVALID_GRANT");
    expect(await use(mine.access_token)).toBe("200");
  });

  test("it expires after seven days", async () => {
    const { refresh_token: token } = await clientTokens(node, partner, account);
    const [row] = await node.db.query<{ seconds: number }>(
      "select extract(epoch from expires_at - created_at)::int as seconds from oauth_refresh_tokens where hash = $1",
      [tokenHash(token)],
    );
    expect(row?.seconds).toBe(604_800);
    await node.db.query("update oauth_refresh_tokens set expires_at = now() where hash = $1", [
      tokenHash(token),
    ]);
    expect(outcome(await refresh(token))).toBe("400 INVALID_GRANT");
  });

  test.each(["nonsense", "00000000-0000-4000-8000-000000000000", "%00"])(
    "client %j is unknown",
    async (id) => {
      const { refresh_token: token } = await clientTokens(node, partner, account);
      expect(outcome(await ask(refreshRequest(token, id)))).toBe("400 INVALID_CLIENT");
      expect(outcome(await ask(refreshRequest(token, stranger.clientId)))).toBe("400 INVALID_CLIENT");
      expect((await refresh(token)).status).toBe(200);
    },
  );
});

describe("with an Idempotency-Key, a response that was lost with its node is repeated", () => {
  const send = (body: unknown, key: string) =>
    call(node, "POST", "/v2/oauth/token", { headers: { ...partner.headers, "idempotency-key": key }, body });
  /** The node died after its work was stored, and before the answer was. */
  const loseAnswer = (key: string) =>
    node.db.query(
      "update idempotency_keys set status = null, answer = null, locked_until = now() - interval '1 second' where key = $1",
      [key],
    );

  test.each(["refresh token", "code"])("for a %s", async (what) => {
    const first = await clientTokens(node, partner, account);
    const body =
      what === "code" ? codeRequest(await newCode()) : refreshRequest(first.refresh_token, partner.clientId);
    const key = newSecret(8);
    const lost = tokensOf(await send(body, key));
    await loseAnswer(key);
    const again = await send(body, key);
    expect(again.headers["idempotency-replayed"]).toBeUndefined();
    expect(tokensOf(again)).toEqual(lost);
    expect(await use(lost.access_token)).toBe("200");
    // Under another key, or none, it is a second use all the same.
    await loseAnswer(key);
    expect(outcome(await send(body, newSecret(8)))).toBe("400 INVALID_GRANT");
    await expect.poll(() => use(lost.access_token)).toBe("401 INVALID_APIKEY");
    expect(outcome(await send(body, key))).toBe("400 INVALID_GRANT");
  });
});

describe("codes", () => {
  test("are redeemed for the consenting account, with the granted scope", async () => {
    const { access_token: token } = tokensOf(await ask(codeRequest(await newCode({ scope: ["crm"] }))));
    expect(await use(token, node, "/v2/users")).toBe("200");
    expect(await use(token)).toBe("403 FORBIDDEN");
  });

  test("require the same client, address and verifier; a wrong attempt has no effect", async () => {
    const code = await newCode();
    const wrong = [
      { redirect_uri: "https://crm.example/other" },
      { redirect_uri: `${REDIRECT}&x=1` },
      { code_verifier: newSecret(48) },
      { code: `${code}x` },
      { code: "nonsense" },
    ];
    for (const more of wrong) expect(outcome(await ask(codeRequest(code, more)))).toBe("400 INVALID_GRANT");
    const client = { client_id: stranger.clientId };
    expect(outcome(await ask(codeRequest(code, client)))).toBe("400 INVALID_CLIENT");
    expect(outcome(await ask(codeRequest(code, client), stranger))).toBe("400 INVALID_GRANT");
    expect((await ask(codeRequest(code))).status).toBe(200);
  });

  test("the plain method of PKCE does not pass for S256", async () => {
    const code = await newCode({ challenge: Buffer.from(VERIFIER) });
    expect(outcome(await ask(codeRequest(code)))).toBe("400 INVALID_GRANT");
  });

  test("expire after a minute", async () => {
    const code = await newCode();
    const [row] = await node.db.query<{ seconds: number }>(
      "select extract(epoch from expires_at - now())::int as seconds from oauth_codes where hash = $1",
      [tokenHash(code)],
    );
    expect(row?.seconds).toBeGreaterThan(50);
    expect(row?.seconds).toBeLessThanOrEqual(60);
    await node.db.query("update oauth_codes set expires_at = now() where hash = $1", [tokenHash(code)]);
    expect(outcome(await ask(codeRequest(code)))).toBe("400 INVALID_GRANT");
  });

  test("work once: a second use revokes the tokens of the first, over two nodes too", async () => {
    for (let round = 0; round < 5; round++) {
      const request = codeRequest(await newCode());
      const answers = await Promise.all([ask(request, partner, node), ask(request, partner, other)]);
      expect(answers.map(outcome).toSorted()).toEqual(["200", "400 INVALID_GRANT"]);
      const won = tokensOf(answers.find(({ status }) => status === 200) ?? answers[0]);
      await expect.poll(() => use(won.access_token)).toBe("401 INVALID_APIKEY");
      expect(outcome(await refresh(won.refresh_token))).toBe("400 INVALID_GRANT");
    }
  });
});

describe("expiry and revocation", () => {
  const expire = (token: string, after: string) =>
    node.db.query("update tokens set expires_at = now() + $2::interval where hash = $1", [
      tokenHash(token),
      after,
    ]);

  test("an expired token is refused, also by a node that knew it a moment ago", async () => {
    /** One that was used before it expired, which takes a busy machine longer. */
    const expiring = async (ms: number): Promise<string> => {
      const { access_token: token } = await clientTokens(node, partner, account);
      await expire(token, `${ms} milliseconds`);
      return (await use(token)) === "200" ? token : expiring(2 * ms);
    };
    const token = await expiring(700);
    await expect.poll(() => use(token), { interval: 50 }).toBe("401 INVALID_APIKEY");
  });

  test("a revocation takes effect on every node within about a second, even without a notification", async () => {
    const { access_token: token } = await clientTokens(node, partner, account);
    for (const on of [node, other]) expect(await use(token, on)).toBe("200");
    await node.db.query("update tokens set revoked_at = now() where hash = $1", [tokenHash(token)]);
    for (const on of [node, other])
      await expect.poll(() => use(token, on), { interval: 50 }).toBe("401 INVALID_APIKEY");
  });

  test.each(["access_token", "refresh_token"] as const)("revoking the %s ends its family", async (name) => {
    const revoke = (token: string, by = partner) =>
      call(node, "POST", "/v2/oauth/revoke", { headers: by.headers, body: { token } });
    const tokens = await clientTokens(node, partner, account);
    expect((await revoke(tokens[name], stranger)).status).toBe(200);
    expect(await use(tokens.access_token)).toBe("200");
    const answer = await revoke(tokens[name]);
    expect([answer.status, answer.json]).toEqual([
      200,
      { data: null, meta: { timestamp: expect.any(Number) } },
    ]);
    await expect.poll(() => use(tokens.access_token, other)).toBe("401 INVALID_APIKEY");
    expect(outcome(await refresh(tokens.refresh_token))).toBe("400 INVALID_GRANT");
    expect((await revoke(tokens[name])).status).toBe(200);
    expect((await revoke("nonsense")).status).toBe(200);
  });

  test("a machine token is revoked with its refresh token", async () => {
    const tokens = tokensOf(await ask(machineRequest()));
    const { headers } = partner;
    await call(node, "POST", "/v2/oauth/revoke", { headers, body: { token: tokens.access_token } });
    expect(outcome(await ask(exchangeRequest(tokens.access_token, account)))).toBe("400 INVALID_GRANT");
    expect(outcome(await refresh(tokens.refresh_token))).toBe("400 INVALID_GRANT");
  });

  test.each([
    [{}, "token"],
    [{ token: "", hint: "x" }, "hint token"],
    [{ token: "x".repeat(513) }, "token"],
  ])("revoking %.40j is faulty", async (body, fields) => {
    const answer = await call(node, "POST", "/v2/oauth/revoke", { headers: partner.headers, body });
    expect(outcome(answer)).toBe(`400 VALIDATION_ERROR ${fields}`);
  });
});

test("no token is stored in plain text", async () => {
  const tokens = await clientTokens(node, partner, account);
  const code = await newCode();
  const tables = ["tokens", "oauth_refresh_tokens", "oauth_machine_tokens", "oauth_codes", "oauth_grants"];
  for (const table of tables) {
    const rows = await node.db.query<{ row: string }>(`select row_to_json(t)::text as row from ${table} t`);
    expect(rows.length).toBeGreaterThan(0);
    const text = rows.map(({ row }) => row).join();
    for (const secret of [tokens.access_token, tokens.refresh_token, code]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice(6));
    }
    expect(text).not.toMatch(/tl_\w\w_/);
  }
});
