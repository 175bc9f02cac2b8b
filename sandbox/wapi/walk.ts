import type { Step, Walk } from "../walk/contract.ts";
import { Crm } from "../walk/crm.ts";
import type { Stage } from "../walk/stage.ts";
import {
  deleteStep,
  errorStep,
  type Kind,
  killStep,
  moveStep,
  receiveStep,
  receiveSteps,
  restrictionStep,
  sendStep,
  sendSteps,
} from "../walk/steps.ts";
import {
  connectThroughDialog,
  markSteps,
  quoteStep,
  reactionSteps,
  referralStep,
  repeatedCallbackStep,
  waitedOutStep,
} from "../walk/talk.ts";

const PERSON = "16505551234";
const SECRET = "secret-of-the-walk";
const VERIFY_TOKEN = "walk";
const DAY_S = 86_400;

/** WhatsApp Business Platform. The business can neither edit nor delete messages. */
const walk: Walk = {
  settings: ({ url }) => ({
    GRAPH_API_URL: String(url),
    META_DIALOG_URL: String(url),
    WAPI_APP_ID: APP_ID,
    WAPI_APP_SECRET: SECRET,
    WAPI_CONFIG_ID: "1",
    WAPI_VERIFY_TOKEN: VERIFY_TOKEN,
  }),
  steps(stage) {
    const business: Business = { waba: "", number: "", template: "" };
    const crm = new Crm(stage, { chat_type: "whatsapp", chat_id: PERSON });
    return [
      ...connecting(stage, crm, business),
      ...receiving(stage, crm, business),
      ...sending(stage, crm, business),
      ...templates(stage, crm, business),
      ...failing(stage, crm, business),
      ...trouble(stage, crm, business),
      ...ending(stage, crm, business),
    ];
  },
};
export default walk;

const APP_ID = "1000000000777";

interface Business {
  waba: string;
  number: string;
  /** The interface's name for it. */
  template: string;
}

const ann = (stage: Stage, { number }: Business, action: string, body: object = {}): Promise<unknown> =>
  stage.admin("POST", `/numbers/${number}/users/${PERSON}/${action}`, body);

interface Written {
  readonly message: { readonly id: string };
}

interface SentReaction {
  readonly request: { readonly reaction: { readonly message_id: string; readonly emoji: string } };
}

/** The form of the app's dashboard: sets the callback address. */
const subscribe = (stage: Stage): Promise<unknown> =>
  stage.admin("POST", `/apps/${APP_ID}/subscriptions`, {
    callback_url: `${stage.url}/in/wapi`,
    verify_token: VERIFY_TOKEN,
  });

function connecting(stage: Stage, crm: Crm, business: Business): Step[] {
  const link = { url: "" };
  return [
    {
      name: "create a business with a number, and a customer",
      run: async () => {
        await stage.admin("POST", "/settings", { retry_scale: 0.01, template_review: "approve", novelty: 7 });
        await stage.admin("POST", "/apps", { id: APP_ID, secret: SECRET });
        const waba = await stage.admin<{ id: string }>("POST", "/wabas", { name: "Shop" });
        business.waba = waba.id;
        const number = await stage.admin<{ id: string; phone: string }>("POST", "/numbers", {
          waba_id: waba.id,
          on_biz_app: true,
        });
        business.number = number.id;
        await stage.admin("POST", "/users", { id: PERSON, phone: PERSON, name: "Ann" });
        await subscribe(stage);
        return `+${number.phone}`;
      },
    },
    {
      name: "create the channel",
      run: async () => {
        link.url = String((await crm.createChannel("wapi", {}))["url"]);
        return link.url;
      },
    },
    {
      name: "the owner signs up on its page",
      run: async () => {
        await signUp(stage, business, link.url);
        return crm.status("active", null);
      },
    },
  ];
}

/** Opens the page, continues to Meta's dialog, consents there, and returns. */
async function signUp(stage: Stage, { waba }: Business, url: string): Promise<void> {
  await connectThroughDialog(url, async () => {
    const { items } = await stage.admin<{ items: { id: string }[] }>("GET", "/signups");
    const path = `/signups/${items.at(-1)?.id}/completions`;
    return (await stage.admin<{ redirect_url: string }>("POST", path, { waba_ids: [waba] })).redirect_url;
  });
}

function receiving(stage: Stage, crm: Crm, business: Business): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["an image", { kind: "image" }, "image"],
    ["a video", { kind: "video" }, "video"],
    ["a voice note", { kind: "voice" }, "audio"],
    ["audio", { kind: "audio" }, "audio"],
    ["a document", { kind: "document" }, "document"],
    ["a sticker", { kind: "sticker" }, "image"],
    ["a contact", { kind: "contacts", name: "Bob", phone: "79001112233" }, "vcard"],
    ["a place", { kind: "location", latitude: 55.75, longitude: 37.62 }, "geo"],
    ["an order", { kind: "order", text: "deliver today" }, "text"],
    ["a form", { kind: "flow" }, "text"],
    ["something unknown", { kind: "unsupported" }, "unsupported"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => ann(stage, business, "messages", message)),
    ...markSteps(crm, ["read", "typing"]),
    receiveStep(crm, "an echo of the phone's own application", {
      act: () =>
        stage.admin("POST", `/numbers/${business.number}/echoes`, {
          user_id: PERSON,
          text: "From the phone",
        }),
      fields: { text: "From the phone", isEcho: true },
    }),
  ];
}

function sending(stage: Stage, crm: Crm, business: Business): Step[] {
  const buttons = (...texts: string[]) => ({
    text: "Which?",
    keyboard: { buttons: texts.map((text) => ({ text, type: "text", payload: `is-${text}` })) },
  });
  return [
    ...sendSteps(stage, crm, "delivered"),
    quoteStep(crm, "delivered", {
      write: (text) => ann(stage, business, "messages", { text }),
      read: () => ann(stage, business, "reads"),
    }),
    sendStep(crm, "three buttons", () => buttons("Red", "Green", "Blue"), "delivered"),
    sendStep(crm, "a list of four", () => buttons("North", "South", "East", "West"), "delivered"),
    receiveStep(crm, "a choice from it", {
      act: () => ann(stage, business, "presses", { title: "East" }),
      fields: { text: "East" },
    }),
    ...reactionSteps(stage, crm, {
      write: async (text) => (await ann(stage, business, "messages", { text })) as Written,
      react: ({ message: { id } }, emoji) =>
        ann(stage, business, "reactions", { message_id: id, ...(emoji !== null && { emoji }) }),
      seen: async ({ message: { id } }) => {
        const path = `/numbers/${business.number}/sent?type=reaction`;
        const { items } = await stage.admin<{ items: SentReaction[] }>("GET", path);
        const newest = items.filter(({ request }) => request.reaction.message_id === id).at(-1);
        return [newest?.request.reaction.emoji ?? ""].filter((emoji) => emoji !== "");
      },
    }),
    referralStep(
      crm,
      () => {
        const referral = { source_type: "ad", source_id: "7", headline: "Kettles", body: "", source_url: "" };
        return ann(stage, business, "messages", { text: "From your ad", referral });
      },
      { text: "From your ad", source: "ad", headline: "Kettles" },
    ),
  ];
}

function templates(stage: Stage, crm: Crm, business: Business): Step[] {
  const components = [
    { type: "BODY", text: "Hi {{1}}, good to see you", example: { body_text: [["Ann"]] } },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Thanks" }] },
  ];
  const isStatus = (status: string) => (told: { kind: string; item: Readonly<Record<string, unknown>> }) =>
    told.kind === "templateStatus" && told.item["status"] === status;
  const create = async (name: string, category: string, parts: readonly object[]) => {
    const draft = { channel_id: crm.channelId, name, language: "en_US", category, components: parts };
    const { status, json } = await stage.api("POST", "/v2/templates/waba", draft);
    const { data } = json as { data?: { template_id: string; status: string } };
    if (status !== 200 || data === undefined) throw new Error(`${status} ${JSON.stringify(json)}`);
    return data;
  };
  const image = stage.fileUrl("image/jpeg");
  return [
    {
      name: "create a template",
      run: async () => {
        const { template_id, status } = await create("greeting", "UTILITY", components);
        business.template = template_id;
        return status;
      },
    },
    {
      name: "its moderation, state by state",
      run: async () => {
        const { items } = await stage.admin<{ items: { id: string }[] }>(
          "GET",
          `/wabas/${business.waba}/templates`,
        );
        const states = ["REJECTED", "PENDING", "DISABLED", "PAUSED", "APPROVED"];
        for (const event of states) {
          await stage.admin("POST", `/templates/${items[0]?.id}/moderations`, { event });
          await stage.told(`the template is ${event}`, isStatus(event));
        }
        return states.join(", ");
      },
    },
    sendStep(
      crm,
      "the template",
      () => ({ template: { id: business.template, values: ["Ann"], buttons: [{ payload: "thanked" }] } }),
      "delivered",
    ),
    ...richTemplates(image).map(({ name, category, parts, values }) => ({
      name: `create and send the template ${name}`,
      run: async () => {
        const { template_id: id } = await create(name, category, parts);
        await stage.told(
          `the template ${name} is approved`,
          (told) => isStatus("APPROVED")(told) && told.item["name"] === name,
        );
        return crm.become(await crm.send({ template: { id, values } }), "delivered");
      },
    })),
    restrictionStep(crm, "replies", {
      begin: () =>
        stage.admin("POST", `/wabas/${business.waba}/restrictions`, {
          types: ["RESTRICTED_CUSTOMER_INITIATED_MESSAGING"],
        }),
    }),
    {
      name: "the tier changes",
      run: async () => {
        await stage.admin("POST", `/wabas/${business.waba}/limits`, { tier: "TIER_2K" });
        const { item } = await stage.told(
          "the tier",
          ({ kind, item }) => kind === "channelsUpdates" && item["tier"] === "TIER_2K",
        );
        return String(item["tier"]);
      },
    },
  ];
}

/** Templates whose values fill more than a text. */
function richTemplates(image: string) {
  const text = { type: "BODY", text: "For you" };
  const card = {
    components: [
      { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::aW"] } },
      { type: "BODY", text: "For {{1}} euros", example: { body_text: [["5"]] } },
      { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Buy" }] },
    ],
  };
  const otp = { type: "OTP", otp_type: "COPY_CODE", text: "Copy" };
  return [
    {
      name: "one_time_code",
      category: "AUTHENTICATION",
      parts: [
        { type: "BODY", add_security_recommendation: true },
        { type: "BUTTONS", buttons: [otp] },
      ],
      values: ["123456"],
    },
    {
      name: "coupon",
      category: "MARKETING",
      parts: [text, { type: "BUTTONS", buttons: [{ type: "COPY_CODE", example: "SALE20" }] }],
      values: ["SALE25"],
    },
    {
      name: "carousel",
      category: "MARKETING",
      parts: [text, { type: "CAROUSEL", cards: [card, card] }],
      values: [image, "5", image, "7"],
    },
  ];
}

function failing(stage: Stage, crm: Crm, business: Business): Step[] {
  const fault = (fields: object) => () => stage.admin("POST", "/faults", { edge: "messages", ...fields });
  const hello = (): Promise<string> => crm.send({ text: "Hello" });
  const image = { attachment: { url: stage.fileUrl("image/jpeg"), mimetype: "image/jpeg" } };
  return [
    errorStep(crm, "BAD_CONTACT", {
      send: () => crm.send({ text: "Hello" }, { chat_type: "whatsapp", chat_id: "16505550000" }),
    }),
    errorStep(crm, "TOO_LONG_TEXT", { send: () => crm.send({ text: "x".repeat(4097) }) }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    errorStep(crm, "SPAM", { arrange: fault({ status_error_code: 131049 }), send: hello }),
    errorStep(crm, "CONTENT_CONVERSION_ERROR", {
      arrange: fault({ status_error_code: 131053 }),
      send: () => crm.send(image),
    }),
    errorStep(crm, "WRONG_CONTENT", { arrange: fault({ error_code: 131051 }), send: hello }),
    errorStep(crm, "GENERAL_ERROR", { arrange: fault({ error_code: 100 }), send: hello }),
    errorStep(crm, "UNKNOWN_ERROR", { arrange: fault({ drop: "before" }), send: hello }),
    waitedOutStep(crm, "a rate limit", fault({ error_code: 130429 }), "delivered"),
    {
      name: "error 24_HOURS_EXCEEDED",
      run: async () => {
        await stage.admin("POST", "/time", { advance_seconds: DAY_S + 3_600 });
        const outcome = await crm.become(await hello(), "error", { code: "24_HOURS_EXCEEDED" });
        await ann(stage, business, "messages", { text: "I am back" });
        await crm.hears({ text: "I am back" });
        return outcome;
      },
    },
  ];
}

function trouble(stage: Stage, crm: Crm, business: Business): Step[] {
  return [
    repeatedCallbackStep(stage, crm, (text) => ann(stage, business, "messages", { text })),
    {
      name: "a callback with a wrong signature",
      run: async () => {
        const answer = await fetch(`${stage.url}/in/wapi`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
          body: JSON.stringify({ object: "whatsapp_business_account", entry: [] }),
        });
        if (answer.ok) throw new Error("it was accepted");
        return `refused with ${answer.status}`;
      },
    },
    killStep(stage, crm, {
      hang: () => stage.admin("POST", "/faults", { edge: "messages", hang_ms: 60_000 }),
      arrivals: async (text) => {
        const { items } = await stage.admin<{ items: { request?: { text?: { body?: string } } }[] }>(
          "GET",
          `/numbers/${business.number}/sent?limit=1000`,
        );
        return items.filter(({ request }) => request?.text?.body === text).length;
      },
      news: ["sent", "delivered"],
      until: "delivered",
    }),
    moveStep(stage, crm, "delivered"),
  ];
}

function ending(stage: Stage, crm: Crm, business: Business): Step[] {
  return [
    {
      name: "the platform bans the account, and lifts the ban",
      run: async () => {
        await stage.admin("POST", `/wabas/${business.waba}/bans`, { state: "DISABLE" });
        const banned = await crm.isNow("disabled", "blocked");
        await stage.admin("POST", `/wabas/${business.waba}/bans`, { state: "REINSTATE" });
        return `${banned}, ${await crm.isNow("active", null)}`;
      },
    },
    {
      name: "the platform rejects the account: error CHANNEL_REJECTED",
      run: async () => {
        await stage.admin("POST", `/wabas/${business.waba}/reviews`, { decision: "REJECTED" });
        await crm.isNow("disabled", "rejected");
        const outcome = await crm.become(await crm.send({ text: "Hello" }), "error", {
          code: "CHANNEL_REJECTED",
        });
        await stage.admin("POST", `/wabas/${business.waba}/reviews`, { decision: "APPROVED" });
        await crm.isNow("active", null);
        return outcome;
      },
    },
    {
      name: "the token expires",
      run: async () => {
        await stage.admin("POST", "/tokens/expirations", { reason: "expired" });
        // The connector may already have detected it.
        await crm.send({ text: "Nobody takes this" }).catch(() => undefined);
        return crm.isNow("disabled", "unauthorized");
      },
    },
    deleteStep(stage, crm),
  ];
}
