import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { community, type Params, withVk } from "../test-kit.ts";

const ann = { peer_id: demo.userId };
const text = { ...ann, random_id: 1, message: "x" };
const button = (action: object, more: object = {}) => ({
  action: { type: "text", label: "A", ...action },
  ...more,
});
const keyboard = (buttons: unknown, more: object = {}): Params => ({
  ...text,
  keyboard: { buttons, ...more },
});
const rows = (count: number, columns = 1) =>
  Array.from({ length: count }, () => Array(columns).fill(button({})));

describe("messages.send refuses", () => {
  const parameter = "100 One of the parameters specified was missing or invalid";
  const cases: readonly (readonly [what: string, params: Params, error: string])[] = [
    ["no random_id", { ...ann, message: "x" }, `${parameter}: random_id is a required parameter`],
    ["a random_id that is no number", { ...text, random_id: "a" }, `${parameter}: random_id not integer`],
    [
      "no peer",
      { random_id: 1, message: "x" },
      `${parameter}: you should specify peer_id, user_id, domain, chat_id or user_ids param`,
    ],
    ["a peer that is no number", { ...text, peer_id: "ann" }, `${parameter}: peer_id not integer`],
    ["an unknown short name", { random_id: 1, domain: "bob", message: "x" }, "113 Invalid user id"],
    ["nothing to say", { ...ann, random_id: 1 }, `${parameter}: message is empty or invalid`],
    ["4097 characters", { ...text, message: "я".repeat(4097) }, "914 Message is too long"],
    [
      "somebody who never wrote",
      { ...text, peer_id: demo.ownerId },
      "901 Can't send messages for users without permission",
    ],
    ["somebody unknown", { ...text, peer_id: 5 }, "901 Can't send messages for users without permission"],
    ["another community", { ...text, peer_id: -5 }, "932 Your community can't interact with this peer"],
    [
      "a chat that it is not in",
      { ...text, peer_id: 2_000_000_009 },
      "917 You don't have access to this chat",
    ],
    ["missing files", { ...text, attachment: "photo-1_1" }, `${parameter}: attachment photo-1_1 is invalid`],
    ["a quote of nothing", { ...text, reply_to: 99 }, `${parameter}: reply_to is invalid`],
    [
      "forwarding nothing",
      { ...text, forward: { ...ann, conversation_message_ids: [99] } },
      "921 Can't forward these messages",
    ],
    ["half a place", { ...text, lat: 5 }, `${parameter}: lat and long should be specified together`],
    [
      "a keyboard that is no JSON",
      { ...text, keyboard: "{" },
      `${parameter}: keyboard contains incorrect JSON`,
    ],
    [
      "a keyboard that is a list",
      { ...text, keyboard: "[]" },
      "911 Keyboard format is invalid: keyboard should be array",
    ],
    ["six in a row", keyboard(rows(1, 6)), "911 Keyboard format is invalid: row 0 contains too much columns"],
    ["eleven rows", keyboard(rows(11)), "911 Keyboard format is invalid: keyboard contains too much rows"],
    [
      "41 buttons",
      keyboard(rows(9, 5)),
      "911 Keyboard format is invalid: keyboard contains too much buttons",
    ],
    [
      "seven inline rows",
      keyboard(rows(7), { inline: true }),
      "911 Keyboard format is invalid: keyboard contains too much rows",
    ],
    [
      "eleven inline buttons",
      keyboard([...rows(2, 5), [button({})]], { inline: true }),
      "911 Keyboard format is invalid: keyboard contains too much buttons",
    ],
    [
      "an empty label",
      keyboard([[button({ label: "" })]]),
      "911 Keyboard format is invalid: button [0][0] label should be at least 1 letters length",
    ],
    [
      "a label of 41",
      keyboard([[button({ label: "a".repeat(41) })]]),
      "911 Keyboard format is invalid: button [0][0] label should be maximum 40 letters length",
    ],
    [
      "a payload of 256",
      keyboard([[button({ payload: JSON.stringify("a".repeat(254)) })]]),
      "911 Keyboard format is invalid: button [0][0] payload should be maximum 255 letters length",
    ],
    [
      "a payload that is no JSON",
      keyboard([[button({ payload: "a" })]]),
      "911 Keyboard format is invalid: button [0][0] payload should be a valid JSON",
    ],
    [
      "an unknown action",
      keyboard([[button({ type: "dance" })]]),
      "911 Keyboard format is invalid: button [0][0] action type is invalid",
    ],
    [
      "an unknown colour",
      keyboard([[button({}, { color: "pink" })]]),
      "911 Keyboard format is invalid: button [0][0] color is invalid",
    ],
    [
      "a place beside another button",
      keyboard([[{ action: { type: "location" } }, button({})]]),
      "911 Keyboard format is invalid: button of type location should be alone in row 0",
    ],
    [
      "a long payload",
      { ...text, payload: JSON.stringify("a".repeat(1000)) },
      `${parameter}: payload is too long`,
    ],
  ];
  test.each(cases)("%s", (_what, params, error) =>
    withVk(async ({ refused, admin }) => {
      expect(await refused("messages.send", params)).toBe(error);
      expect(await admin(`GET ${community}/sent`)).toMatchObject({ count: 0 });
      expect(await admin("GET /calls?refused=true")).toMatchObject({ count: 1 });
    }),
  );

  test("people who denied messages, are on the blacklist or are deleted; a community without messages or bots", () =>
    withVk(async (kit) => {
      const { admin, refused } = kit;
      const with_keyboard = keyboard([[button({})]]);
      await admin(`POST ${community}/switches`, { bots: false });
      expect(await refused("messages.send", with_keyboard)).toMatch(/^912 This is a chat bot feature/);
      await admin(`POST ${community}/switches`, { messages: false });
      expect(await refused("messages.send", text)).toBe("15 Access denied: group messages are disabled");
      await admin(`POST ${community}/switches`, { messages: true });
      await kit.ann("bans");
      expect(await refused("messages.send", text)).toBe("900 Can't send messages for users from blacklist");
      await kit.ann("unbans");
      await kit.ann("denials");
      expect(await refused("messages.send", text)).toMatch(/^901 /);
      await admin("POST /users", { id: demo.userId, deactivated: "banned" });
      expect(await refused("messages.send", text)).toBe("18 User was deleted or banned");
    }));
});

describe("messages.send", () => {
  test("returns an id, or with peer_ids a list in which single peers fail", () =>
    withVk(async ({ ok, admin }) => {
      expect(await ok("messages.send", text)).toBe(1);
      const list = { random_id: 2, message: "x", peer_ids: `${demo.userId},${demo.ownerId}` };
      expect(await ok("messages.send", list)).toEqual([
        { peer_id: demo.userId, message_id: 2, conversation_message_id: 2 },
        {
          peer_id: demo.ownerId,
          message_id: 0,
          conversation_message_id: 0,
          error: { code: 901, description: "Can't send messages for users without permission" },
        },
      ]);
      expect(await admin(`GET ${community}/sent`)).toMatchObject({ count: 2 });
    }));

  test("the same random_id within an hour is the same message of the conversation", () =>
    withVk(async ({ ok, admin }) => {
      await ok("messages.send", text);
      await admin("POST /time", { advance_seconds: 3500 });
      expect(await ok("messages.send", { ...text, message: "other" })).toBe(1);
      await admin("POST /time", { advance_seconds: 200 });
      expect(await ok("messages.send", text)).toBe(2);
      expect(await ok("messages.send", { ...text, random_id: 0 })).toBe(3);
      expect(await ok("messages.send", { ...text, random_id: 0 })).toBe(4);
      // Clients generate numbers beyond 32 bits, which are truncated.
      expect(await ok("messages.send", { ...text, random_id: "4294967297" })).toBe(2);
    }));

  test("quotes, forwards, locations, and keyboards that stay or are removed", () =>
    withVk(async (kit) => {
      const { message } = await kit.ann("messages", { text: "hi" });
      const cmid = Number(message?.["conversation_message_id"]);
      const reply = { ...ann, conversation_message_ids: [cmid], is_reply: 1 };
      expect(await kit.send({ message: "a", forward: reply })).toMatchObject({
        reply_message: { text: "hi", from_id: demo.userId, conversation_message_id: cmid },
        fwd_messages: [],
      });
      const forward = { ...ann, conversation_message_ids: [cmid] };
      expect(await kit.send({ message: "b", forward })).toMatchObject({ fwd_messages: [{ text: "hi" }] });
      expect(await kit.send({ lat: 55.7, long: 37.6 })).toMatchObject({
        geo: { coordinates: { latitude: 55.7, longitude: 37.6 } },
      });
      const shown = () => kit.admin(`GET ${community}/users/${demo.userId}/messages`);
      await kit.send({ message: "c", keyboard: { buttons: [[button({ payload: { a: 1 } })]] } });
      expect(await shown()).toMatchObject({ keyboard: { buttons: [[{ action: { payload: '{"a":1}' } }]] } });
      await kit.send({ message: "d", keyboard: { inline: true, buttons: rows(1) } });
      expect(await shown()).toMatchObject({ keyboard: { inline: false } });
      await kit.send({ message: "e", keyboard: { buttons: [] } });
      expect(await shown()).toMatchObject({ keyboard: null });
    }));

  test("unknown parameters are ignored and counted, also inside JSON", () =>
    withVk(async ({ ok, admin }) => {
      const odd = { one_time: true, colour: "red", buttons: [[button({ tooltip: "x" })]] };
      await ok("messages.send", { ...text, keyboard: odd, silent: 1 });
      expect(await admin("GET /calls?unknown=true")).toMatchObject({
        items: [
          {
            method: "messages.send",
            unknown: ["silent", "keyboard.colour", "keyboard.buttons[0][0].action.tooltip"],
          },
        ],
      });
    }));
});

test("a community and a person each have one reaction to a message", () =>
  withVk(async (kit) => {
    const { ok, refused } = kit;
    const { message } = await kit.ann("messages", { text: "hi" });
    const theirs = { ...ann, cmid: Number(message?.["conversation_message_id"]) };
    const stored = async () =>
      (await ok("messages.getByConversationMessageId", { ...ann, conversation_message_ids: theirs.cmid }))[
        "items"
      ]?.[0];
    expect(await ok("messages.sendReaction", { ...theirs, reaction_id: 4 })).toBe(1);
    expect(await ok("messages.sendReaction", { ...theirs, reaction_id: 16 })).toBe(1);
    await kit.ann("reactions", { conversation_message_id: theirs.cmid, reaction_id: 16 });
    expect(await stored()).toMatchObject({
      reactions: [{ reaction_id: 16, count: 2, user_ids: [-demo.groupId, demo.userId] }],
      reaction_id: 16,
      last_reaction_id: 16,
    });
    expect(await ok("messages.deleteReaction", theirs)).toBe(1);
    expect(await ok("messages.deleteReaction", theirs)).toBe(1);
    await kit.ann("reactions", { conversation_message_id: theirs.cmid });
    for (const field of ["reactions", "reaction_id", "update_time"])
      expect(await stored()).not.toHaveProperty(field);
    expect(await refused("messages.sendReaction", { ...theirs, reaction_id: 60 })).toBe(
      "1009 Unknown reaction passed",
    );
    expect(await refused("messages.sendReaction", { ...ann, cmid: 99, reaction_id: 1 })).toMatch(
      /cmid is invalid/,
    );
  }));

describe("messages.edit and messages.delete", () => {
  test("for a day, only the community's own messages, and only those with a text", () =>
    withVk(async (kit) => {
      const { ok, refused, admin } = kit;
      const { message } = await kit.ann("messages", { text: "hi" });
      const own = await kit.send({ message: "a", keyboard: { inline: true, buttons: rows(1) } });
      const sticker = await kit.send({ sticker_id: 9008 });
      const cmid = Number(own["conversation_message_id"]);
      expect(await ok("messages.edit", { ...ann, cmid, message: "b" })).toBe(1);
      const edited = (await ok("messages.getById", { message_ids: Number(own["id"]) }))["items"]?.[0];
      expect(edited).toMatchObject({ text: "b", update_time: expect.any(Number) });
      expect(edited).not.toHaveProperty("keyboard");
      const theirs = Number(message?.["conversation_message_id"]);
      expect(await refused("messages.edit", { ...ann, cmid: theirs, message: "b" })).toMatch(/^15 /);
      const fixed = { ...ann, message_id: Number(sticker["id"]), message: "b" };
      expect(await refused("messages.edit", fixed)).toBe("920 Can't edit this kind of message");
      expect(await refused("messages.edit", { ...ann, cmid, message: "" })).toMatch(/message is empty/);
      expect(await refused("messages.edit", { ...ann, cmid: 99, message: "b" })).toMatch(/cmid is invalid/);
      expect(await ok("messages.delete", { ...ann, cmids: `${theirs},99`, delete_for_all: 1 })).toEqual([
        {
          ...ann,
          conversation_message_id: theirs,
          response: 0,
          error: { code: 924, description: "Can't delete this message for everybody" },
        },
        { ...ann, conversation_message_id: 99, response: 0 },
      ]);
      await admin("POST /time", { advance_seconds: 24 * 3600 });
      expect(await refused("messages.edit", { ...ann, cmid, message: "c" })).toMatch(/^909 /);
      expect(await ok("messages.delete", { ...ann, cmids: cmid, delete_for_all: 1 })).toMatchObject([
        { response: 0, error: { code: 924 } },
      ]);
      expect(await ok("messages.delete", { ...ann, cmids: cmid })).toMatchObject([{ response: 1 }]);
    }));
});

describe("every call", () => {
  const cases: readonly (readonly [what: string, method: string, params: Params, error: string])[] = [
    ["an unknown method", "messages.shout", {}, "3 Unknown method passed"],
    ["a method by another spelling", "Messages.send", text, "3 Unknown method passed"],
    ["no version", "groups.getById", { v: "" }, "8 Invalid request: versions below 5.131 are deprecated."],
    [
      "an old version",
      "groups.getById",
      { v: "5.130" },
      "8 Invalid request: versions below 5.131 are deprecated.",
    ],
    [
      "an unknown key",
      "groups.getById",
      { access_token: "x" },
      "5 User authorization failed: invalid access_token (4).",
    ],
    [
      "a method for people",
      "groups.get",
      { filter: "admin" },
      "27 Group authorization failed: method is unavailable with group auth.",
    ],
    ["another community", "groups.getCallbackServers", { group_id: 5 }, "15 Access denied: group_id is not"],
    [
      "no community",
      "groups.getCallbackServers",
      {},
      "100 One of the parameters specified was missing or invalid: group_id is undefined",
    ],
  ];
  test.each(cases)("%s", (_what, method, params, error) =>
    withVk(async ({ refused }) => {
      expect((await refused(method, params)).slice(0, error.length)).toBe(error);
    }),
  );

  test("errors contain the request without the key", () =>
    withVk(async ({ call }) => {
      const { error } = await call("messages.send", { ...text, peer_id: 5 });
      expect(error?.["request_params"]).toEqual([
        { key: "method", value: "messages.send" },
        { key: "oauth", value: "1" },
        { key: "v", value: "5.199" },
        { key: "peer_id", value: "5" },
        { key: "random_id", value: "1" },
        { key: "message", value: "x" },
      ]);
    }));

  test("the key may be in the form, the query or the header; rights are checked", () =>
    withVk(async ({ base, admin, ok, refused }) => {
      const url = `${base}/method/groups.getById?v=5.199`;
      const answers = await Promise.all([
        fetch(`${url}&access_token=${demo.token}`),
        fetch(url, { headers: { Authorization: `Bearer ${demo.token}` } }),
      ]);
      for (const answer of answers) {
        expect(await answer.json()).toMatchObject({
          response: { groups: [{ id: demo.groupId }], profiles: [] },
        });
      }
      await admin("POST /tokens", { group_id: demo.groupId, token: "narrow", scopes: ["messages"] });
      expect(await ok("groups.getTokenPermissions", {}, "narrow")).toEqual({
        mask: 4096,
        permissions: [{ name: "messages", setting: 4096 }],
      });
      const scopes =
        "15 Access denied: no access to call this method. It cannot be called with current scopes.";
      for (const method of ["docs.save", "photos.getMessagesUploadServer", "groups.getCallbackServers"]) {
        expect(await refused(method, {}, "narrow")).toBe(scopes);
      }
    }));
});
