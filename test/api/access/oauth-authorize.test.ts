import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { newId, newSecret } from "../../../src/platform/ids.ts";
import { describeInterface } from "../../kit/interface.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import {
  addClientAccount,
  addPartner,
  askToken,
  clientTokens,
  REDIRECT,
  type TestPartner,
  tokensOf,
} from "../kit/partner.ts";
import { addAccount, startNode, type TestAccount, type TestNode, tokenHash } from "../kit/service.ts";

let node: TestNode;
let partner: TestPartner;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  partner = await addPartner(node);
});
beforeEach(async () => {
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const VERIFIER = newSecret(48);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");
const STATE = "state & <ключ>";

/** What the application asks for; null takes a parameter out. */
function path(more: Readonly<Record<string, string | null>> = {}): string {
  const parameters = {
    response_type: "code",
    client_id: partner.clientId,
    redirect_uri: REDIRECT,
    scope: "transport,crm",
    state: STATE,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...more,
  };
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  return `/v2/oauth/authorize?${new URLSearchParams(given)}`;
}

/** A browser as far as this page needs one: it keeps the cookie and sends the form that it was shown. */
class Browser {
  cookie = "";
  #form = "";
  readonly #path: string;

  constructor(address = path()) {
    this.#path = address;
  }

  async open(): Promise<Answer> {
    return this.#keep(await call(node, "GET", this.#path, { headers: this.#headers() }));
  }

  /** Presses a button. */
  async press(action: string, more: Record<string, string> = {}, headers = {}): Promise<Answer> {
    const raw = new URLSearchParams({ form_token: this.#form, action, ...more }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
    return this.#keep(
      await call(node, "POST", this.#path, { raw, headers: { ...type, ...this.#headers(), ...headers } }),
    );
  }

  async signIn(key: string): Promise<Answer> {
    await this.open();
    const answer = await this.press("sign-in", { key });
    return answer.status === 303 && !isElsewhere(answer) ? this.open() : answer;
  }

  #headers(): Record<string, string> {
    return this.cookie === "" ? {} : { cookie: `other=1; ${this.cookie}` };
  }

  #keep(answer: Answer): Answer {
    const [set] = [answer.headers["set-cookie"]].flat();
    if (set !== undefined) this.cookie = set.split(";")[0] ?? "";
    this.#form = /name="form_token" value="([^"]+)"/.exec(answer.text)?.[1] ?? this.#form;
    return answer;
  }
}

const isElsewhere = ({ headers }: Answer): boolean => String(headers["location"]).startsWith("/c/");

/** Where an answer leads, without the redirect address's own query. */
function answered({ status, headers }: Answer): Record<string, string> {
  expect(status).toBe(303);
  const url = new URL(String(headers["location"]));
  expect(`${url.origin}${url.pathname}?tenant=${url.searchParams.get("tenant")}`).toBe(REDIRECT);
  const { tenant: _, ...rest } = Object.fromEntries(url.searchParams);
  return rest;
}

const redeem = (code: string, more: object = {}) =>
  askToken(node, partner, {
    grant_type: "authorization_code",
    authorize_code_data: {
      code,
      redirect_uri: REDIRECT,
      client_id: partner.clientId,
      code_verifier: VERIFIER,
      ...more,
    },
  });

describe("consent", () => {
  test("the key of an account in another cell is passed on to that one", async () => {
    let received = "";
    const other = createServer(async (request, response) => {
      received = `${request.method} ${request.url} ${await text(request)}`;
      response.writeHead(303, { location: "/c/b/v2/oauth/authorize" }).end();
    });
    await once(other.listen(0, "127.0.0.1"), "listening");
    const [moved, key] = [await addAccount(node.db), newSecret()];
    onTestFinished(async () => {
      other.close();
      await node.db.query("delete from account_moves where account_id = $1", [moved.id]);
      await node.db.query("delete from moved_addresses where account_id = $1", [moved.id]);
      node.core.signals.notify("moves");
    });
    await node.db.query(
      "insert into account_moves (account_id, side, move_id, state, address) values ($1, 'source', $2, 'left', $3)",
      [moved.id, newId(), `http://127.0.0.1:${(other.address() as AddressInfo).port}`],
    );
    await node.db.query("insert into moved_addresses (kind, key, account_id) values ('token', $1, $2)", [
      tokenHash(key).toString("hex"),
      moved.id,
    ]);
    node.core.signals.notify("moves");
    await expect
      .poll(async () => (await new Browser().signIn(key)).headers["location"])
      .toBe("/c/b/v2/oauth/authorize");
    expect(received).toMatch(
      /^POST \/v2\/oauth\/authorize\?response_type=code&.*form_token=.*&action=sign-in&key=/,
    );
  });

  test.each(["api", "access"] as const)("from link to token, signed in with the %s key", async (kind) => {
    const browser = new Browser();
    const signIn = await browser.open();
    expect(signIn.status).toBe(200);
    expect(signIn.text).toContain("<title>Sign in to your account</title>");
    const consent = await browser.signIn(account[kind]);
    expect(consent.text).toContain("Allow CRM &lt;app&gt; to use your account?");
    expect(consent.text).toContain("CRM &amp; Co");
    expect(consent.text).toContain("crm.example");
    expect(consent.text).toContain(`<strong>Test</strong> (${account.id})`);
    expect(consent.text.match(/<li>/g)).toHaveLength(2);
    const { code = "", state } = answered(await browser.press("allow"));
    expect(state).toBe(STATE);
    const { access_token: token } = tokensOf(await redeem(code));
    const channels = await call(node, "GET", "/v2/channels", { token });
    expect(channels.status).toBe(200);
    const [row] = await node.db.query("select account_id from tokens where hash = $1", [tokenHash(token)]);
    expect(row).toEqual({ account_id: account.id });
  });

  test("scopes that were not requested are not granted", async () => {
    const browser = new Browser(path({ scope: "crm" }));
    expect((await browser.signIn(account.api)).text.match(/<li>/g)).toHaveLength(1);
    const { code = "" } = answered(await browser.press("allow"));
    const { access_token: token } = tokensOf(await redeem(code));
    expect((await call(node, "GET", "/v2/users", { token })).status).toBe(200);
    expect(outcome(await call(node, "GET", "/v2/channels", { token }))).toBe("403 FORBIDDEN");
  });

  test.each([false, true])(
    "a person who denies access is redirected, still signed in: %s",
    async (signedIn) => {
      const browser = new Browser();
      await (signedIn ? browser.signIn(account.api) : browser.open());
      expect(answered(await browser.press("deny"))).toEqual({
        error: "access_denied",
        error_description: "The person denied access",
        state: STATE,
      });
      expect(await node.db.query("select 1 from oauth_codes where account_id = $1", [account.id])).toEqual(
        [],
      );
    },
  );

  test("signing in is required again afterwards, and for another account", async () => {
    const browser = new Browser();
    await browser.signIn(account.api);
    expect((await browser.press("sign-out")).status).toBe(303);
    expect((await browser.open()).text).toContain("Sign in to your account");
    await browser.signIn(account.api);
    answered(await browser.press("allow"));
    expect((await browser.open()).text).toContain("Sign in to your account");
  });
});

describe("signing in", () => {
  test.each(["", "nonsense", "x".repeat(600)])("with %.10j is refused with an error", async (key) => {
    const answer = await new Browser().signIn(key);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/<p id="problem" role="alert">This key is unknown/);
    expect(answer.text).toContain('aria-describedby="problem key-hint" aria-invalid="true" autofocus');
    if (key !== "") expect(answer.text).not.toContain(key);
  });

  test("refuses a sidecar key, an application's token, and a machine token", async () => {
    const own = await addClientAccount(node, partner);
    const { access_token: access, refresh_token: refresh } = await clientTokens(node, partner, own);
    for (const key of [account.sidecar, access, refresh])
      expect((await new Browser().signIn(key)).text).toContain("This key is unknown");
  });

  test("with a key that is revoked meanwhile grants nothing", async () => {
    const browser = new Browser();
    await browser.signIn(account.api);
    await node.db.query("update tokens set revoked_at = now() where hash = $1", [tokenHash(account.api)]);
    const answer = await browser.press("allow");
    expect([answer.status, answer.headers["location"]]).toEqual([400, undefined]);
    expect(answer.text).toContain("is no longer valid");
  });
});

describe("a form of another page has no effect", () => {
  test.each([
    ["without its token", { form_token: "" }, {}],
    ["with a made up token", { form_token: newSecret(32) }, {}],
    ["from another site", {}, { "sec-fetch-site": "cross-site" }],
    ["from a sibling site", {}, { "sec-fetch-site": "same-site" }],
    ["without the cookie", {}, { cookie: "" }],
    ["with a made up cookie", {}, { cookie: `trunkline_consent=${newSecret(80)}` }],
  ])("%s", async (_, fields, headers) => {
    const browser = new Browser();
    await browser.signIn(account.api);
    const answer = await browser.press("allow", fields, headers);
    expect([answer.status, answer.headers["location"]]).toEqual([400, undefined]);
    expect(answer.text).toContain("The form has expired");
    expect(await node.db.query("select 1 from oauth_codes where account_id = $1", [account.id])).toEqual([]);
  });

  test("with the token of another person's session", async () => {
    const [mine, theirs] = [new Browser(), new Browser()];
    await mine.signIn(account.api);
    const form = /name="form_token" value="([^"]+)"/.exec((await theirs.open()).text)?.[1] ?? "";
    expect((await mine.press("allow", { form_token: form })).status).toBe(400);
  });

  test("after ten minutes", async () => {
    const browser = new Browser();
    await browser.signIn(account.api);
    const sealed = Buffer.from(browser.cookie.split("=")[1] ?? "", "base64url");
    const session = JSON.parse(node.core.seal.open(sealed, "oauth consent").toString()) as { until: number };
    expect(session.until - Date.now()).toBeLessThanOrEqual(600_000);
    const old = JSON.stringify({ ...session, until: Date.now() - 1 });
    browser.cookie = `trunkline_consent=${node.core.seal.seal(old, "oauth consent").toString("base64url")}`;
    expect((await browser.press("allow")).text).toContain("The form has expired");
  });

  test("of another type, or too large", async () => {
    const post = (type: string, raw: string) =>
      call(node, "POST", path(), { raw, headers: { "content-type": type } });
    expect((await post("application/json", "{}")).status).toBe(415);
    expect((await post("application/x-www-form-urlencoded", "x".repeat(20_000))).status).toBe(413);
  });
});

describe("faulty requests", () => {
  test.each([
    [{ client_id: null }, /no application/],
    [{ client_id: "nonsense" }, /no application/],
    [{ client_id: "00000000-0000-4000-8000-000000000000" }, /no application/],
    [{ redirect_uri: null }, /redirect_uri/],
    [{ redirect_uri: "https://evil.example/" }, /redirect_uri/],
    [{ redirect_uri: "https://crm.example/callback" }, /redirect_uri/],
    [{ redirect_uri: `${REDIRECT}&x=1` }, /redirect_uri/],
    [{ redirect_uri: `${REDIRECT}/` }, /redirect_uri/],
    [{ redirect_uri: REDIRECT.toUpperCase() }, /redirect_uri/],
    [{ redirect_uri: "https://crm.example.evil.example/callback?tenant=5" }, /redirect_uri/],
    [{ redirect_uri: "https://crm.example/callback/../callback?tenant=5" }, /redirect_uri/],
  ])("%j: nobody is redirected", async (more, problem) => {
    const answer = await call(node, "GET", path(more));
    expect([answer.status, answer.headers["location"]]).toEqual([400, undefined]);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(answer.text).toMatch(problem);
    expect(answer.text).not.toContain("<form");
    const sent = { raw: "action=allow", headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect((await call(node, "POST", path(more), sent)).headers["location"]).toBeUndefined();
  });

  test("an address given twice is none", async () => {
    for (const name of ["redirect_uri", "client_id"]) {
      const answer = await call(node, "GET", `${path()}&${name}=https://evil.example/`);
      expect([answer.status, answer.headers["location"]]).toEqual([400, undefined]);
    }
  });

  test.each([
    [{ response_type: null }, "invalid_request", /response_type is missing/],
    [{ response_type: "token" }, "unsupported_response_type", /code/],
    [{ scope: null }, "invalid_scope", /scope/],
    [{ scope: "everything" }, "invalid_scope", /scope/],
    [{ code_challenge: null }, "invalid_request", /code_challenge/],
    [{ code_challenge: VERIFIER }, "invalid_request", /code_challenge/],
    [{ code_challenge_method: null }, "invalid_request", /S256/],
    [{ code_challenge_method: "plain" }, "invalid_request", /S256/],
  ] as const)("%j is reported to the application", async (more, error, description) => {
    const told = answered(await call(node, "GET", path(more)));
    expect(told).toEqual({ error, error_description: expect.stringMatching(description), state: STATE });
    expect(told["error_description"]).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test("so is a missing state, and a repeated one", async () => {
    for (const address of [path({ state: null }), path({ state: "" }), `${path()}&state=b`]) {
      const { error, error_description: description } = answered(await call(node, "GET", address));
      expect([error, description]).toEqual(["invalid_request", expect.stringContaining("state")]);
    }
  });
});

describe("the page", () => {
  test("loads and runs nothing, and is not framed, cached or leaked by referrer", async () => {
    const { headers, text } = await new Browser().open();
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-frame-options": "DENY",
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
    const policy = String(headers["content-security-policy"]);
    const style = createHash("sha256").update(/<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? "");
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${style.digest("base64")}'; form-action 'self' https://crm.example; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(text).not.toMatch(/<script|<link|<img|style="|\son\w+=|url\(|@import/i);
  });

  test("restricts its cookie, to https if https is used", async () => {
    const cookieOf = async () => String((await new Browser().open()).headers["set-cookie"]);
    expect(await cookieOf()).toMatch(
      /^trunkline_consent=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict$/,
    );
    const settings = node.core.settings as { publicUrl: string };
    const before = settings.publicUrl;
    settings.publicUrl = "https://gate.example/messaging";
    expect(await cookieOf()).toMatch(
      /^__Host-trunkline_consent=[\w-]+; Path=\/; .*; SameSite=Strict; Secure$/,
    );
    const browser = new Browser();
    await browser.open();
    const { headers } = await browser.press("sign-in", { key: account.api });
    const planted = new Browser();
    planted.cookie = String(headers["set-cookie"]).replace("__Host-", "").replace(/;.*/, "");
    const unimpressed = await planted.open();
    settings.publicUrl = before;
    expect(unimpressed.text).toContain("<h1>Sign in to your account</h1>");
    expect(headers["location"]).toMatch(/^\/messaging\/v2\/oauth\/authorize\?response_type=code&/);
  });

  test("can be used by everybody: language, title, one heading, labels, no trap without JavaScript", async () => {
    const browser = new Browser();
    for (const { text } of [await browser.open(), await browser.signIn(account.api)]) {
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(text).toMatch(/<meta name="viewport" content="width=device-width, initial-scale=1">/);
      expect(text.match(/<h1>/g)).toHaveLength(1);
      expect(text).toMatch(/<title>[^<]+<\/title>/);
      const inputs = [...text.matchAll(/<input id="(\w+)"/g)].map(([, id]) => id);
      for (const id of inputs) expect(text).toContain(`<label for="${id}">`);
      for (const [button] of text.matchAll(/<button[^>]*>[^<]*/g)) expect(button).toMatch(/>[A-Z][a-z ]+$/);
    }
  });

  test.each(["PUT", "DELETE", "PATCH"] as const)("%s does not exist", async (method) => {
    const answer = await call(node, method, path());
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, HEAD, POST, OPTIONS"]);
  });
});

test("each parameter is as docs/openapi.json describes it", async () => {
  const { parameters = [], responses } =
    (await describeInterface()).paths["/v2/oauth/authorize"]?.["get"] ?? {};
  const sent = [...new URL(path(), "http://localhost").searchParams.keys()];
  expect(parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual(sent);
  const statusWithout = async (name: string) => (await call(node, "GET", path({ [name]: null }))).status;
  const statuses = await Promise.all(sent.map(statusWithout));
  expect(statuses).toEqual([303, 400, 400, 303, 303, 303, 303]);
  expect(Object.keys(responses ?? {}).map(Number)).toEqual([200, 303, 400]);
});
