import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { hello, paths, withWapi } from "../test-kit.ts";

const info = `GET ${paths.number}`;

describe("tokens", () => {
  const cases: readonly (readonly [label: string, token: string | null, refusal: string])[] = [
    ["none", null, "401 An access token is required to request this resource."],
    ["an unknown one", "EAAnone", "401 Invalid OAuth access token - Cannot parse access token"],
    [
      "the secret of the app is wrong",
      `${demo.appId}|x`,
      "401 Invalid OAuth access token - Cannot parse access token",
    ],
  ];
  test.each(cases)("%s", (_label, token, refusal) =>
    withWapi(async ({ refused }) => expect(await refused(info, undefined, { token })).toBe(refusal)),
  );

  test("every error has the complete format", () =>
    withWapi(async ({ graph }) => {
      const answer = await graph(`POST ${paths.messages}`, { ...hello, to: demo.phone });
      expect(answer.status).toBe(400);
      expect(answer.headers.get("facebook-api-version")).toBe("v23.0");
      expect(answer.body).toEqual({
        error: {
          message: "(#131021) Recipient cannot be sender",
          type: "OAuthException",
          code: 131021,
          error_data: {
            messaging_product: "whatsapp",
            details: "Sender and recipient phone number is the same.",
          },
          fbtrace_id: expect.stringMatching(/^A[\w-]{20,}$/),
        },
      });
    }));

  const ends: readonly (readonly [reason: string, subcode: number, message: RegExp])[] = [
    [
      "expired",
      463,
      /^Error validating access token: Session has expired on \w+, \d\d-\w{3}-\d\d .* UTC\. The current/,
    ],
    ["session", 460, /session has been invalidated/],
    ["app", 458, /^Error validating access token: The user has not authorized application 1000000000001\.$/],
  ];
  test.each(ends)("ended: %s", (reason, subcode, message) =>
    withWapi(async ({ admin, graph }) => {
      await admin("POST /tokens/expirations", { reason, token: demo.token });
      const { status, headers, body } = await graph(info);
      expect([status, body["error"]?.["code"], body["error"]?.["error_subcode"]]).toEqual([
        401,
        190,
        subcode,
      ]);
      expect(String(body["error"]?.["message"])).toMatch(message);
      expect(headers.get("www-authenticate")).toMatch(/^OAuth "Facebook Platform" "invalid_token"/);
    }),
  );

  test("a token expires as requested, and is valid only for its accounts", () =>
    withWapi(async ({ admin, graph }) => {
      const other = await admin("POST /wabas", {});
      const made = await admin("POST /tokens", {
        app_id: demo.appId,
        waba_ids: [other["id"]],
        expires_in: 60,
      });
      const token = String(made["token"]);
      expect(await graph(`GET /v23.0/${other["id"]}`, undefined, { token })).toMatchObject({ status: 200 });
      expect(await graph(info, undefined, { token })).toMatchObject({
        status: 400,
        body: {
          error: {
            message: `Unsupported get request. Object with ID '${demo.numberId}' does not exist, cannot be loaded due to missing permissions, or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api`,
            type: "GraphMethodException",
            code: 100,
            error_subcode: 33,
          },
        },
      });
      await admin("POST /time", { advance_seconds: 61 });
      expect(await graph(`GET /v23.0/${other["id"]}`, undefined, { token })).toMatchObject({ status: 401 });
    }));

  test("permissions", () =>
    withWapi(async ({ admin, refused }) => {
      const made = await admin("POST /tokens", {
        app_id: demo.appId,
        scopes: ["whatsapp_business_management"],
      });
      const token = String(made["token"]);
      expect(await refused(`POST ${paths.messages}`, hello, { token })).toMatch(
        /^403 \(#10\) Application does not have permission for this action/,
      );
    }));

  test("the token may be in the query; proofs are checked, and required if the app is set so", () =>
    withWapi(async ({ admin, base, graph }) => {
      const get = async (query: string) =>
        (await fetch(`${base}${paths.number}?access_token=${demo.token}${query}`)).status;
      const proof = createHmac("sha256", demo.appSecret).update(demo.token).digest("hex");
      expect([
        await get(""),
        await get(`&appsecret_proof=${proof}`),
        await get("&appsecret_proof=00"),
      ]).toEqual([200, 200, 400]);
      const app = await admin("POST /apps", { require_appsecret_proof: true, secret: "s3cret" });
      const { token } = await admin("POST /tokens", { app_id: app["id"], waba_ids: [demo.wabaId] });
      const bare = await graph(info, undefined, { token: String(token) });
      expect(bare.body["error"]).toMatchObject({
        message: "API calls from the server require an appsecret_proof argument",
        type: "GraphMethodException",
        code: 100,
      });
      const own = createHmac("sha256", "s3cret").update(String(token)).digest("hex");
      const proven = await graph(`${info}?appsecret_proof=${own}`, undefined, { token: String(token) });
      expect(proven.status).toBe(200);
    }));
});

describe("paths", () => {
  const cases: readonly (readonly [route: string, refusal: RegExp])[] = [
    ["GET /", /^400 Unknown path components: \/$/],
    ["GET /v99.0/3000000000001", /^400 Unknown path components: \/v99\.0$/],
    ["GET /v23.0/3000000000001/songs", /^400 Unknown path components: \/songs$/],
    ["GET /v23.0/3000000000001/messages", /^400 Unsupported get request\. Object with ID '3000000000001'/],
    ["POST /v23.0/9999999/messages", /^400 Unsupported post request\. Object with ID '9999999'/],
    [
      "GET /v23.0/3000000000001?fields=id,colour",
      /nonexisting field \(colour\) on node type \(WhatsAppBusinessPhoneNumber\)$/,
    ],
  ];
  test.each(cases)("%s", (route, refusal) =>
    withWapi(async ({ refused }) => expect(await refused(route)).toMatch(refusal)),
  );

  test("a version that is no longer available is served by the oldest that is, with a warning in the journal", () =>
    withWapi(async ({ graph, admin }) => {
      const answer = await graph(`GET /v12.0/${demo.numberId}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("facebook-api-version")).toBe("v17.0");
      const { items } = await admin("GET /calls");
      expect(items).toMatchObject([{ warning: expect.stringContaining("v12.0 is no longer available") }]);
    }));

  test.each(["/v17.0", "/v23.0", "/v25.0", "/v26.0", ""])("version %j is served", (version) =>
    withWapi(async ({ ok }) => {
      expect(await ok(`GET ${version}/${demo.numberId}`)).toMatchObject({ id: demo.numberId });
    }),
  );
});
