import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { paths, withReceiver, withWapi } from "../test-kit.ts";

const info = `GET ${paths.number}`;

describe("Embedded Signup", () => {
  const redirectUri = "https://crm.example/connect/wapi";
  const dialog = (base: string) =>
    `${base}/v23.0/dialog/oauth?client_id=${demo.appId}&config_id=77&response_type=code&state=s-1&redirect_uri=${encodeURIComponent(redirectUri)}`;
  const exchange = (code: string | null, more: Readonly<Record<string, string>> = {}) => {
    const app = { client_id: demo.appId, client_secret: demo.appSecret, redirect_uri: redirectUri };
    return `GET /v23.0/oauth/access_token?${new URLSearchParams({ ...app, code: code ?? "", ...more })}`;
  };

  test("a person agrees in the dialog; the code is exchanged for a token of the account", () =>
    withReceiver(async ({ admin, base, graph }, receiver) => {
      const waiting = admin("GET /signups?count=1");
      const page = await fetch(dialog(base));
      expect(page.headers.get("content-type")).toMatch(/^text\/html/);
      const [signup] = (await waiting)["items"] as unknown as readonly [{ id: string }];
      const { redirect_url } = await admin(`POST /signups/${signup.id}/completions`, {
        waba_ids: [demo.wabaId],
      });
      const url = new URL(String(redirect_url));
      expect([url.origin + url.pathname, url.searchParams.get("state")]).toEqual([redirectUri, "s-1"]);
      await receiver.reach(1);
      expect(receiver.values("account_update")).toMatchObject([
        { event: "PARTNER_ADDED", waba_info: { waba_id: demo.wabaId } },
      ]);
      const code = url.searchParams.get("code");
      const answer = await graph(exchange(code), undefined, { token: null });
      expect(answer.body).toEqual({
        access_token: expect.stringMatching(/^EAA/),
        token_type: "bearer",
        expires_in: 5_184_000,
      });
      const token = String(answer.body["access_token"]);
      const app = { token: `${demo.appId}|${demo.appSecret}` };
      const debugged = await graph(`GET /v23.0/debug_token?input_token=${token}`, undefined, app);
      expect(debugged.body["data"]).toMatchObject({
        app_id: demo.appId,
        is_valid: true,
        granular_scopes: [
          { scope: "whatsapp_business_management", target_ids: [demo.wabaId] },
          { scope: "whatsapp_business_messaging", target_ids: [demo.wabaId] },
        ],
      });
      expect(await graph(info, undefined, { token })).toMatchObject({ status: 200 });
      const again = await graph(exchange(code), undefined, { token: null });
      expect(again.body["error"]).toMatchObject({
        message: "This authorization code has been used.",
        error_subcode: 36009,
      });
    }));

  test("the page redirects back, also after a refusal", () =>
    withWapi(async ({ base }) => {
      const press = async (answer: string) => {
        const html = await (await fetch(dialog(base))).text();
        const signup = /name="signup" value="(\w+)"/.exec(html)?.[1] ?? "";
        const body = new URLSearchParams({ signup, waba_id: demo.wabaId, answer });
        const response = await fetch(`${base}/v23.0/dialog/oauth/confirm`, {
          method: "POST",
          body,
          redirect: "manual",
        });
        return new URL(response.headers.get("location") ?? "").searchParams;
      };
      expect((await press("continue")).get("code")).toMatch(/^AQ/);
      expect(Object.fromEntries(await press("cancel"))).toEqual({
        error: "access_denied",
        error_code: "200",
        error_description: "Permissions error",
        error_reason: "user_denied",
        state: "s-1",
      });
    }));

  const mistakes: readonly (readonly [
    label: string,
    change: Readonly<Record<string, string>>,
    message: string,
  ])[] = [
    [
      "another app",
      { client_id: "5" },
      "Error validating application. Cannot get application info due to a system error.",
    ],
    ["another secret", { client_secret: "x" }, "Error validating client secret."],
    ["another code", { code: "AQx" }, "Invalid verification code format."],
    [
      "another address",
      { redirect_uri: "https://crm.example/" },
      "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request",
    ],
  ];
  test.each(mistakes)("refused: %s", (_label, change, message) =>
    withWapi(async ({ admin, base, refused }) => {
      await fetch(dialog(base));
      const [signup] = (await admin("GET /signups"))["items"] as unknown as readonly [{ id: string }];
      const { redirect_url } = await admin(`POST /signups/${signup.id}/completions`);
      const code = new URL(String(redirect_url)).searchParams.get("code");
      expect(await refused(exchange(code, change), undefined, { token: null })).toBe(`400 ${message}`);
    }),
  );

  test("a code is valid for half a minute", () =>
    withWapi(async ({ admin, base, refused }) => {
      await fetch(dialog(base));
      const [signup] = (await admin("GET /signups"))["items"] as unknown as readonly [{ id: string }];
      const { redirect_url } = await admin(`POST /signups/${signup.id}/completions`);
      await admin("POST /time", { advance_seconds: 31 });
      const code = new URL(String(redirect_url)).searchParams.get("code");
      expect(await refused(exchange(code), undefined, { token: null })).toBe(
        "400 This authorization code has expired.",
      );
    }));
});
