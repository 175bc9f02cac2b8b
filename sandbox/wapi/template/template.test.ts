import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { paths, withReceiver, withWapi } from "../test-kit.ts";

describe("templates", () => {
  const simple = (name: string, text = "Hello there") => ({
    name,
    language: "en_US",
    category: "UTILITY",
    components: [{ type: "BODY", text }],
  });
  const create = `POST ${paths.templates}`;

  test("are created, reviewed, used, edited, and deleted", () =>
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

  test("an approved template can be edited once a day", () =>
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

  test("a deleted template's name is reserved for thirty days; each language is unique", () =>
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
    [
      "a one-time code with a text of its own",
      { category: "AUTHENTICATION", components: [{ type: "BODY", text: "Your code: {{1}}." }] },
      /BODY and BUTTONS|Unexpected key/,
    ],
    [
      "a carousel of one card",
      {
        components: [
          { type: "BODY", text: "x" },
          { type: "CAROUSEL", cards: [{ components: [{ type: "BODY", text: "x" }] }] },
        ],
      },
      /2 to 10 items/,
    ],
    ["an unknown field", { colour: "red" }, /Unexpected key "colour"/],
  ];
  test.each(wrong)("refused: %s", (_label, template, refusal) =>
    withWapi(async ({ refused }) => {
      expect(await refused(create, { ...simple("news"), ...template })).toMatch(refusal);
    }),
  );

  test("the button of a one-time code is listed as a link, and Meta words its text", () =>
    withWapi(async ({ ok }) => {
      const components = [
        { type: "body", add_security_recommendation: true },
        { type: "footer", code_expiration_minutes: 10 },
        { type: "buttons", buttons: [{ type: "otp", otp_type: "copy_code", text: "Copy it" }] },
      ];
      const { id } = await ok(create, { ...simple("code"), category: "authentication", components });
      expect(await ok(`GET /v23.0/${id}`)).toMatchObject({
        components: [
          { type: "BODY", text: expect.stringContaining("{{1}}") },
          { type: "FOOTER", text: expect.stringContaining("10 minutes") },
          {
            type: "BUTTONS",
            buttons: [
              {
                type: "URL",
                text: "Copy it",
                url: expect.stringMatching(/\/otp\/code\/\?.*code=otp\{\{1\}\}$/),
              },
            ],
          },
        ],
      });
    }));

  test("are listed in pages, and by filters", () =>
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
