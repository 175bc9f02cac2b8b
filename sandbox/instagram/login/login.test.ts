import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Json, withSandbox } from "../../test-kit.ts";
import { demo } from "../demo.ts";
import { account, type InstagramKit, withInstagram } from "../test-kit.ts";

const redirectUri = "http://127.0.0.1:1/back";
const day = 24 * 3600;
const scope = "instagram_business_basic,instagram_business_manage_messages";

function dialog({ base }: InstagramKit, more: Record<string, string> = {}): string {
  const query = {
    client_id: demo.appId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope,
    state: "s1",
    ...more,
  };
  return `${base}/www.instagram.com/oauth/authorize?${new URLSearchParams(query)}`;
}

/** Opens the dialog, gives the owner's consent, and returns the code as a server gets it, without the fragment. */
async function codeOf(kit: InstagramKit): Promise<string> {
  await fetch(dialog(kit));
  const { items } = await kit.admin("GET /authorizations");
  const last = (items as unknown as Json[]).at(-1);
  const { redirect_url: url } = await kit.admin(`POST /authorizations/${last?.["id"]}/completions`);
  expect(String(url)).toMatch(/&state=s1#_$/);
  return new URL(String(url)).searchParams.get("code") ?? "";
}

const fields = (code: string) => ({
  client_id: demo.appId,
  client_secret: demo.appSecret,
  grant_type: "authorization_code",
  redirect_uri: redirectUri,
  code,
});

async function exchange({ base }: InstagramKit, body: URLSearchParams | FormData | string) {
  const headers = typeof body === "string" ? { "Content-Type": "application/json" } : {};
  const url = `${base}/api.instagram.com/oauth/access_token`;
  const response = await fetch(url, { method: "POST", body, headers });
  return { status: response.status, body: (await response.json()) as Json };
}

const form = (values: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return data;
};

describe("business login", () => {
  test("a code is exchanged for a short-lived token, that for a long-lived one, which is refreshed after a day", () =>
    withInstagram(async (kit) => {
      const code = await codeOf(kit);
      const given = await exchange(kit, form(fields(code)));
      const short = String(given.body["data"]?.[0]?.["access_token"]);
      expect(given.body).toEqual({
        data: [
          { access_token: expect.stringMatching(/^IGAA/), user_id: demo.appScopedId, permissions: scope },
        ],
      });
      const host = "GET /graph.instagram.com";
      expect(await kit.ok(`${host}/me?fields=id,user_id,username`, undefined, { token: short })).toEqual({
        id: demo.appScopedId,
        user_id: demo.accountId,
        username: demo.username,
      });
      const toLong = `${host}/access_token?grant_type=ig_exchange_token&client_secret=${demo.appSecret}`;
      const exchanged = await kit.ok(toLong, undefined, { token: short });
      expect(exchanged).toEqual({
        access_token: expect.any(String),
        token_type: "bearer",
        expires_in: 60 * day,
      });
      const long = { token: String(exchanged["access_token"]) };
      await kit.admin("POST /time", { advance_seconds: 3601 });
      expect(await kit.refused(`${host}/me`, undefined, { token: short })).toMatch(
        /^401 190\/463 .*Session has expired/,
      );
      const refresh = `${host}/refresh_access_token?grant_type=ig_refresh_token`;
      expect(await kit.refused(refresh, undefined, long)).toBe(
        "400 100 Unsupported request - method type: get",
      );
      await kit.admin("POST /time", { advance_seconds: day });
      const refreshed = await kit.ok(refresh, undefined, long);
      expect(refreshed).toMatchObject({ token_type: "bearer", expires_in: 60 * day });
      await kit.admin("POST /time", { advance_seconds: 59 * day });
      expect(await kit.refused(refresh, undefined, long)).toMatch(/^401 190\/463 /);
      expect(
        await kit.ok(`${host}/me`, undefined, { token: String(refreshed["access_token"]) }),
      ).toBeDefined();
    }));

  const mistakes: readonly (readonly [what: string, change: Record<string, string>, error: string])[] = [
    ["an unknown code", { code: "x" }, "Matching code was not found or was already used"],
    ["another address", { redirect_uri: "http://a.b/" }, "Error validating verification code."],
    ["an unknown app", { client_id: "5" }, "Invalid platform app"],
    ["a wrong secret", { client_secret: "x" }, "Invalid platform app"],
    ["another grant", { grant_type: "password" }, "Invalid grant_type"],
  ];
  test.each(mistakes)("refuses %s", (_what, change, error) =>
    withInstagram(async (kit) => {
      const code = await codeOf(kit);
      const answer = await exchange(kit, new URLSearchParams({ ...fields(code), ...change }));
      expect(answer).toMatchObject({ status: 400, body: { error_type: "OAuthException", code: 400 } });
      expect(String(answer.body["error_message"]).slice(0, error.length)).toBe(error);
    }),
  );

  test("a code is valid once, for an hour, and not in JSON", () =>
    withInstagram(async (kit) => {
      await kit.admin("POST /settings", { code_form: "plain" });
      const code = await codeOf(kit);
      expect((await exchange(kit, JSON.stringify(fields(code)))).status).toBe(400);
      expect((await exchange(kit, form(fields(code)))).body).toMatchObject({ user_id: demo.appScopedId });
      expect((await exchange(kit, form(fields(code)))).status).toBe(400);
      const late = await codeOf(kit);
      await kit.admin("POST /time", { advance_seconds: 3601 });
      expect((await exchange(kit, form(fields(late)))).status).toBe(400);
    }));

  test("the page in a browser: consent and refusal", () =>
    withInstagram(async (kit) => {
      const answer = async (what: string) => {
        const html = await (await fetch(dialog(kit))).text();
        const id = /name="authorization" value="(\w+)"/.exec(html)?.[1] ?? "";
        const body = new URLSearchParams({ authorization: id, account_id: demo.accountId, answer: what });
        const url = `${kit.base}/www.instagram.com/oauth/confirm`;
        const response = await fetch(url, { method: "POST", body, redirect: "manual" });
        return new URL(String(response.headers.get("location"))).searchParams;
      };
      expect((await answer("allow")).get("code")).toMatch(/^AQB/);
      expect((await answer("cancel")).get("error")).toBe("access_denied");
      const wrong: readonly Record<string, string>[] = [
        { scope: "instagram_basic" },
        { scope: "instagram_business_manage_messages" },
        { redirect_uri: "x" },
        { response_type: "token" },
        { client_id: "5" },
      ];
      for (const more of wrong) expect((await fetch(dialog(kit, more))).status).toBe(400);
    }));
});

describe("Facebook login", () => {
  test("a user token is exchanged for a long-lived one, whose page tokens do not expire", () =>
    withInstagram(async (kit) => {
      await kit.admin("POST /tokens", {
        kind: "user",
        token: "EAAshort",
        long_lived: false,
        expires_in: 3600,
      });
      const query = { client_id: demo.appId, client_secret: demo.appSecret, fb_exchange_token: "EAAshort" };
      const route = `GET /v23.0/oauth/access_token?grant_type=fb_exchange_token&${new URLSearchParams(query)}`;
      const long = await kit.ok(route, undefined, { token: null });
      expect(long).toMatchObject({ token_type: "bearer", expires_in: 60 * day });
      const token = { token: String(long["access_token"]) };
      const fieldsOfPage =
        "fields=access_token,instagram_business_account{id,username,name,profile_picture_url}";
      const page = await kit.ok(`GET /${demo.pageId}?${fieldsOfPage}`, undefined, token);
      expect(page).toMatchObject({
        instagram_business_account: { id: demo.accountId, username: demo.username },
      });
      expect(await kit.ok("GET /me/accounts", undefined, token)).toMatchObject({
        data: [{ id: demo.pageId }],
      });
      await kit.admin("POST /time", { advance_seconds: 61 * day });
      expect(await kit.refused("GET /me", undefined, token)).toMatch(/^401 190\/463 /);
      expect(await kit.ok("GET /me", undefined, { token: String(page["access_token"]) })).toMatchObject({
        id: demo.pageId,
      });
    }));

  test("details of a token, and its end", () =>
    withInstagram(async ({ admin, ok, refused, pageToken }) => {
      const app = { token: `${demo.appId}|${demo.appSecret}` };
      const debug = () => ok(`GET /debug_token?input_token=${pageToken}`, undefined, app);
      expect(await debug()).toMatchObject({ data: { type: "PAGE", is_valid: true, expires_at: 0 } });
      const endings: readonly (readonly [reason: string, subcode: number])[] = [
        ["session", 460],
        ["app", 458],
      ];
      for (const [reason, subcode] of endings) {
        await admin("POST /tokens/expirations", { token: pageToken, reason });
        expect(await refused("GET /me")).toMatch(new RegExp(`^401 190/${subcode} `));
      }
      expect(await debug()).toMatchObject({ data: { is_valid: false, error: { code: 190, subcode: 458 } } });
    }));

  const mistakes: readonly (readonly [what: string, path: string, token: string | null, error: string])[] = [
    ["no token", "/me", null, "401 104 An access token is required"],
    ["an unknown token", "/me", "EAAx", "401 190 Invalid OAuth access token - Cannot parse access token"],
    ["a token of the other login", "/me", demo.instagramToken, "401 190 Invalid OAuth"],
    [
      "a token of the other login, the other way",
      "/graph.instagram.com/me",
      demo.userToken,
      "401 190 Invalid OAuth",
    ],
  ];
  test.each(mistakes)("%s", (_what, path, token, error) =>
    withInstagram(async ({ refused }) => {
      expect((await refused(`GET ${path}`, undefined, { token })).slice(0, error.length)).toBe(error);
    }),
  );

  test("permissions are checked", () =>
    withInstagram(async ({ admin, refused }) => {
      await admin("POST /tokens", { kind: "page", token: "EAAnarrow", scopes: ["instagram_basic"] });
      const token = { token: "EAAnarrow" };
      const send = { recipient: { id: demo.igsid }, message: { text: "x" } };
      expect(await refused("POST /me/messages", send, token)).toMatch(/^403 10 .*instagram_manage_messages/);
      expect(await refused("POST /me/subscribed_apps?subscribed_fields=feed", undefined, token)).toMatch(
        /pages_manage_metadata/,
      );
    }));
});

test("accounts, people, tokens, posts, comments and files survive a restart", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "instagram-restart-"));
  try {
    const before = { comment: "", media: "", file: "" };
    await withInstagram(
      async (kit) => {
        const post = await kit.admin(`POST ${account}/media`, { caption: "kept" });
        const { comment } = await kit.ann("comments", { text: "kept" });
        await kit.ok(`POST /${demo.pageId}/subscribed_apps?subscribed_fields=feed`);
        before.media = String(post["id"]);
        before.comment = String(comment?.["id"]);
        before.file = new URL(String(post["media_url"])).pathname;
      },
      { dataDir },
    );
    await withInstagram(
      async (kit) => {
        expect(await kit.ok(`GET /${before.media}?fields=caption`)).toMatchObject({ caption: "kept" });
        expect(await kit.ok(`GET /${before.comment}?fields=text`)).toMatchObject({ text: "kept" });
        expect((await fetch(kit.url + before.file)).status).toBe(200);
        expect(await kit.admin(`GET ${account}`)).toMatchObject({
          subscribed_app_ids: [demo.appId],
          users: [{ user_id: demo.userId, igsid: demo.igsid }],
        });
        await kit.send({ text: "the window is still open" });
      },
      { dataDir },
    );
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test("the demo is complete: its people can write immediately", () =>
  withSandbox(async ({ url }) => {
    const response = await fetch(`${url}/admin/instagram/messages`, {
      method: "POST",
      body: '{"text":"Hello"}',
    });
    expect(await response.json()).toMatchObject({ message: { text: "Hello" } });
    expect(await (await fetch(url)).json()).toMatchObject({
      instagram: { url: `${url}/instagram`, settings: { INSTAGRAM_APP_ID: demo.appId } },
    });
  }));
