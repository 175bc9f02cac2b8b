import { describe, expect, test } from "vitest";
import type { Json } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { hello, paths, type WapiKit, withWapi } from "./test-kit.ts";

const text = expect.any(String);
const id = expect.stringMatching(/^\d+$/);
const oneOf = (...names: readonly string[]) => expect.stringMatching(new RegExp(`^(${names.join("|")})$`));
const success = { success: true };
const file = (): FormData => {
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("file", new File([Buffer.alloc(10)], "a.png", { type: "image/png" }));
  return form;
};
const template = {
  name: "news",
  language: "en_US",
  category: "MARKETING",
  components: [
    { type: "HEADER", format: "TEXT", text: "Fall Sale" },
    { type: "BODY", text: "Use {{1}} today!", example: { body_text: [["FALL25"]] } },
    { type: "FOOTER", text: "Bye" },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Stop" }] },
  ],
};

/** Each response as in Meta's published description of the API (23.0), complete: additional fields are detected too. */
const shapes: readonly (readonly [label: string, ask: (kit: WapiKit) => Promise<Json>, shape: unknown])[] = [
  ["POST subscribed_apps", ({ ok }) => ok(`POST ${paths.subscribedApps}`, {}), success],
  [
    "GET subscribed_apps",
    async ({ ok }) => {
      await ok(`POST ${paths.subscribedApps}`, {});
      return ok(`GET ${paths.subscribedApps}`);
    },
    { data: [{ whatsapp_business_api_data: { id, link: text, name: text } }] },
  ],
  [
    "GET number",
    ({ ok }) =>
      ok(
        `GET ${paths.number}?fields=id,display_phone_number,verified_name,quality_rating,name_status,code_verification_status`,
      ),
    {
      id,
      display_phone_number: expect.stringMatching(/^\+\d/),
      verified_name: text,
      quality_rating: oneOf("GREEN", "YELLOW", "RED", "NA"),
      name_status: oneOf(
        "APPROVED",
        "AVAILABLE_WITHOUT_REVIEW",
        "DECLINED",
        "EXPIRED",
        "PENDING_REVIEW",
        "NONE",
      ),
      code_verification_status: oneOf("VERIFIED", "UNVERIFIED"),
    },
  ],
  [
    "GET phone_numbers",
    ({ ok }) => ok(`GET ${paths.waba}/phone_numbers?fields=id,display_phone_number,messaging_limit_tier`),
    {
      data: [
        { id, display_phone_number: text, messaging_limit_tier: oneOf("TIER_50", "TIER_250", "TIER_1K") },
      ],
      paging: { cursors: { before: text, after: text } },
    },
  ],
  [
    "GET account",
    ({ ok }) =>
      ok(`GET ${paths.waba}?fields=id,name,account_review_status,message_template_namespace,timezone_id`),
    {
      id,
      name: text,
      account_review_status: oneOf("PENDING", "APPROVED", "REJECTED"),
      message_template_namespace: text,
      timezone_id: text,
    },
  ],
  [
    "POST register",
    ({ ok }) => ok(`POST ${paths.number}/register`, { messaging_product: "whatsapp", pin: "123456" }),
    success,
  ],
  ["POST deregister", ({ ok }) => ok(`POST ${paths.number}/deregister`), success],
  [
    "POST message_templates",
    ({ ok }) => ok(`POST ${paths.templates}`, template),
    { id, status: "PENDING", category: "MARKETING" },
  ],
  [
    "GET message_templates",
    async ({ ok }) => {
      await ok(`POST ${paths.templates}`, template);
      return ok(`GET ${paths.templates}?name=news`);
    },
    {
      data: [{ ...template, id, status: "PENDING", parameter_format: "POSITIONAL" }],
      paging: { cursors: { before: text, after: text } },
    },
  ],
  ["DELETE message_templates", ({ ok }) => ok(`DELETE ${paths.templates}?name=order_confirmation`), success],
  ["POST media", ({ ok }) => ok(`POST ${paths.media}`, file()), { id }],
  [
    "GET media",
    async ({ ok }) => {
      const { id: mediaId } = await ok(`POST ${paths.media}`, file());
      return ok(`GET /v23.0/${mediaId}`);
    },
    { messaging_product: "whatsapp", url: text, mime_type: "image/png", sha256: text, file_size: "10", id },
  ],
  [
    "POST messages",
    ({ ok }) => ok(`POST ${paths.messages}`, hello),
    {
      messaging_product: "whatsapp",
      contacts: [{ input: demo.user, wa_id: demo.user }],
      messages: [{ id: text }],
    },
  ],
  [
    "an error of the Graph API",
    async ({ graph }) => (await graph(`POST ${paths.messages}`, {})).body,
    {
      error: {
        message: text,
        type: oneOf("OAuthException", "GraphMethodException"),
        code: 100,
        fbtrace_id: text,
      },
    },
  ],
];

describe("responses have the format that Meta publishes", () => {
  test.each(shapes)("%s", (_label, ask, shape) =>
    withWapi(async (kit) => expect(await ask(kit)).toEqual(shape)),
  );
});
