import { request } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { type Json, withSandbox } from "../test-kit.ts";

const here = { chat_id: 111 };
const webApp = { type: "web_app", text: "Shop", web_app: { url: "https://shop.example/" } };

type Call = readonly [method: string, parameters?: object];
const german = { name: "Laden", language_code: "de" };
const french = { language_code: "fr" };

/** A setter, the getter that shows its effect, and the getter's response. */
const profile: readonly { readonly set: Call; readonly get: Call; readonly seen: object }[] = [
  { set: ["setMyName", { name: "Shop" }], get: ["getMyName"], seen: { name: "Shop" } },
  { set: ["setMyName", german], get: ["getMyName", { language_code: "de" }], seen: { name: "Laden" } },
  { set: ["setMyName", german], get: ["getMyName", french], seen: { name: "Trunkline demo" } },
  {
    set: ["setMyDescription", { description: "d" }],
    get: ["getMyDescription", french],
    seen: { description: "d" },
  },
  { set: ["setMyDescription"], get: ["getMyDescription"], seen: { description: "" } },
  {
    set: ["setMyShortDescription", { short_description: "s" }],
    get: ["getMyShortDescription"],
    seen: { short_description: "s" },
  },
  { set: ["setChatMenuButton", { menu_button: webApp }], get: ["getChatMenuButton", here], seen: webApp },
  {
    set: ["setChatMenuButton", { ...here, menu_button: webApp }],
    get: ["getChatMenuButton"],
    seen: { type: "commands" },
  },
  {
    set: ["setChatMenuButton", { ...here, menu_button: webApp }],
    get: ["getChatMenuButton", here],
    seen: webApp,
  },
];

const refusals: readonly (readonly [method: string, parameters: object, answer: string])[] = [
  ["setMyName", {}, "400 Bad Request: bot name must be non-empty"],
  ["setMyName", { name: "a".repeat(65) }, "400 Bad Request: BOT_TITLE_INVALID"],
  ["getMyName", { language_code: "deu" }, "400 Bad Request: invalid language code specified"],
  [
    "setChatMenuButton",
    { menu_button: { type: "no" } },
    "400 Bad Request: can't parse menu button: MenuButton has unsupported type",
  ],
  [
    "setChatMenuButton",
    { menu_button: { ...webApp, web_app: { url: "http://a.b" } } },
    "400 Bad Request: BUTTON_URL_INVALID",
  ],
  ["getChatMenuButton", { chat_id: 999 }, "400 Bad Request: chat not found"],
  ["setMessageReaction", { ...here, message_id: 9 }, "400 Bad Request: message to react not found"],
  [
    "setMessageReaction",
    { ...here, message_id: 1, reaction: [{ type: "emoji", emoji: "🧨" }] },
    "400 Bad Request: REACTION_INVALID",
  ],
  ["pinChatMessage", { ...here, message_id: 9 }, "400 Bad Request: message to pin not found"],
  ["unpinChatMessage", here, "400 Bad Request: message to unpin not found"],
  ["stopPoll", { ...here, message_id: 9 }, "400 Bad Request: message to edit not found"],
  ["getChatAdministrators", here, "400 Bad Request: there are no administrators in the private chat"],
];

describe("profile of a bot", () => {
  test.each(profile)("$set", ({ set, get, seen }) =>
    withSandbox(async ({ ok }) => {
      expect(await ok(...set)).toBe(true);
      expect(await ok(...get)).toEqual(seen);
    }),
  );

  test("people see the name for all languages", () =>
    withSandbox(async ({ ok }) => {
      await ok("setMyName", { name: "Shop" });
      expect(await ok("getMe")).toMatchObject({ first_name: "Shop" });
    }));
});

test.each(refusals)("refused: %s %j", (method, parameters, answer) =>
  withSandbox(async ({ refused }) => {
    expect(await refused(method, parameters)).toBe(answer);
  }),
);

test("pins: the newest is shown, and the next one after its removal", () =>
  withSandbox(async ({ ann, ok }) => {
    for (const text of ["1", "2"]) await ann("messages", { text });
    const pinned = async () => (await ok("getChat", here))["pinned_message"]?.["text"];
    for (const message_id of [1, 2]) await ok("pinChatMessage", { ...here, message_id });
    expect(await pinned()).toBe("2");
    await ok("unpinChatMessage", here);
    expect(await pinned()).toBe("1");
    await ok("pinChatMessage", { ...here, message_id: 2 });
    await ok("deleteMessage", { ...here, message_id: 2 });
    expect(await pinned()).toBe("1");
    await ok("unpinAllChatMessages", here);
    expect(await pinned()).toBeUndefined();
  }));

test("a reaction is recorded among the bot's actions", () =>
  withSandbox(async ({ admin, ann, ok }) => {
    await ann("messages", { text: "1" });
    const reaction = [{ type: "emoji", emoji: "❤️" }];
    await ok("setMessageReaction", { ...here, message_id: 1, reaction });
    expect(await admin("GET /bots/1000001/sent")).toMatchObject({
      items: [{ method: "setMessageReaction", message_id: 1, request: { reaction } }],
    });
  }));

test("a poll is stopped once", () =>
  withSandbox(async ({ ok, refused }) => {
    const { message_id } = await ok("sendPoll", { ...here, question: "q?", options: ["a", "b"] });
    expect(await ok("stopPoll", { ...here, message_id })).toMatchObject({ question: "q?", is_closed: true });
    expect(await refused("stopPoll", { ...here, message_id })).toBe(
      "400 Bad Request: poll has already been closed",
    );
    const { message_id: text } = await ok("sendMessage", { ...here, text: "a" });
    expect(await refused("stopPoll", { ...here, message_id: text })).toBe(
      "400 Bad Request: message with poll to stop not found",
    );
  }));

test("members of a group", () =>
  withSandbox(async ({ admin, ok, refused }) => {
    const group = await admin("POST /groups", { title: "Team", user_ids: [111] });
    const at = { chat_id: group["id"] };
    expect(await refused("getChatMemberCount", at)).toBe(
      "403 Forbidden: bot is not a member of the group chat",
    );
    await admin(`POST /groups/${group["id"]}/bots`, { bot_id: 1_000_001 });
    expect(await ok("getChatMemberCount", at)).toBe(2);
    expect(await ok("getChatMemberCount", here)).toBe(2);
    expect(await ok("getChatMembersCount", here)).toBe(2);
    expect(await ok("getChatAdministrators", at)).toEqual([]);
    expect(await refused("pinChatMessage", { ...at, message_id: 1 })).toBe(
      "400 Bad Request: not enough rights to manage pinned messages in the chat",
    );
    await admin(`POST /groups/${group["id"]}/promotions`, { user_id: 111 });
    await admin(`POST /groups/${group["id"]}/promotions`, { bot_id: 1_000_001 });
    const administrators = (await ok("getChatAdministrators", at)) as unknown as Json[];
    expect(administrators.map(({ status, user }) => [status, user?.["id"]])).toEqual([
      ["administrator", 111],
      ["administrator", 1_000_001],
    ]);
  }));

describe("what the platform accepts", () => {
  test("a body of null", () =>
    withSandbox(async ({ apiRoot, token }) => {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(`${apiRoot}/bot${token}/getMe`, { method: "POST", headers, body: "null" });
      expect(await answer.json()).toMatchObject({ ok: true, result: { id: 1_000_001 } });
    }));

  test("an empty inline query beside another action, which is then ignored", () =>
    withSandbox(async ({ ok }) => {
      const button = { text: "A", callback_data: "a", switch_inline_query_current_chat: "" };
      const sent = await ok("sendMessage", {
        ...here,
        text: "?",
        reply_markup: { inline_keyboard: [[button]] },
      });
      expect(sent["reply_markup"]).toEqual({ inline_keyboard: [[{ text: "A", callback_data: "a" }]] });
      const alone = { text: "A", switch_inline_query_current_chat: "" };
      const other = await ok("sendMessage", {
        ...here,
        text: "?",
        reply_markup: { inline_keyboard: [[alone]] },
      });
      expect(other["reply_markup"]).toEqual({ inline_keyboard: [[alone]] });
    }));

  test("an upload by GET", () =>
    withSandbox(async ({ apiRoot, token }) => {
      const url = `${apiRoot}/bot${token}/sendDocument`;
      const form = new FormData();
      form.set("chat_id", "111");
      form.set("document", new File(["text"], "a.txt"));
      const answer = await getWithBody(url, new Response(form));
      expect(answer).toMatchObject({ ok: true, result: { document: { file_name: "a.txt" } } });
    }));
});

/** `fetch` sends no body by GET; other clients do. */
async function getWithBody(url: string, body: Response): Promise<unknown> {
  const bytes = Buffer.from(await body.arrayBuffer());
  const headers = { "Content-Type": body.headers.get("Content-Type") ?? "", "Content-Length": bytes.length };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "GET", headers }, (response) => json(response).then(resolve, reject));
    call.on("error", reject);
    call.end(bytes);
  });
}
