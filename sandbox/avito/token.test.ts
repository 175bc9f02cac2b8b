import { describe, expect, test } from "vitest";
import { startSandbox } from "../server.ts";
import { adminOf } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { paths, withAvito } from "./test-kit.ts";

const self = "GET /core/v1/accounts/self";

describe("consent", () => {
  const query = `client_id=${demo.clientId}&scope=messenger:read,messenger:write,user:read&state=s%261`;

  test("redirects back with a one-time code, and its tokens work", () =>
    withAvito(async ({ admin, api, base, token }) => {
      const page = await fetch(`${base}/oauth?response_type=code&${query}`);
      expect(await page.text()).toContain("messenger:read, messenger:write, user:read");
      const { items } = await admin("GET /consents?count=1");
      const { redirect_url } = await admin(`POST /consents/${items?.[0]?.["id"]}/completions`);
      const back = new URL(String(redirect_url));
      expect(back.searchParams.get("state")).toBe("s&1");
      const code = String(back.searchParams.get("code"));
      const given = await token({ grant_type: "authorization_code", code });
      expect(given).toMatchObject({
        status: 200,
        body: { expires_in: 86400, token_type: "Bearer", scope: "messenger:read,messenger:write,user:read" },
      });
      expect(await api(self, undefined, String(given.body["access_token"]))).toMatchObject({
        status: 200,
        body: { id: demo.accountId, phone: "71112223344", phones: ["71112223344"] },
      });
      expect(await token({ grant_type: "authorization_code", code })).toMatchObject({
        status: 400,
        body: { error: "invalid_grant" },
      });
    }));

  test("returns to the service beside the demo, wherever that listens", async () => {
    const sandbox = await startSandbox({ seedDemo: true });
    try {
      sandbox.serviceAt("http://127.0.0.1:4000");
      const admin = adminOf(sandbox.url, "avito");
      await fetch(`${sandbox.url}/avito/oauth?response_type=code&${query}`);
      const { items } = await admin("GET /consents?count=1");
      const { redirect_url } = await admin(`POST /consents/${items?.[0]?.["id"]}/completions`);
      expect(redirect_url).toMatch(/^http:\/\/127\.0\.0\.1:4000\/connect\/avito\?code=/);
    } finally {
      await sandbox.close();
    }
  });

  test("can be given and refused in a browser, and requires an existing application", () =>
    withAvito(async ({ admin, base }) => {
      const open = `${base}/oauth?response_type=code&${query}`;
      for (const [answer, expected] of [
        ["allow", /\?code=/],
        ["deny", /\?error=access_denied/],
      ] as const) {
        const html = await (await fetch(open)).text();
        const consent = /name="consent" value="(\w+)"/.exec(html)?.[1] ?? "";
        const body = new URLSearchParams({ consent, account_id: String(demo.accountId), answer });
        const decided = await fetch(open, { method: "POST", body, redirect: "manual" });
        expect([decided.status, decided.headers.get("location")]).toEqual([
          302,
          expect.stringMatching(expected),
        ]);
        expect((await fetch(open, { method: "POST", body, redirect: "manual" })).status).toBe(400);
      }
      for (const wrong of [
        "client_id=x",
        "scope=items:info",
        "redirect_uri=http://evil",
        "response_type=token",
      ]) {
        const search = new URLSearchParams(`response_type=code&${query}`);
        for (const [name, value] of new URLSearchParams(wrong)) search.set(name, value);
        expect((await fetch(`${base}/oauth?${search}`)).status).toBe(400);
      }
      expect(await admin("GET /consents")).toMatchObject({ count: 2 });
    }));
});

describe("tokens", () => {
  test("a refresh token is valid once and returns the next; access tokens are valid for a day", () =>
    withAvito(async ({ admin, api, token }) => {
      const first = await admin("POST /tokens");
      const refresh = (value: unknown) =>
        token({ grant_type: "refresh_token", refresh_token: String(value) });
      const second = await refresh(first["refresh_token"]);
      expect(second.status).toBe(200);
      expect(await refresh(first["refresh_token"])).toMatchObject({
        status: 400,
        body: { error: "invalid_grant" },
      });
      const access = String(second.body["access_token"]);
      await admin("POST /time", { advance_seconds: 86_300 });
      expect((await api(self, undefined, access)).status).toBe(200);
      await admin("POST /time", { advance_seconds: 200 });
      expect((await api(self, undefined, access)).status).toBe(401);
      await admin("POST /settings", { expired_tokens: "403" });
      expect(await api(self, undefined, access)).toMatchObject({
        status: 403,
        body: { result: { status: false } },
      });
      expect((await refresh(second.body["refresh_token"])).status).toBe(200);
      await admin("POST /tokens/revocations");
      expect((await api(self)).status).toBe(401);
    }));

  test("a code expires after ten minutes, and another application cannot use it", () =>
    withAvito(async ({ admin, token }) => {
      const other = { client_id: "other-application", client_secret: "secret" };
      await admin("POST /apps", other);
      const { code } = await admin("POST /codes", { client_id: demo.clientId });
      const grant = { grant_type: "authorization_code", code: String(code) };
      expect(await token({ ...grant, ...other })).toMatchObject({
        status: 400,
        body: { error: "invalid_grant" },
      });
      await admin("POST /time", { advance_seconds: 601 });
      expect(await token(grant)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }));

  test("client_credentials are for the application's owner and return no refresh token", () =>
    withAvito(async ({ api, token }) => {
      const { body } = await token({ grant_type: "client_credentials" });
      expect(body).not.toHaveProperty("refresh_token");
      expect(await api(self, undefined, String(body["access_token"]))).toMatchObject({
        body: { id: demo.accountId },
      });
    }));

  test("errors have the format of RFC 6749, or, if enabled, status 200", () =>
    withAvito(async ({ admin, base, token }) => {
      const cases = [
        [{ grant_type: "password" }, 400, "unsupported_grant_type"],
        [{ grant_type: "authorization_code" }, 400, "invalid_request"],
        [{ grant_type: "client_credentials", audience: "x" }, 400, "invalid_request"],
        [{ grant_type: "client_credentials", client_secret: "wrong" }, 401, "invalid_client"],
        [{ grant_type: "refresh_token", refresh_token: "x" }, 400, "invalid_grant"],
      ] as const;
      for (const [form, status, error] of cases)
        expect(await token(form)).toMatchObject({ status, body: { error } });
      const json = await fetch(`${base}/token`, {
        method: "POST",
        body: "{}",
        headers: { "Content-Type": "application/json" },
      });
      expect(json.status).toBe(400);
      await admin("POST /settings", { token_errors_as_200: true });
      expect(await token({ grant_type: "client_credentials", client_secret: "wrong" })).toMatchObject({
        status: 200,
        body: { error: "invalid_client" },
      });
      await admin("POST /faults", { call: "token", oauth_error: "invalid_grant", http_status: 401 });
      expect(await token({ grant_type: "client_credentials" })).toMatchObject({ status: 401 });
    }));

  test("scopes, other accounts and the paid level are checked", () =>
    withAvito(async ({ admin, refused }) => {
      const reader = String((await admin("POST /tokens", { scopes: ["messenger:read"] }))["access_token"]);
      const text = { type: "text", message: { text: "x" } };
      expect(await refused(`POST ${paths.messages}`, text, reader)).toBe("403 Forbidden");
      expect(await refused(self, undefined, reader)).toBe("403 Forbidden");
      expect(await refused(`GET ${paths.chats}`, undefined, null)).toBe("401 Unauthorized");
      expect(await refused(`GET ${paths.chats}`, undefined, "nonsense")).toBe("401 Unauthorized");
      expect(await refused("GET /messenger/v2/accounts/5/chats")).toBe("403 Forbidden");
      await admin(`POST /accounts/${demo.accountId}/levels`, { paid: false });
      expect(await refused(`GET ${paths.chats}`)).toBe("402 Payment required");
      await admin(`POST /accounts/${demo.accountId}/levels`, { paid: true });
    }));
});
