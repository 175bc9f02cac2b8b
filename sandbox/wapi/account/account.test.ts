import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { hello, paths, withReceiver, withWapi } from "../test-kit.ts";

const info = `GET ${paths.number}`;

describe("numbers and accounts", () => {
  test("a number returns the requested fields", () =>
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

  test("registration, with a PIN that is stored", () =>
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
  test.each(moves)("Meta's actions cause callbacks: %s", (_label, route, body, field, value) =>
    withReceiver(async ({ admin }, receiver) => {
      const path = route.replace("{waba}", demo.wabaId).replace("{number}", demo.numberId);
      expect(await admin(`POST ${path}`, body)).toEqual({ callbacks: 1 });
      await receiver.reach(1);
      expect(receiver.values(field)).toMatchObject([value]);
    }),
  );

  test("lasting effects of an action", () =>
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
