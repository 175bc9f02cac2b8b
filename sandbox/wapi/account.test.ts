import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { demo } from "./demo.ts";
import { maxUploadBytes } from "./media-type.ts";
import { hello, paths, withReceiver, withWapi } from "./test-kit.ts";

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

  test("every error has the whole shape", () =>
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

  test("a token lives as long as it was given, and sees only its accounts", () =>
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

  test("the token may stand in the query; proofs are checked, and demanded where the app wants", () =>
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
    ["GET /v12.0/3000000000001", /deprecated version/],
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

  test.each(["/v17.0", "/v23.0", "/v25.0", "/v26.0", ""])("version %j is served", (version) =>
    withWapi(async ({ ok }) => {
      expect(await ok(`GET ${version}/${demo.numberId}`)).toMatchObject({ id: demo.numberId });
    }),
  );
});

describe("numbers and accounts", () => {
  test("a number tells of itself what it is asked", () =>
    withWapi(async ({ ok }) => {
      const fields =
        "id,display_phone_number,verified_name,quality_rating,name_status,code_verification_status,messaging_limit_tier,status";
      expect(await ok(`${info}?fields=${fields}`)).toEqual({
        id: demo.numberId,
        display_phone_number: "+1 555-078-3881",
        verified_name: "Lucky Shrub",
        quality_rating: "GREEN",
        name_status: "APPROVED",
        code_verification_status: "VERIFIED",
        messaging_limit_tier: "TIER_250",
        status: "CONNECTED",
      });
      expect(await ok(`GET ${paths.waba}?fields=account_review_status`)).toEqual({
        account_review_status: "APPROVED",
        id: demo.wabaId,
      });
      expect(await ok(`GET ${paths.waba}/phone_numbers?fields=id,status`)).toMatchObject({
        data: [{ id: demo.numberId, status: "CONNECTED" }],
        paging: { cursors: { before: expect.any(String), after: expect.any(String) } },
      });
    }));

  test("registering, with a PIN that is remembered", () =>
    withWapi(async ({ admin, ok, refused }) => {
      const number = await admin("POST /numbers", { waba_id: demo.wabaId, registered: false });
      const route = `POST /v23.0/${number["id"]}`;
      const register = (pin: string) => ({ messaging_product: "whatsapp", pin });
      expect(await refused(`${route}/messages`, hello)).toMatch(/^400 \(#133010\) Account not registered/);
      expect(await refused(`${route}/register`, register("12345"))).toMatch(/pin must be exactly 6 digits/);
      expect(await ok(`${route}/register`, register("123456"))).toEqual({ success: true });
      await ok(`${route}/messages`, hello);
      expect(await ok(`${route}/deregister`)).toEqual({ success: true });
      expect(await refused(`${route}/messages`, hello)).toMatch(/133010/);
      expect(await refused(`${route}/register`, register("654321"))).toMatch(/^400 \(#133005\) Two step/);
      expect(await ok(`${route}/register`, register("123456"))).toEqual({ success: true });
    }));

  test("a profile is written and read", () =>
    withWapi(async ({ ok }) => {
      const route = `${paths.number}/whatsapp_business_profile`;
      await ok(`POST ${route}`, {
        messaging_product: "whatsapp",
        about: "We sell plants",
        vertical: "RETAIL",
      });
      expect(await ok(`GET ${route}?fields=about,vertical,email`)).toEqual({
        data: [{ about: "We sell plants", vertical: "RETAIL", messaging_product: "whatsapp" }],
      });
    }));

  const moves: readonly (readonly [
    label: string,
    route: string,
    body: object,
    field: string,
    value: object,
  ])[] = [
    [
      "ban",
      "/wabas/{waba}/bans",
      { state: "DISABLE" },
      "account_update",
      {
        event: "DISABLED_UPDATE",
        ban_info: { waba_ban_state: "DISABLE", waba_ban_date: expect.stringMatching(/^\w+ \d+, \d{4}$/) },
      },
    ],
    [
      "restriction",
      "/wabas/{waba}/restrictions",
      {},
      "account_update",
      {
        event: "ACCOUNT_RESTRICTION",
        restriction_info: [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING" }],
      },
    ],
    [
      "violation",
      "/wabas/{waba}/violations",
      { type: "ADULT" },
      "account_update",
      { event: "ACCOUNT_VIOLATION", violation_info: { violation_type: "ADULT" } },
    ],
    ["deletion", "/wabas/{waba}/deletions", {}, "account_update", { event: "ACCOUNT_DELETED" }],
    [
      "uninstall",
      "/wabas/{waba}/uninstalls",
      {},
      "account_update",
      { event: "PARTNER_APP_UNINSTALLED", waba_info: { waba_id: demo.wabaId, partner_app_id: demo.appId } },
    ],
    [
      "review",
      "/wabas/{waba}/reviews",
      { decision: "REJECTED" },
      "account_review_update",
      { decision: "REJECTED" },
    ],
    [
      "limit",
      "/wabas/{waba}/limits",
      { tier: "TIER_2K" },
      "business_capability_update",
      { max_daily_conversations_per_business: "TIER_2K", max_phone_numbers_per_waba: 25 },
    ],
    [
      "limit as a number",
      "/wabas/{waba}/limits",
      { tier: "TIER_UNLIMITED", form: "number" },
      "business_capability_update",
      { max_daily_conversations_per_business: -1 },
    ],
    [
      "quality",
      "/numbers/{number}/qualities",
      { tier: "TIER_10K", event: "THROUGHPUT_UPGRADE" },
      "phone_number_quality_update",
      {
        display_phone_number: demo.phone,
        event: "THROUGHPUT_UPGRADE",
        old_limit: "TIER_250",
        current_limit: "TIER_10K",
        max_daily_conversations_per_business: "TIER_10K",
      },
    ],
    [
      "quality of a template",
      "/templates/4000000000001/qualities",
      { quality: "RED" },
      "message_template_quality_update",
      { previous_quality_score: "UNKNOWN", new_quality_score: "RED", message_template_id: 4_000_000_000_001 },
    ],
    [
      "category of a template",
      "/templates/4000000000001/categories",
      { category: "MARKETING" },
      "template_category_update",
      {
        previous_category: "UTILITY",
        new_category: "MARKETING",
        message_template_name: "order_confirmation",
      },
    ],
    [
      "share",
      "/wabas/{waba}/shares",
      { app_id: demo.appId },
      "account_update",
      { event: "PARTNER_ADDED", waba_info: { waba_id: demo.wabaId } },
    ],
    [
      "an error of no message",
      "/numbers/{number}/errors",
      { error_code: 131057 },
      "messages",
      {
        metadata: { phone_number_id: demo.numberId },
        errors: [{ code: 131057, title: "Account in maintenance mode" }],
      },
    ],
    [
      "name",
      "/numbers/{number}/names",
      { requested_verified_name: "Shrubs" },
      "phone_number_name_update",
      {
        display_phone_number: demo.phone,
        decision: "APPROVED",
        requested_verified_name: "Shrubs",
        rejection_reason: null,
      },
    ],
  ];
  test.each(moves)("Meta's moves are told: %s", (_label, route, body, field, value) =>
    withReceiver(async ({ admin }, receiver) => {
      const path = route.replace("{waba}", demo.wabaId).replace("{number}", demo.numberId);
      expect(await admin(`POST ${path}`, body)).toEqual({ callbacks: 1 });
      await receiver.reach(1);
      expect(receiver.values(field)).toMatchObject([value]);
    }),
  );

  test("what a move leaves behind", () =>
    withWapi(async ({ admin, ok, refused, graph }) => {
      const send = () => refused(`POST ${paths.messages}`, hello);
      await admin(`POST /wabas/${demo.wabaId}/bans`, { state: "DISABLE" });
      expect(await send()).toMatch(/^403 \(#131031\) Business Account locked/);
      await admin(`POST /wabas/${demo.wabaId}/bans`, { state: "REINSTATE" });
      await ok(`POST ${paths.messages}`, hello);
      await admin(`POST /wabas/${demo.wabaId}/reviews`, { decision: "REJECTED" });
      expect(await send()).toMatch(/131031/);
      expect(await ok(`GET ${paths.waba}?fields=account_review_status`)).toMatchObject({
        account_review_status: "REJECTED",
      });
      await admin(`POST /wabas/${demo.wabaId}/reviews`, { decision: "APPROVED" });
      await admin(`POST /numbers/${demo.numberId}/states`, { status: "BANNED" });
      expect(await send()).toMatch(/131031/);
      await admin(`POST /numbers/${demo.numberId}/states`, { status: "DELETED" });
      expect(await send()).toMatch(/^400 \(#33\) This object does not exist or does not support this action/);
      await admin(`POST /numbers/${demo.numberId}/states`, { status: "CONNECTED" });
      await admin(`POST /wabas/${demo.wabaId}/uninstalls`, { app_id: demo.appId });
      expect(await graph(info)).toMatchObject({
        status: 401,
        body: { error: { code: 190, error_subcode: 458 } },
      });
    }));
});

describe("templates", () => {
  const simple = (name: string, text = "Hello there") => ({
    name,
    language: "en_US",
    category: "UTILITY",
    components: [{ type: "BODY", text }],
  });
  const create = `POST ${paths.templates}`;

  test("are made, reviewed, used, edited, and deleted", () =>
    withReceiver(async ({ admin, ok, refused }, receiver) => {
      const made = await ok(create, simple("news"));
      expect(made).toEqual({ id: expect.stringMatching(/^\d+$/), status: "PENDING", category: "UTILITY" });
      const send = {
        messaging_product: "whatsapp",
        to: demo.user,
        type: "template",
        template: { name: "news", language: { code: "en_US" } },
      };
      expect(await refused(`POST ${paths.messages}`, send)).toMatch(/^404 \(#132001\)/);
      const decide = (event: string, more: object = {}) =>
        admin(`POST /templates/${made["id"]}/moderations`, { event, ...more });
      await decide("APPROVED");
      await ok(`POST ${paths.messages}`, send);
      await decide("PAUSED", { title: "SECOND_PAUSE" });
      expect(await refused(`POST ${paths.messages}`, send)).toMatch(/^400 \(#132015\) Template is paused/);
      await decide("DISABLED");
      expect(await refused(`POST ${paths.messages}`, send)).toMatch(/^400 \(#132016\) Template is disabled/);
      await decide("REJECTED", { reason: "INCORRECT_CATEGORY" });
      await expect
        .poll(() => receiver.values("message_template_status_update"))
        .toMatchObject([
          {
            event: "APPROVED",
            message_template_id: Number(made["id"]),
            message_template_name: "news",
            message_template_language: "en_US",
            message_template_category: "UTILITY",
            reason: "NONE",
          },
          { event: "PAUSED", reason: "NONE", other_info: { title: "SECOND_PAUSE" } },
          { event: "DISABLED", disable_info: { disable_date: expect.stringMatching(/^\d+$/) } },
          { event: "REJECTED", reason: "INCORRECT_CATEGORY" },
        ]);
      const route = `/v23.0/${made["id"]}`;
      expect(await ok(`GET ${route}?fields=status,rejected_reason`)).toMatchObject({
        status: "REJECTED",
        rejected_reason: "INCORRECT_CATEGORY",
      });
      expect(await ok(`POST ${route}`, { components: [{ type: "BODY", text: "Better" }] })).toEqual({
        success: true,
      });
      expect(await ok(`GET ${route}`)).toMatchObject({ status: "PENDING", components: [{ text: "Better" }] });
      expect(await refused(`POST ${route}`, { components: [{ type: "BODY", text: "Again" }] })).toMatch(
        /approved, rejected or paused/,
      );
      expect(await ok(`DELETE ${paths.templates}?name=news&hsm_id=${made["id"]}`)).toEqual({ success: true });
      expect(await refused(`DELETE ${paths.templates}?name=news`)).toMatch(/wasn't found/);
    }));

  test("what is approved can be edited once a day", () =>
    withWapi(async ({ admin, ok, refused }) => {
      await admin("POST /settings", { template_review: "approve" });
      const { id } = await ok(create, simple("news"));
      const edit = { components: [{ type: "BODY", text: "Better" }] };
      const approve = () => admin(`POST /templates/${id}/moderations`, { event: "APPROVED" });
      await ok(`POST /v23.0/${id}`, edit);
      await approve();
      expect(await refused(`POST /v23.0/${id}`, edit)).toMatch(/once in 24 hours/);
      await admin("POST /time", { advance_seconds: 24 * 3600 });
      expect(await refused(`POST /v23.0/${id}`, { category: "MARKETING" })).toMatch(
        /category of an approved/,
      );
      await ok(`POST /v23.0/${id}`, edit);
    }));

  test("a name that was approved is not free for thirty days; one language exists once", () =>
    withWapi(async ({ admin, ok, refused }) => {
      await admin("POST /settings", { template_review: "approve" });
      await ok(create, simple("news"));
      expect(await refused(create, simple("news"))).toMatch(
        /^400 Invalid parameter \| There is already en_US content/,
      );
      await ok(`DELETE ${paths.templates}?name=news`);
      expect(await refused(create, simple("news"))).toMatch(/being deleted/);
      await admin("POST /time", { advance_seconds: 31 * 24 * 3600 });
      await ok(create, simple("news"));
    }));

  const wrong: readonly (readonly [label: string, template: object, refusal: RegExp])[] = [
    ["a name with capitals", { name: "News" }, /lowercase letters/],
    ["no such category", { category: "FUN" }, /Param category must be one of/],
    ["no body", { components: [{ type: "FOOTER", text: "x" }] }, /missing expected field/],
    [
      "two bodies",
      {
        components: [
          { type: "BODY", text: "x" },
          { type: "BODY", text: "y" },
        ],
      },
      /more than one component of type BODY/,
    ],
    ["a long body", { components: [{ type: "BODY", text: "x".repeat(1025) }] }, /limit of 1024 characters/],
    [
      "a variable at the end",
      { components: [{ type: "BODY", text: "Hi {{1}}", example: { body_text: [["x"]] } }] },
      /Leading or trailing params are not allowed/,
    ],
    [
      "a gap in the numbers",
      { components: [{ type: "BODY", text: "Hi {{2}}!", example: { body_text: [["x"]] } }] },
      /without gaps/,
    ],
    ["no example", { components: [{ type: "BODY", text: "Hi {{1}}!" }] }, /example/],
    [
      "a variable in the footer",
      {
        components: [
          { type: "BODY", text: "x" },
          { type: "FOOTER", text: "a {{1}} b" },
        ],
      },
      /too many variables/,
    ],
    [
      "a picture without an example",
      {
        components: [
          { type: "HEADER", format: "IMAGE" },
          { type: "BODY", text: "x" },
        ],
      },
      /header_handle/,
    ],
    [
      "an address with a variable and no example",
      {
        components: [
          { type: "BODY", text: "x" },
          { type: "BUTTONS", buttons: [{ type: "URL", text: "a", url: "https://example.com/{{1}}" }] },
        ],
      },
      /example/,
    ],
    [
      "an address with a variable inside",
      {
        components: [
          { type: "BODY", text: "x" },
          {
            type: "BUTTONS",
            buttons: [{ type: "URL", text: "a", url: "https://example.com/{{1}}/b", example: ["x"] }],
          },
        ],
      },
      /one variable, at its end/,
    ],
    [
      "11 buttons",
      {
        components: [
          { type: "BODY", text: "x" },
          { type: "BUTTONS", buttons: Array(11).fill({ type: "QUICK_REPLY", text: "a" }) },
        ],
      },
      /1 to 10 items/,
    ],
    ["an unknown field", { colour: "red" }, /Unexpected key "colour"/],
  ];
  test.each(wrong)("refused: %s", (_label, template, refusal) =>
    withWapi(async ({ refused }) => {
      expect(await refused(create, { ...simple("news"), ...template })).toMatch(refusal);
    }),
  );

  test("are listed in pages, and by what is asked", () =>
    withWapi(async ({ admin, base, ok }) => {
      for (const index of [1, 2, 3, 4]) await ok(create, simple(`news_${index}`));
      await admin("POST /settings", { template_review: "approve" });
      const first = await ok(`GET ${paths.templates}?limit=2`);
      const next = String(first["paging"]?.["next"]).replace(base, "");
      const second = await ok(`GET ${next}`);
      const third = await ok(
        `GET ${paths.templates}?limit=2&after=${second["paging"]?.["cursors"]?.["after"]}`,
      );
      const names = [first, second, third].flatMap((page) =>
        (page["data"] as unknown as { name: string }[]).map(({ name }) => name),
      );
      expect(names).toEqual(["order_confirmation", "news_1", "news_2", "news_3", "news_4"]);
      expect(third["paging"]).not.toHaveProperty("next");
      expect(await ok(`GET ${paths.templates}?status=APPROVED&fields=name`)).toMatchObject({
        data: [{ name: "order_confirmation", id: expect.any(String) }],
      });
      expect(await ok(`GET ${paths.templates}?name=news_3`)).toMatchObject({ data: [{ name: "news_3" }] });
      expect(await ok(`GET ${paths.templates}?name=none`)).toEqual({ data: [] });
    }));
});

describe("media", () => {
  const form = (
    type: string,
    bytes: number,
    fields: Readonly<Record<string, string>> = { messaging_product: "whatsapp" },
  ) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    data.set("file", new File([Buffer.alloc(bytes)], "file", { type }));
    return data;
  };
  test("are uploaded, sent by id, and forgotten after thirty days", () =>
    withReceiver(async ({ admin, ann, ok, refused, send }, receiver) => {
      await ann("messages", { text: "hi" });
      const { id } = await ok(`POST ${paths.media}`, form("image/png", 100));
      await send({ type: "image", image: { id, caption: "c" } });
      await receiver.reach(3);
      const video = { ...hello, text: undefined, type: "video", video: { id } };
      expect(await refused(`POST ${paths.messages}`, video)).toMatch(
        /^400 \(#131053\) .*image\/png cannot be sent as video/,
      );
      expect(await ok(`GET /v23.0/${id}`)).toMatchObject({ mime_type: "image/png", file_size: "100" });
      expect(await ok(`DELETE /v23.0/${id}`)).toEqual({ success: true });
      expect(await refused(`GET /v23.0/${id}`)).toMatch(/does not exist/);
      const other = await ok(`POST ${paths.media}`, form("image/png", 100));
      await admin("POST /time", { advance_seconds: 30 * 24 * 3600 });
      expect(await refused(`GET /v23.0/${other["id"]}`)).toMatch(/does not exist/);
    }));

  const wrong: readonly (readonly [label: string, body: () => FormData, refusal: RegExp])[] = [
    [
      "a type that is not taken",
      () => form("application/octet-stream", 1),
      /^400 \(#100\) Param file must be a file with one of the following types: audio\/aac, .*Received file of type 'application\/octet-stream'\.$/,
    ],
    [
      "without the product",
      () => form("image/png", 1, {}),
      /^400 \(#100\) The parameter messaging_product is required\.$/,
    ],
    ["a sticker over 500 KB", () => form("image/webp", 500 * 1024 + 1), /^400 \(#131053\).*too big/],
  ];
  test.each(wrong)("refused: %s", (_label, body, refusal) =>
    withWapi(async ({ refused }) => expect(await refused(`POST ${paths.media}`, body())).toMatch(refusal)),
  );
});

describe("the largest upload", () => {
  const megabyte = 1024 * 1024;
  const limits: readonly (readonly [mime: string, bytes: number])[] = [
    ["image/jpeg", 5 * megabyte],
    ["image/webp", 500 * 1024],
    ["video/3gpp", 16 * megabyte],
    ["audio/ogg", 16 * megabyte],
    ["application/pdf", 100 * megabyte],
  ];
  test.each(limits)("%s: %i bytes", (mime, bytes) => expect(maxUploadBytes(mime)).toBe(bytes));
});

describe("Embedded Signup", () => {
  const redirectUri = "https://crm.example/connect/wapi";
  const dialog = (base: string) =>
    `${base}/v23.0/dialog/oauth?client_id=${demo.appId}&config_id=77&response_type=code&state=s-1&redirect_uri=${encodeURIComponent(redirectUri)}`;
  const exchange = (code: string | null, more: Readonly<Record<string, string>> = {}) => {
    const app = { client_id: demo.appId, client_secret: demo.appSecret, redirect_uri: redirectUri };
    return `GET /v23.0/oauth/access_token?${new URLSearchParams({ ...app, code: code ?? "", ...more })}`;
  };

  test("a person agrees in the dialog; the code becomes a token for the account", () =>
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

  test("the page itself leads back, also without an agreement", () =>
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

  test("a code lives for half a minute", () =>
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
