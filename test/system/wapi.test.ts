import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openPage } from "../api/kit/page.ts";
import { must, requestId, type Stand, startStand } from "../kit/stand.ts";

/** A number of the emulated business platform, from its owner's first click to the end of its token. */

type Json = Readonly<Record<string, unknown>>;

const SECRET = "secretOfTheAppInThisTest";
const ANN = "16505551234";
const QUESTION = [
  { type: "BODY", text: "Hi {{1}}, is {{2}} fine?", example: { body_text: [["Ann", "Monday"]] } },
  {
    type: "BUTTONS",
    buttons: [
      { type: "QUICK_REPLY", text: "Yes" },
      { type: "QUICK_REPLY", text: "No" },
    ],
  },
];

let stand: Stand;
let appId: string;
let wabaId: string;
let numberId: string;
let channelId: string;

beforeAll(async () => {
  stand = await startStand();
  ({ id: appId } = await admin<{ id: string }>("POST /apps", { secret: SECRET }));
  ({ id: wabaId } = await admin<{ id: string }>("POST /wabas", { name: "Shop" }));
  ({ id: numberId } = await admin<{ id: string }>("POST /numbers", { waba_id: wabaId, on_biz_app: true }));
  await admin("POST /users", { id: ANN, phone: ANN, name: "Ann" });
  await admin("POST /settings", { retry_scale: 0.01 });
  const meta = stand.telegram.url.replace("/telegram", "/wapi");
  await stand.start({
    GRAPH_API_URL: meta,
    META_DIALOG_URL: meta,
    WAPI_APP_ID: appId,
    WAPI_APP_SECRET: SECRET,
    WAPI_CONFIG_ID: "1",
  });
  const subscriptions = { messagesAndStatuses: true, channelsUpdates: true, templateStatus: true };
  await must(stand.call("PATCH", "/v3/webhooks", { webhooksUri: stand.receiver.url, subscriptions }));
});
afterAll(() => stand.stop());

async function admin<T = Json>(route: string, body?: object): Promise<T> {
  const [method = "", path = ""] = route.split(" ");
  const url = stand.telegram.url.replace("/telegram", "/admin/wapi") + path;
  const answer = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
const ann = (action: string, body: object = {}) =>
  admin(`POST /numbers/${numberId}/users/${ANN}/${action}`, body);

/** Items under a key of all webhooks so far. */
function told(key: string): Json[] {
  return stand.receiver.posts.flatMap(({ body }) => {
    const items = (JSON.parse(body) as Record<string, Json | Json[]>)[key];
    return items === undefined ? [] : [items].flat();
  });
}
/** Resolves with the first item, past or future, that matches. */
async function untilTold(key: string, matches: (item: Json) => boolean): Promise<Json> {
  await stand.receiver.until(() => told(key).some(matches));
  const item = told(key).find(matches);
  if (item === undefined) throw new Error("what was told is gone");
  return item;
}
const untilStatus = (messageId: string, status: string) =>
  untilTold("statuses", (item) => item["messageId"] === messageId && item["status"] === status);

async function channel(): Promise<Json> {
  const { json } = await must(stand.call("GET", `/v2/channels/${channelId}`));
  const [found = {}] = (json as { data: Json[] }).data;
  return found;
}
const untilChannel = (status: string, reason: string | null = null) =>
  vi.waitUntil(
    async () => {
      const found = await channel();
      return found["status"] === status && found["reason"] === reason;
    },
    { interval: 50 },
  );

async function send(content: object): Promise<string> {
  const recipient = { chat_type: "whatsapp", chat_id: ANN };
  return requestId(
    (await must(stand.call("POST", "/v2/messages", { channel_id: channelId, recipient, ...content }))).json,
  );
}

/** The owner opens the page, signs in at Meta and agrees. Returns what the page gets then. */
async function connectOn(url: string): Promise<unknown> {
  const page = await openPage(stand, url);
  const window = await page.signIn("wapi");
  expect((await fetch(window.messengerUrl)).status).toBe(200);
  const { items } = await admin<{ items: { id: string }[] }>("GET /signups");
  const { redirect_url: back } = await admin<{ redirect_url: string }>(
    `POST /signups/${items.at(-1)?.id}/completions`,
    { waba_ids: [wabaId] },
  );
  const offer = (await window.goOn({ query: String(new URL(back).searchParams) })).json as {
    kind: string;
    items: { id: string }[];
    asked: { agreement: string };
  };
  expect(offer).toMatchObject({ kind: "choice", items: [{ id: numberId }] });
  const { agreement } = offer.asked;
  return (await window.goOn({ choice: offer.items[0]?.id, agreement })).json;
}

test("an owner connects a number on the page", async () => {
  const { json } = await must(stand.call("POST", "/v2/channels", { transport: "wapi", credentials: {} }));
  const [created] = (json as { data: { channel_id: string; url: string }[] }).data;
  channelId = created?.channel_id ?? "";
  expect(await channel()).toMatchObject({ status: "init", url: created?.url });
  expect(await connectOn(created?.url ?? "")).toMatchObject({ kind: "connected" });
  await untilChannel("active");
  const { phone } = await admin<{ phone: string }>(`GET /numbers/${numberId}`);
  expect(await channel()).toMatchObject({ phone, messenger_id: numberId, url: `https://wa.me/${phone}` });
  await expect(openPage(stand, created?.url ?? "")).rejects.toThrow("404");
});

test("Ann writes, with a file, and gets a reply", async () => {
  await ann("messages", { text: "Is my order ready?" });
  const asked = await untilTold("messages", ({ text }) => text === "Is my order ready?");
  expect(asked).toMatchObject({ chatType: "whatsapp", chatId: ANN, status: "inbound", isEcho: false });
  expect(asked["contact"]).toEqual({ name: "Ann", phone: ANN });

  await ann("messages", { kind: "image", caption: "This one" });
  const picture = await untilTold("messages", ({ text }) => text === "This one");
  expect(picture["type"]).toBe("image");
  await vi.waitUntil(async () => (await fetch(String(picture["contentUri"]))).status === 200);

  const id = await send({ text: "Yes, it is", quoted_message_id: picture["messageId"] });
  await untilStatus(id, "delivered");
  await ann("reads");
  await untilStatus(id, "read");
});

test.each(["reactions", "calls"])(
  "three days after Ann's last message, no request is sent to Meta; one of her %s opens the window",
  async (what) => {
    const sends = async () =>
      (await admin<{ items: Json[] }>(`GET /calls?node=${numberId}&edge=messages&method=POST`)).items.length;
    const [before] = [await sends()];
    await stand.db.query(
      "update chats set last_inbound_at = now() - interval '73 hours', last_direct_at = now() - interval '73 hours' where chat_id = $1",
      [ANN],
    );
    const late = await untilStatus(await send({ text: "Still there?" }), "error");
    expect(late).toMatchObject({ error: { error: "24_HOURS_EXCEEDED" } });
    expect(await sends()).toBe(before);
    await ann(what, { emoji: "👍" });
    await vi.waitUntil(
      async () =>
        (
          await stand.db.query(
            "select 1 from chats where chat_id = $1 and last_inbound_at > now() - interval '1 hour'",
            [ANN],
          )
        ).length === 1,
      { interval: 50 },
    );
    await untilStatus(await send({ text: "Thanks" }), "delivered");
  },
);

test("messages that the owner writes on the phone are echoes", async () => {
  await admin(`POST /numbers/${numberId}/echoes`, { user_id: ANN, text: "Written on the phone" });
  const echo = await untilTold("messages", ({ text }) => text === "Written on the phone");
  expect(echo).toMatchObject({ isEcho: true, status: "sent", chatId: ANN });
});

test("buttons return their payload", async () => {
  const buttons = ["Red", "Green", "Blue", "White"].map((text) => ({
    text,
    type: "text",
    payload: `is-${text}`,
  }));
  await untilStatus(await send({ text: "Which?", keyboard: { buttons } }), "delivered");
  await ann("presses", { title: "Blue" });
  const pressed = await untilTold("messages", ({ text }) => text === "Blue");
  expect(pressed["interactive"]).toEqual([{ type: "pressed", text: "Blue", payload: "is-Blue" }]);
});

test("a template is created, moderated through every state, and sent with payloads in either place", async () => {
  const draft = {
    channel_id: channelId,
    name: "date",
    language: "en_US",
    category: "UTILITY",
    components: QUESTION,
  };
  const { json } = await must(stand.call("POST", "/v2/templates/waba", draft));
  const { template_id: id, status } = (json as { data: { template_id: string; status: string } }).data;
  expect(status).toBe("PENDING");
  const { items } = await admin<{ items: { id: string }[] }>(`GET /wabas/${wabaId}/templates`);
  for (const event of ["REJECTED", "PENDING", "DISABLED", "PAUSED", "APPROVED"]) {
    await admin(`POST /templates/${items[0]?.id}/moderations`, { event });
    const matches = (item: Json) => item["status"] === event && item["templateGuid"] === id;
    expect(await untilTold("templateStatus", matches)).toMatchObject({ name: "date" });
  }
  const list = (await must(stand.call("GET", "/v3/templates/whatsapp"))).json;
  expect(list).toMatchObject([{ templateGuid: id, name: "date", status: "approved", channels: [channelId] }]);

  const values = ["Ann", "Monday"];
  const buttons = (prefix: string) => [{ payload: `${prefix}-yes` }, { payload: `${prefix}-no` }];
  const sendings = [
    { template: { id, values, buttons: buttons("inside") } },
    { template: { id, values }, buttons: buttons("beside") },
  ];
  for (const [index, content] of sendings.entries()) {
    await untilStatus(await send(content), "delivered");
    await ann("presses", { title: "No" });
    const payload = ["inside-no", "beside-no"][index];
    await untilTold(
      "messages",
      ({ interactive }) => JSON.stringify(interactive)?.includes(`"${payload}"`) === true,
    );
  }
  const wrong = await send({ template: { id, values: ["Ann"] } });
  expect(await untilStatus(wrong, "error")).toMatchObject({ error: { error: "GENERAL_ERROR" } });
});

test("a new tier is reported", async () => {
  await admin(`POST /wabas/${wabaId}/limits`, { tier: "TIER_2K" });
  await untilTold("channelsUpdates", (item) => item["tier"] === "TIER_2K");
  expect(await channel()).toMatchObject({ tier: "TIER_2K" });
});

test("a day after Ann wrote, only a template reaches her", async () => {
  await admin("POST /time", { advance_seconds: 25 * 3_600 });
  expect(await untilStatus(await send({ text: "Are you there?" }), "error")).toMatchObject({
    error: { error: "24_HOURS_EXCEEDED" },
  });
});

test("a ban and its end", async () => {
  await admin(`POST /wabas/${wabaId}/bans`, { state: "DISABLE" });
  await untilChannel("disabled", "blocked");
  const recipient = { chat_type: "whatsapp", chat_id: ANN };
  const refused = await stand.call("POST", "/v2/messages", { channel_id: channelId, recipient, text: "x" });
  expect(refused).toMatchObject({ status: 400, json: { error: "CHANNEL_BLOCKED" } });
  await admin(`POST /wabas/${wabaId}/bans`, { state: "REINSTATE" });
  await untilChannel("active");
  await ann("messages", { text: "Back?" });
  await untilStatus(await send({ text: "Back" }), "delivered");
});

test("a rejected account accepts messages and reports by webhook that they were not sent", async () => {
  await admin(`POST /wabas/${wabaId}/reviews`, { decision: "REJECTED" });
  await untilChannel("disabled", "rejected");
  const id = await send({ text: "Not now" });
  expect(await untilStatus(id, "error")).toMatchObject({ error: { error: "CHANNEL_REJECTED" } });
  await admin(`POST /wabas/${wabaId}/reviews`, { decision: "APPROVED" });
  await untilChannel("active");
});

test("an expired token is replaced on the page", async () => {
  await admin("POST /tokens/expirations", { reason: "expired" });
  // The channel may have called Meta and found out before.
  const lost = await send({ text: "Too late" }).catch(() => null);
  if (lost !== null) await untilStatus(lost, "error");
  await untilChannel("disabled", "unauthorized");
  await must(stand.call("POST", `/v2/channels/${channelId}/reinit`, { credentials: {} }));
  const { url } = await channel();
  expect(await connectOn(String(url))).toMatchObject({ kind: "connected" });
  await untilChannel("active");
  await untilStatus(await send({ text: "Here again" }), "delivered");
});
