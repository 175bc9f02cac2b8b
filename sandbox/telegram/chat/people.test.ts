import { describe, expect, test } from "vitest";
import { withSandbox } from "../../test-kit.ts";

const kinds: readonly (readonly [kind: string, extra: object, expected: object])[] = [
  ["photo", { caption: "c" }, { caption: "c", photo: [{ width: 90 }, { width: 1280 }] }],
  ["video", {}, { video: { mime_type: "video/mp4", duration: 5 } }],
  ["audio", { title: "Tune" }, { audio: { title: "Tune", mime_type: "audio/mpeg" } }],
  ["voice", { file: { size: 9000 } }, { voice: { mime_type: "audio/ogg", file_size: 9000 } }],
  ["video_note", {}, { video_note: { length: 240 } }],
  ["animation", {}, { animation: { duration: 2 }, document: { mime_type: "video/mp4" } }],
  [
    "document",
    { file: { name: "x.bin", mime_type: "a/b" } },
    { document: { file_name: "x.bin", mime_type: "a/b" } },
  ],
  ["contact", { own: true, phone_number: "7900" }, { contact: { phone_number: "7900", user_id: 111 } }],
  ["location", { latitude: 1, longitude: 2 }, { location: { latitude: 1, longitude: 2 } }],
  ["venue", { title: "V" }, { venue: { title: "V" }, location: {} }],
  ["sticker", {}, { sticker: { is_animated: false, is_video: false } }],
  ["sticker", { format: "webm" }, { sticker: { is_video: true } }],
  ["sticker", { format: "tgs" }, { sticker: { is_animated: true } }],
  ["poll", { question: "q?", options: ["a"] }, { poll: { question: "q?", options: [{ text: "a" }] } }],
  ["dice", {}, { dice: { emoji: "🎲" } }],
];

describe("messages of a person", () => {
  test.each(kinds)("%s %j", (kind, extra, expected) =>
    withSandbox(async ({ ann, ok }) => {
      await ann("messages", { kind, ...extra });
      expect(await ok("getUpdates")).toMatchObject([{ message: { from: { id: 111 }, ...expected } }]);
    }),
  );

  test("album, reply with a quote, edit", () =>
    withSandbox(async ({ ann, ok }) => {
      const { messages } = await ann("messages", {
        kind: "album",
        items: [{ kind: "photo" }, { kind: "video" }],
      });
      const group = messages?.[0]?.["message"]?.["media_group_id"];
      await ok("sendMessage", { chat_id: 111, text: "one two three" });
      await ann("messages", { text: "yes", reply_to: 3, quote: "two" });
      await ann("edits", { message_id: 4, text: "no" });
      expect(await ok("getUpdates")).toMatchObject([
        { message: { media_group_id: group } },
        { message: { media_group_id: group } },
        { message: { reply_to_message: { text: "one two three" }, quote: { text: "two", position: 4 } } },
        { edited_message: { message_id: 4, text: "no", edit_date: expect.any(Number) } },
      ]);
    }));

  test("a reaction is told to a bot that asked for it, with the earlier one", () =>
    withSandbox(async ({ admin, ann, ok }) => {
      await ann("messages", { text: "a" });
      await ann("reactions", { emoji: "👍" });
      const allowed = JSON.stringify(["message_reaction"]);
      const first: unknown = await ok("getUpdates", { allowed_updates: allowed });
      expect(first).toMatchObject([{ message: { text: "a" } }]);
      const offset = Number((first as { update_id: number }[])[0]?.update_id) + 1;
      await ann("reactions", { message_id: 1, emoji: "❤️" });
      await ok("setMessageReaction", {
        chat_id: 111,
        message_id: 1,
        reaction: [{ type: "emoji", emoji: "🔥" }],
      });
      const { items } = await admin("GET /bots/1000001/chats/111/messages");
      expect(items).toMatchObject([{ reactions: ["❤", "🔥"] }]);
      await ann("reactions", {});
      const types = (emoji?: string) => (emoji === undefined ? [] : [{ type: "emoji", emoji }]);
      const told = { chat: { id: 111 }, message_id: 1, user: { id: 111 }, date: expect.any(Number) };
      expect(await ok("getUpdates", { offset })).toMatchObject([
        { message_reaction: { ...told, old_reaction: types("👍"), new_reaction: types("❤") } },
        { message_reaction: { ...told, old_reaction: types("❤"), new_reaction: types() } },
      ]);
    }));

  test("in a group, reactions are told to administrators alone", () =>
    withSandbox(async ({ admin, ok }) => {
      const group = await admin("POST /groups", { title: "Team", user_ids: [111] });
      const at = `/groups/${group["id"]}`;
      await ok("getUpdates", { allowed_updates: JSON.stringify(["message_reaction"]), offset: -1 });
      await admin(`POST ${at}/bots`, { bot_id: 1000001 });
      await admin(`POST ${at}/messages`, { user_id: 111, text: "/a" });
      expect(await admin(`POST ${at}/reactions`, { user_id: 111, emoji: "👍" })).toMatchObject({
        update_ids: {},
      });
      await admin(`POST ${at}/promotions`, { bot_id: 1000001 });
      await admin(`POST ${at}/reactions`, { user_id: 111, emoji: "🔥" });
      expect(await ok("getUpdates")).toMatchObject([
        { message_reaction: { old_reaction: [{ emoji: "👍" }], new_reaction: [{ emoji: "🔥" }] } },
      ]);
    }));

  test("a deletion causes no update", () =>
    withSandbox(async ({ admin, ann, refused }) => {
      await ann("messages", { text: "a" });
      await ann("deletions", { message_id: 1 });
      expect(await admin("GET /bots/1000001/updates")).toMatchObject({ pending: 1 });
      const edit = { chat_id: 111, message_id: 1, text: "x" };
      expect(await refused("editMessageText", edit)).toBe("400 Bad Request: message to edit not found");
    }));

  test("blocking and unblocking", () =>
    withSandbox(async ({ ann, ok, refused }) => {
      await ann("blocks");
      const hello = { chat_id: 111, text: "a" };
      expect(await refused("sendMessage", hello)).toBe("403 Forbidden: bot was blocked by the user");
      await ann("unblocks");
      await ok("sendMessage", hello);
      await ann("deactivations");
      expect(await refused("sendMessage", hello)).toBe("403 Forbidden: user is deactivated");
      expect(await ok("getUpdates")).toMatchObject([
        { my_chat_member: { old_chat_member: { status: "member" }, new_chat_member: { status: "kicked" } } },
        { my_chat_member: { new_chat_member: { status: "member" } } },
      ]);
    }));

  test("presses: inline, by link, on a reply keyboard", () =>
    withSandbox(async ({ admin, ann, ok }) => {
      const inline = [[{ text: "A", callback_data: "a" }], [{ text: "Site", url: "https://example.com" }]];
      await ok("sendMessage", { chat_id: 111, text: "?", reply_markup: { inline_keyboard: inline } });
      const press = await ann("presses", { text: "A" });
      expect(await ann("presses", { text: "Site" })).toEqual({ kind: "url", url: "https://example.com" });
      await ok("answerCallbackQuery", {
        callback_query_id: press["callback_query_id"],
        text: "ok",
        show_alert: true,
      });
      const answered = await admin(`GET /bots/1000001/presses/${press["callback_query_id"]}?timeout_ms=1000`);
      expect(answered["answer"]).toMatchObject({ text: "ok", show_alert: true });
      const keyboard = { keyboard: [["Yes", { text: "No" }]], one_time_keyboard: true };
      await ok("sendMessage", { chat_id: 111, text: "?", reply_markup: keyboard });
      expect(await ann("presses", { text: "No" })).toMatchObject({ kind: "text", message: { text: "No" } });
      await expect(ann("presses", { text: "No" })).rejects.toThrow(/no button No/);
      expect(await ok("getUpdates")).toMatchObject(
        [{ message: { text: "No" } }, { callback_query: { data: "a" } }].reverse(),
      );
    }));

  test("a profile photo", () =>
    withSandbox(async ({ admin, ok }) => {
      expect(await ok("getUserProfilePhotos", { user_id: 111 })).toEqual({ total_count: 0, photos: [] });
      await admin("POST /users/111/photos", {});
      const { photos } = await ok("getUserProfilePhotos", { user_id: 111 });
      const file = await ok("getFile", { file_id: photos?.[0]?.[1]?.["file_id"] });
      expect(file["file_path"]).toMatch(/^photos\/file_\d+\.jpg$/);
    }));

  test("a message with defaults only, if nothing but a bot exists", () =>
    withSandbox(
      async ({ admin }) => {
        await expect(admin("POST /messages", { text: "Hello" })).rejects.toThrow(/none_yet/);
        const bot = await admin("POST /bots", { username: "shop_bot" });
        await admin("POST /messages", { text: "Hello" });
        expect(await admin(`GET /bots/${bot["id"]}/updates`)).toMatchObject({
          items: [
            { message: { text: "/start" } },
            { message: { text: "Hello", from: { first_name: "Ann" } } },
          ],
        });
      },
      { seedDemo: false },
    ));
});

describe("changes by a bot", () => {
  test("editing", () =>
    withSandbox(async ({ ann, ok, refused }) => {
      await ann("messages", { text: "mine" });
      const sent = await ok("sendMessage", { chat_id: 111, text: "a" });
      const at = { chat_id: 111, message_id: sent["message_id"] };
      expect(await refused("editMessageText", { ...at, text: "a" })).toMatch(
        /^400 Bad Request: message is not modified/,
      );
      expect(await ok("editMessageText", { ...at, text: "b" })).toMatchObject({
        text: "b",
        edit_date: expect.any(Number),
      });
      expect(await refused("editMessageCaption", { ...at, caption: "c" })).toBe(
        "400 Bad Request: there is no caption in the message to edit",
      );
      expect(await refused("editMessageText", { chat_id: 111, message_id: 1, text: "x" })).toBe(
        "400 Bad Request: message can't be edited",
      );
      await ok("sendMessage", { chat_id: 111, text: "k", reply_markup: { keyboard: [["K"]] } });
      expect(await refused("editMessageText", { chat_id: 111, message_id: 3, text: "x" })).toBe(
        "400 Bad Request: message can't be edited",
      );
      await ok("sendLocation", { chat_id: 111, latitude: 1, longitude: 1 });
      expect(await refused("editMessageText", { chat_id: 111, message_id: 4, text: "x" })).toBe(
        "400 Bad Request: there is no text in the message to edit",
      );
    }));

  test("deleting, up to 48 hours", () =>
    withSandbox(async ({ admin, ann, ok, refused }) => {
      for (const text of ["1", "2", "3"]) await ann("messages", { text });
      expect(await ok("deleteMessage", { chat_id: 111, message_id: 1 })).toBe(true);
      expect(await refused("deleteMessage", { chat_id: 111, message_id: 1 })).toBe(
        "400 Bad Request: message to delete not found",
      );
      expect(await ok("deleteMessages", { chat_id: 111, message_ids: [1, 2] })).toBe(true);
      await admin("POST /bots/1000001/time", { advance_seconds: 48 * 3600 + 1 });
      expect(await refused("deleteMessage", { chat_id: 111, message_id: 3 })).toBe(
        "400 Bad Request: message can't be deleted for everyone",
      );
      const { items } = await admin("GET /bots/1000001/sent");
      expect(items).toMatchObject([
        { method: "deleteMessage", message_id: 1 },
        { method: "deleteMessages", message_id: 2 },
      ]);
    }));

  test("the record can be filtered and continued", () =>
    withSandbox(async ({ admin, ok }) => {
      await admin("POST /users", { id: 222, first_name: "Bob" });
      await admin("POST /bots/1000001/users/222/start");
      await ok("sendMessage", { chat_id: 111, text: "a" });
      await ok("sendMessage", { chat_id: 222, text: "b" });
      const page = await admin("GET /bots/1000001/sent?chat_id=222&count=1");
      expect(page).toMatchObject({ complete: true, count: 1, items: [{ seq: 2, message: { text: "b" } }] });
      const next = admin("GET /bots/1000001/sent?after=2&count=1");
      await ok("sendMessage", { chat_id: 111, text: "c" });
      expect(await next).toMatchObject({ items: [{ seq: 3, message: { text: "c" } }] });
      expect(await admin("GET /bots/1000001/sent?count=9&timeout_ms=1")).toMatchObject({
        complete: false,
        count: 3,
      });
    }));
});

describe("groups", () => {
  test("privacy mode, kicks and the upgrade to a supergroup", () =>
    withSandbox(async ({ admin, ok, refused }) => {
      const group = await admin("POST /groups", { title: "Team", user_ids: [111] });
      const at = `/groups/${group["id"]}`;
      const hello = { chat_id: group["id"], text: "hello" };
      expect(await refused("sendMessage", hello)).toBe(
        "403 Forbidden: bot is not a member of the group chat",
      );
      await admin(`POST ${at}/bots`, { bot_id: 1_000_001 });
      await admin(`POST ${at}/messages`, { user_id: 111, text: "among us" });
      await admin(`POST ${at}/messages`, { user_id: 111, text: "/help" });
      await ok("sendMessage", hello);
      const upgraded = await admin(`POST ${at}/upgrades`);
      const answer = await refused("sendMessage", hello);
      expect(answer).toBe("400 Bad Request: group chat was upgraded to a supergroup chat");
      await ok("sendMessage", { ...hello, chat_id: upgraded["id"] });
      await admin(`POST /groups/${upgraded["id"]}/kicks`, { bot_id: 1_000_001 });
      expect(await refused("sendMessage", { ...hello, chat_id: upgraded["id"] })).toBe(
        "403 Forbidden: bot was kicked from the supergroup chat",
      );
      expect(await ok("getUpdates")).toMatchObject([
        { my_chat_member: { new_chat_member: { status: "member" } } },
        { message: { new_chat_members: [{ id: 1_000_001 }] } },
        { message: { text: "/help" } },
        {
          my_chat_member: {
            chat: { id: upgraded["id"] },
            old_chat_member: { status: "left" },
            new_chat_member: { status: "member" },
          },
        },
        { message: { migrate_to_chat_id: upgraded["id"] } },
        { message: { chat: { type: "supergroup" }, migrate_from_chat_id: group["id"] } },
        { my_chat_member: { new_chat_member: { status: "kicked" } } },
      ]);
    }));

  test("people's changes of a group, as any member bot sees them", () =>
    withSandbox(async ({ admin, ok }) => {
      await admin("POST /users", { id: 222, first_name: "Bob" });
      const group = await admin("POST /groups", { title: "Team", user_ids: [111] });
      const at = `/groups/${group["id"]}`;
      await admin(`POST ${at}/bots`, { bot_id: 1_000_001 });
      await admin(`POST ${at}/titles`, { title: "Crew" });
      await admin(`POST ${at}/photos`);
      await admin(`DELETE ${at}/photos`);
      await admin(`POST ${at}/users`, { user_id: 222, by: 111 });
      await admin(`POST ${at}/promotions`, { user_id: 222 });
      await admin(`POST ${at}/removals`, { user_id: 222 });
      expect(await admin(`GET ${at}`)).toMatchObject({
        title: "Crew",
        user_ids: [111],
        administrator_ids: [],
      });
      const updates = await ok("getUpdates");
      const crew = { title: "Crew", id: group["id"] };
      expect(updates).toMatchObject([
        { my_chat_member: { new_chat_member: { status: "member" } } },
        { message: { new_chat_members: [{ id: 1_000_001 }] } },
        { message: { from: { id: 111 }, chat: crew, new_chat_title: "Crew" } },
        { message: { new_chat_photo: [{ width: 90 }, { width: 1280 }] } },
        { message: { delete_chat_photo: true } },
        { message: { from: { id: 111 }, new_chat_members: [{ id: 222 }] } },
        { message: { from: { id: 222 }, left_chat_member: { id: 222 } } },
      ]);
      const [small] =
        (updates as unknown as { message: { new_chat_photo: { file_id: string }[] } }[])[3]?.message
          .new_chat_photo ?? [];
      expect(await ok("getFile", { file_id: small?.file_id })).toHaveProperty("file_path");
    }));

  test("an administrator that requests it gets all membership updates", () =>
    withSandbox(async ({ admin, ok }) => {
      await admin("POST /users", { id: 222, first_name: "Bob" });
      const group = await admin("POST /groups", { title: "Team", type: "supergroup", user_ids: [111] });
      const at = `/groups/${group["id"]}`;
      await ok("getUpdates", { allowed_updates: ["chat_member", "my_chat_member"] });
      await admin(`POST ${at}/bots`, { bot_id: 1_000_001 });
      await admin(`POST ${at}/users`, { user_id: 222 });
      await admin(`POST ${at}/promotions`, { bot_id: 1_000_001 });
      await admin(`POST ${at}/promotions`, { user_id: 222 });
      expect(await ok("getChatMember", { chat_id: group["id"], user_id: 222 })).toMatchObject({
        status: "administrator",
      });
      await admin(`POST ${at}/demotions`, { user_id: 222 });
      await admin(`POST ${at}/removals`, { user_id: 222, by: 111 });
      const changed = (before: string, after: string, id = 222) => ({
        chat: { id: group["id"] },
        old_chat_member: { status: before },
        new_chat_member: { status: after, user: { id } },
      });
      expect(await ok("getUpdates")).toMatchObject([
        { my_chat_member: changed("left", "member", 1_000_001) },
        { my_chat_member: changed("member", "administrator", 1_000_001) },
        { chat_member: changed("member", "administrator") },
        { chat_member: changed("administrator", "member") },
        { chat_member: { from: { id: 111 }, ...changed("member", "kicked") } },
      ]);
    }));

  test("the refusal contains the new id", () =>
    withSandbox(async ({ admin, call }) => {
      const { id } = await admin("POST /groups", { title: "Team", user_ids: [111] });
      const upgraded = await admin(`POST /groups/${id}/upgrades`);
      const { body } = await call("sendMessage", { chat_id: id, text: "a" });
      expect(body["parameters"]).toEqual({ migrate_to_chat_id: upgraded["id"] });
    }));
});
