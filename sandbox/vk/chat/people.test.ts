import { describe, expect, test } from "vitest";
import { pngFile, sendForm, withSandbox } from "../../test-kit.ts";
import { demo } from "../demo.ts";
import { community, withReceiver, withVk } from "../test-kit.ts";

describe("people", () => {
  const kinds: readonly (readonly [kind: string, body: object, message: object])[] = [
    ["photo", { text: "look" }, { text: "look", attachments: [{ type: "photo", photo: { owner_id: 111 } }] }],
    [
      "doc",
      { file: { size: 900, name: "a.xlsx" } },
      { attachments: [{ doc: { size: 900, ext: "xlsx", type: 1 } }] },
    ],
    ["audio_message", { duration: 7 }, { attachments: [{ audio_message: { duration: 7 } }] }],
    ["audio", { title: "Song" }, { attachments: [{ audio: { title: "Song", url: expect.any(String) } }] }],
    ["video", {}, { attachments: [{ video: { access_key: expect.any(String) } }] }],
    ["graffiti", {}, { attachments: [{ graffiti: { width: 512 } }] }],
    ["sticker", { sticker_id: 5 }, { attachments: [{ sticker: { sticker_id: 5 } }] }],
    ["link", { url: "https://a.b/" }, { attachments: [{ link: { url: "https://a.b/" } }] }],
    ["wall", {}, { attachments: [{ wall: { from_id: 111 } }] }],
    [
      "market",
      { title: "Kettle" },
      { attachments: [{ market: { title: "Kettle", owner_id: -demo.groupId } }] },
    ],
    ["gift", {}, { attachments: [{ type: "gift" }] }],
    ["poll", {}, { attachments: [{ poll: { answers: [{}, {}] } }] }],
    ["call", { state: "reached" }, { attachments: [{ call: { state: "reached", initiator_id: 111 } }] }],
    ["story", {}, { attachments: [{ type: "story" }] }],
    ["geo", { latitude: 1, longitude: 2 }, { geo: { coordinates: { latitude: 1, longitude: 2 } } }],
  ];
  test.each(kinds)("send %s", (kind, body, message) =>
    withVk(async ({ ann }) => {
      expect(await ann("messages", { kind, ...body })).toMatchObject({ message, events: 0 });
    }),
  );

  test("send several at once, quote and forward", () =>
    withVk(async ({ ann }) => {
      await ann("messages", { text: "1" });
      const answer = await ann("messages", {
        attachments: ["photo", { kind: "doc", title: "Plan" }],
        reply_to: 1,
        forward: [1],
      });
      expect(answer["message"]).toMatchObject({
        attachments: [{ type: "photo" }, { doc: { title: "Plan" } }],
        reply_message: { text: "1" },
        fwd_messages: [{ text: "1" }],
      });
    }));

  test("errors are explained", () =>
    withVk(async ({ ann, admin }) => {
      await expect(ann("messages", { kind: "song" })).rejects.toThrow(/kind must be text, geo, photo/);
      await expect(ann("messages", {})).rejects.toThrow(/text must be a non-empty string/);
      await expect(ann("messages", { text: "x", reply_to: 9 })).rejects.toThrow(/no message 9/);
      await expect(ann("presses", { label: "A" })).rejects.toThrow(/no button A/);
      await expect(ann("reads")).rejects.toThrow(/no message of the community yet/);
      await expect(admin(`POST ${community}/users/7/messages`, { text: "x" })).rejects.toThrow(/no user 7/);
    }));

  test("press buttons of each kind", () =>
    withReceiver(async (kit, receiver) => {
      const buttons = [
        [{ action: { type: "text", label: "Yes", payload: '{"a":1}' } }],
        [{ action: { type: "location", payload: "{}" } }],
        [{ action: { type: "open_link", label: "Site", link: "https://a.b/" } }],
        [{ action: { type: "callback", label: "Ask", payload: '{"b":2}' } }],
      ];
      await kit.send({ message: "?", keyboard: { one_time: true, buttons } });
      expect(await kit.ann("presses", { label: "Site" })).toEqual({ kind: "url", url: "https://a.b/" });
      expect(await kit.ann("presses", { payload: {} })).toMatchObject({
        message: { geo: { type: "point" } },
      });
      await kit.send({ message: "?", keyboard: { inline: true, buttons } });
      expect(await kit.ann("presses", { label: "Yes" })).toMatchObject({
        kind: "text",
        message: { text: "Yes", payload: '{"a":1}' },
      });
      const press = await kit.ann("presses", { label: "Ask" });
      await receiver.reach(5);
      const object = receiver.items.at(-1)?.body["object"];
      expect(object).toMatchObject({
        user_id: 111,
        peer_id: 111,
        payload: { b: 2 },
        conversation_message_id: 3,
      });
      const answer = { event_id: String(press["event_id"]), user_id: 111, peer_id: 111 };
      const method = "messages.sendMessageEventAnswer";
      expect(await kit.refused(method, { ...answer, event_data: { type: "dance" } })).toMatch(
        /event_data is invalid/,
      );
      expect(await kit.refused(method, { ...answer, user_id: 5 })).toMatch(/: invalid event_id$/);
      await kit.ok(method, { ...answer, event_data: { type: "open_link", link: "https://a.b/" } });
      expect(await kit.admin(`GET ${community}/presses/${press["event_id"]}?timeout_ms=1000`)).toMatchObject({
        answer: { type: "open_link" },
      });
      expect(await kit.refused(method, answer)).toMatch(/: invalid event_id$/);
      const late = await kit.ann("presses", { label: "Ask" });
      await kit.admin("POST /time", { advance_seconds: 61 });
      expect(await kit.refused(method, { ...answer, event_id: String(late["event_id"]) })).toMatch(
        /invalid event_id$/,
      );
    }));

  test("write in chats, invite, leave, and remove the community", () =>
    withReceiver(async (kit, receiver) => {
      await kit.admin("POST /users", { id: 222, first_name: "Bob" });
      const chat = await kit.admin(`POST ${community}/chats`, { title: "Team", user_ids: [111, 222] });
      const peerId = Number(chat["peer_id"]);
      expect(chat).toMatchObject({
        peer_id: 2_000_000_001,
        message: { id: 0, action: { type: "chat_invite_user" } },
      });
      const below = `POST ${community}/chats/${peerId}`;
      await kit.admin(`${below}/messages`, { user_id: 222, text: "hi" });
      const sent = await kit.ok("messages.send", { peer_ids: peerId, random_id: 1, message: "all" });
      expect(sent).toEqual([{ peer_id: peerId, message_id: 0, conversation_message_id: 3 }]);
      await kit.admin(`${below}/reads`, { user_id: 111 });
      await kit.admin(`${below}/titles`, { title: "Crew" });
      await kit.admin(`${below}/removals`, { user_id: 222 });
      const members = await kit.ok("messages.getConversationMembers", { peer_id: peerId });
      expect(members["items"]).toMatchObject([
        { member_id: 111, is_owner: true },
        { member_id: -demo.groupId },
      ]);
      await kit.admin(`${below}/removals`, {});
      expect(await kit.refused("messages.send", { peer_id: peerId, random_id: 2, message: "x" })).toMatch(
        /^917 /,
      );
      await receiver.reach(7);
      expect(receiver.items.map(({ body }) => body["object"])).toMatchObject([
        { message: { action: { member_id: -demo.groupId } } },
        { message: { from_id: 222, peer_id: peerId, id: 0, conversation_message_id: 2 } },
        { from_id: -demo.groupId, peer_id: peerId, conversation_message_id: 3 },
        { from_id: 111, peer_id: peerId, conversation_message_id: 3 },
        { message: { action: { type: "chat_title_update", text: "Crew" } } },
        { message: { action: { type: "chat_kick_user", member_id: 222 } } },
        { message: { action: { type: "chat_kick_user", member_id: -demo.groupId } } },
      ]);
    }));

  test("are in chats that the community creates, if they allow it", () =>
    withVk(async ({ admin, ok, refused }) => {
      await admin("POST /users", { id: 222, first_name: "Bob", refuses_chats: true });
      await admin(`POST ${community}/users/222/allowances`);
      expect(await refused("messages.createChat", { title: "Team", user_ids: "111,5" })).toMatch(/^936 /);
      const made = await ok("messages.createChat", { title: "Team", user_ids: "111,222" });
      expect(made).toEqual({ chat_id: 1, peer_ids: [111] });
      const peer = { peer_id: 2_000_000_001 };
      expect(await ok("messages.getInviteLink", peer)).toEqual({ link: expect.stringMatching(/join/) });
      const members = await ok("messages.getConversationMembers", peer);
      expect(members["items"]).toMatchObject([
        { member_id: 111, is_admin: false, can_kick: true },
        { member_id: -demo.groupId, is_admin: true, is_owner: true },
      ]);
      const chat = { chat_id: 1 };
      expect(await refused("messages.addChatUser", { ...chat, user_id: 222 })).toMatch(/^27 /);
      const { upload_url } = await ok("photos.getChatUploadServer", chat);
      const small = await sendForm(String(upload_url), { file: pngFile(100, 100) });
      expect(small.body["error"]).toMatch(/BAD_IMAGE_SIZE/);
      expect(await refused("messages.removeChatUser", { ...chat, member_id: 222 })).toMatch(/^935 /);
      await ok("messages.removeChatUser", { ...chat, member_id: 111 });
      const theirs = await admin(`POST ${community}/chats`, { title: "Theirs", user_ids: [111] });
      expect(await refused("messages.editChat", { chat_id: 2, title: "Ours" })).toMatch(/^925 /);
      expect(await refused("messages.getInviteLink", { peer_id: Number(theirs["peer_id"]) })).toMatch(
        /^919 /,
      );
      await admin(`POST ${community}/chats/${theirs["peer_id"]}/promotions`);
      await ok("messages.editChat", { chat_id: 2, title: "Ours" });
      expect(await admin(`GET ${community}/chats`)).toMatchObject({
        items: [
          { title: "Team", user_ids: [] },
          { title: "Ours", admin_ids: [-demo.groupId] },
        ],
      });
    }));

  test("have names, and deleted ones have none", () =>
    withVk(async ({ admin, ok }) => {
      await admin("POST /users", { id: 222, first_name: "Bob", screen_name: "bob" });
      await admin("POST /users", { id: 222, first_name: "Robert", deactivated: "deleted" });
      expect(await ok("users.get", { user_ids: "ann,222,5", fields: "screen_name" })).toEqual([
        {
          id: 111,
          first_name: "Ann",
          last_name: "Smith",
          is_closed: false,
          can_access_closed: true,
          screen_name: "ann",
        },
        { id: 222, first_name: "DELETED", last_name: "", deactivated: "deleted", screen_name: "bob" },
      ]);
    }));
});

test("the demo is complete: its people can write immediately", () =>
  withSandbox(async ({ url }) => {
    const response = await fetch(`${url}/admin/vk/messages`, { method: "POST", body: '{"text":"Hello"}' });
    expect(await response.json()).toMatchObject({ message: { text: "Hello", from_id: demo.userId } });
    expect(await (await fetch(url)).json()).toMatchObject({
      vk: { url: `${url}/vk`, settings: { VK_APP_ID: String(demo.appId), VK_APP_SECRET: demo.appSecret } },
    });
  }));
