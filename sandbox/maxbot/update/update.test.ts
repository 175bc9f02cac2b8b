import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Json } from "../../test-kit.ts";
import { demo } from "../demo.ts";
import { toAnn, withMaxbot, withReceiver } from "../test-kit.ts";

const dialogId = demo.botId ^ demo.userId;

describe("messages of a person", () => {
  const cases: readonly (readonly [kind: string, body: object, expected: object])[] = [
    ["a text", { text: "hi" }, { text: "hi" }],
    [
      "an image",
      { kind: "image", text: "look" },
      {
        text: "look",
        attachments: [
          {
            type: "image",
            payload: { photo_id: expect.any(Number), token: expect.any(String), url: expect.any(String) },
          },
        ],
      },
    ],
    [
      "a video",
      { kind: "video" },
      { attachments: [{ type: "video", width: 1280, height: 720, duration: 10 }] },
    ],
    ["audio", { kind: "audio" }, { attachments: [{ type: "audio" }] }],
    ["a voice message", { kind: "voice" }, { attachments: [{ type: "audio" }] }],
    [
      "a file",
      { kind: "file", file: { size: 900, name: "offer.pdf" } },
      { attachments: [{ type: "file", filename: "offer.pdf", size: 900 }] },
    ],
    [
      "a sticker",
      { kind: "sticker" },
      { attachments: [{ type: "sticker", payload: { code: expect.any(String) } }] },
    ],
    [
      "a contact",
      { kind: "contact", name: "Bob", phone: "7999" },
      { attachments: [{ type: "contact", payload: { vcf_info: expect.stringContaining("FN:Bob") } }] },
    ],
    [
      "a place",
      { kind: "location" },
      { attachments: [{ type: "location", latitude: 55.7558, longitude: 37.6176 }] },
    ],
    [
      "a link",
      { kind: "share", url: "https://example.com/1" },
      { attachments: [{ type: "share", payload: { url: "https://example.com/1" } }] },
    ],
    [
      "two pictures",
      { kind: "album", items: [{}, { kind: "video" }] },
      { attachments: [{ type: "image" }, { type: "video" }] },
    ],
  ];
  test("arrive with their file, of every kind", () =>
    withReceiver(async ({ ann }, receiver) => {
      for (const [index, [, body, expected]] of cases.entries()) {
        expect(await ann("messages", body)).toMatchObject({ callbacks: 1, message: { body: expected } });
        await receiver.reach(index + 1);
        expect(receiver.items[index]?.headers["x-max-bot-api-secret"]).toBe("s3cret-s3cret");
        expect(receiver.items[index]?.body).toMatchObject({
          update_type: "message_created",
          user_locale: "ru",
          message: {
            sender: { user_id: demo.userId, first_name: "Ann", is_bot: false },
            recipient: { chat_id: dialogId, chat_type: "dialog", user_id: demo.botId },
            body: expected,
          },
        });
      }
    }));

  test("the person's own contact is verified with the bot's token", () =>
    withReceiver(async ({ ann }, receiver) => {
      await ann("messages", { kind: "contact", own: true });
      await receiver.reach(1);
      const payload = receiver.items[0]?.body["message"]?.["body"]?.["attachments"]?.[0]?.["payload"];
      const vcf = String(payload?.["vcf_info"]);
      expect(payload?.["hash"]).toBe(createHmac("sha256", demo.token).update(vcf).digest("hex"));
      expect(payload?.["max_info"]).toMatchObject({ user_id: demo.userId });
    }));

  test("replies, forwards, edits, deletions, presses, and the dialog itself", () =>
    withReceiver(async ({ ann, refused, send }, receiver) => {
      const mid = await send({
        text: "?",
        attachments: [
          {
            type: "inline_keyboard",
            payload: { buttons: [[{ type: "callback", text: "Yes", payload: "y" }]] },
          },
        ],
      });
      const { message } = await ann("messages", { text: "re", reply_to: mid });
      const hers = message?.["body"]?.["mid"];
      await ann("messages", { text: "from Carl", forwarded: true });
      await ann("edits", { mid: hers, text: "re 2" });
      await ann("deletions", { mid: hers });
      await ann("presses", { text: "Yes" });
      await ann("mutes", { seconds: 60 });
      await ann("unmutes");
      await ann("clears");
      await ann("stop");
      expect(await refused(toAnn, { text: "x" })).toBe("403 chat.denied: error.dialog.suspended");
      await ann("start", { payload: "x".repeat(513) });
      await receiver.reach(10);
      const bodies = receiver.items.map(({ body }) => body);
      expect(bodies).toMatchObject([
        { update_type: "message_created", message: { link: { type: "reply", message: { mid, text: "?" } } } },
        {
          update_type: "message_created",
          message: { body: { text: "" }, link: { type: "forward", message: { text: "from Carl" } } },
        },
        { update_type: "message_edited", message: { body: { mid: hers, text: "re 2" } } },
        { update_type: "message_removed", message_id: hers, chat_id: dialogId, user_id: demo.userId },
        {
          update_type: "message_callback",
          callback: { payload: "y", user: { user_id: demo.userId } },
          message: { recipient: { chat_id: null, user_id: demo.userId }, body: { mid } },
        },
        { update_type: "dialog_muted", chat_id: dialogId, muted_until: expect.any(Number) },
        { update_type: "dialog_unmuted" },
        { update_type: "dialog_cleared" },
        { update_type: "bot_stopped", chat_id: dialogId, user: { user_id: demo.userId } },
        { update_type: "bot_started", payload: null },
      ]);
    }));

  test("in a group every bot gets updates, and may reply until it is removed", () =>
    withReceiver(async ({ admin, ok, refused }, receiver) => {
      const { chat_id: group } = await admin("POST /groups", { title: "Team", user_ids: [demo.userId] });
      await admin(`POST /groups/${group}/bots`, { bot_id: demo.botId });
      await admin("POST /users", { user_id: 222, first_name: "Bob" });
      await admin(`POST /groups/${group}/users`, { user_id: 222, by: demo.userId });
      await admin(`POST /groups/${group}/messages`, { user_id: 222, text: "hi all" });
      await admin(`POST /groups/${group}/titles`, { title: "Crew" });
      await admin(`POST /groups/${group}/removals`, { user_id: 222 });
      await ok(`POST /messages?chat_id=${group}`, { text: "hello" });
      expect(await ok(`GET /chats/${group}`)).toMatchObject({
        type: "chat",
        title: "Crew",
        participants_count: 2,
      });
      expect((await ok(`GET /chats/${group}/members`))["members"]).toHaveLength(2);
      await admin(`POST /groups/${group}/kicks`, { bot_id: demo.botId });
      expect(await refused(`POST /messages?chat_id=${group}`, { text: "x" })).toMatch(/^403 chat.denied/);
      await receiver.reach(6);
      expect(receiver.items.map(({ body }) => body)).toMatchObject([
        { update_type: "bot_added", chat_id: group, is_channel: false },
        { update_type: "user_added", user: { user_id: 222 }, inviter_id: demo.userId },
        { update_type: "message_created", message: { recipient: { chat_id: group, chat_type: "chat" } } },
        { update_type: "chat_title_changed", title: "Crew" },
        { update_type: "user_removed" },
        { update_type: "bot_removed" },
      ]);
    }));
});

describe("webhooks", () => {
  test("are retried after 60, 150, 375 seconds, and the bot is unsubscribed after eight hours", () =>
    withReceiver(async ({ admin, ann, ok }, receiver) => {
      await admin("POST /settings", { retry_scale: 1 });
      receiver.answer = (_received, response) => response.writeHead(500).end();
      await ann("messages", { text: "hi" });
      await admin("GET /callbacks?count=1");
      await admin("POST /time", { advance_seconds: 60 });
      const { items } = await admin("GET /callbacks?count=2");
      expect(items).toMatchObject([1, 2].map((attempt) => ({ callback_id: 1, attempt, status: 500 })));
      await admin("POST /time", { advance_seconds: 8 * 3600 });
      expect(await ok("GET /subscriptions")).toEqual({ subscriptions: [] });
      await ann("messages", { text: "polled" });
      expect((await ok("GET /updates?timeout=0"))["updates"]).toMatchObject([
        { message: { body: { text: "polled" } } },
      ]);
    }));

  test("are held, released in another order, repeated, and forged", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /callbacks/holds");
      await ann("messages", { text: "1" });
      await ann("messages", { text: "2" });
      expect(await admin("POST /callbacks/releases", { pick: [2, 1] })).toEqual({ released: 2 });
      await receiver.reach(2);
      expect(receiver.items.map(textOf)).toEqual(["2", "1"]);
      const { items } = await admin("GET /callbacks?count=2");
      const { seq } = items?.[0] ?? {};
      expect(await admin(`POST /callbacks/${seq}/repeats`, { times: 2 })).toEqual({
        repeated: 2,
        statuses: [200, 200],
      });
      await admin(`POST /callbacks/${seq}/forgeries`, { headers: { "X-Max-Bot-Api-Secret": "wrong" } });
      expect(receiver.items.slice(2).map(({ raw }) => raw)).toEqual(Array(3).fill(receiver.items[0]?.raw));
      expect(receiver.items[4]?.headers["x-max-bot-api-secret"]).toBe("wrong");
    }));

  test("are accepted only at URLs that the platform accepts", () =>
    withMaxbot(async ({ ok, refused }) => {
      const urls = ["http://example.com/a", "https://example.com:8443/a", "nonsense"];
      for (const url of urls)
        expect(await refused("POST /subscriptions", { url })).toMatch(/^400 proto.payload: url: /);
      const url = "https://example.com/a";
      expect(await refused("POST /subscriptions", { url, secret: "no!" })).toMatch(
        /^400 proto.payload: secret: /,
      );
      expect(await refused("POST /subscriptions", { url, update_types: ["poll"] })).toMatch(
        /^400 proto.payload/,
      );
      expect(await refused("POST /subscriptions", { url, events: [] })).toMatch(
        /^400 proto.payload: Unknown field/,
      );
      await ok("POST /subscriptions", { url, update_types: ["bot_started"] });
      expect(await refused("GET /updates")).toMatch(/^405 /);
      expect(await ok(`DELETE /subscriptions?url=${encodeURIComponent(url)}`)).toEqual({ success: true });
      expect(await ok(`DELETE /subscriptions?url=${encodeURIComponent(url)}`)).toMatchObject({
        success: false,
      });
    }));
});

describe("long polling", () => {
  test("waits, confirms by marker, and chooses by type", () =>
    withMaxbot(async ({ admin, ann, ok }) => {
      const waiting = ok("GET /updates?timeout=60");
      await admin("GET /calls?path=/updates&count=1");
      await ann("messages", { text: "1" });
      const first = await waiting;
      expect(first["updates"]).toHaveLength(1);
      await ann("messages", { text: "2" });
      await ann("stop");
      await ann("start");
      const again = await ok(`GET /updates?marker=${first["marker"]}&limit=2`);
      expect(updatesOf(again)).toEqual(["message_created", "bot_stopped"]);
      const started = await ok(`GET /updates?marker=${again["marker"]}&types=bot_started`);
      expect(updatesOf(started)).toEqual(["bot_started"]);
      expect(await admin(`GET /bots/${demo.botId}/updates`)).toMatchObject({ pending: 1 });
      const empty = await ok(`GET /updates?timeout=0&marker=${started["marker"]}`);
      expect(empty).toEqual({ updates: [], marker: started["marker"] });
      await ann("messages", { text: "3" });
      await ann("messages", { text: "4" });
      // Without a marker, only the newest update.
      expect((await ok("GET /updates"))["updates"]).toMatchObject([{ message: { body: { text: "4" } } }]);
    }));
});

describe("faults", () => {
  test("errors, slow responses, broken connections, proxies", () =>
    withMaxbot(async ({ admin, api, ok, refused }) => {
      await admin("POST /faults", { node: "messages", code: "too.many.requests", retry_after: 3 });
      await ok("GET /me");
      const limited = await api(toAnn, { text: "x" });
      expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"]);
      await admin("POST /faults", { chat_id: demo.userId, code: "chat.denied", times: 2, hang_ms: 5 });
      expect(await refused(toAnn, { text: "x" })).toBe("403 chat.denied: error.dialog.suspended");
      await admin("DELETE /faults");
      await admin("POST /faults", { drop: "after" });
      await expect(api(toAnn, { text: "x" })).rejects.toThrow();
      expect(await admin(`GET /bots/${demo.botId}/sent`)).toMatchObject({ count: 1 });
      await admin("POST /faults", { http_status: 502 });
      await expect(api("GET /me")).rejects.toThrow();
      expect(await admin("GET /faults")).toMatchObject({
        items: [
          { left: 0, hits: 1 },
          { left: 0, hits: 1 },
        ],
      });
      expect(await admin("GET /calls?refused=true&path=/messages")).toMatchObject({
        items: [{ status: 429 }, { status: 403 }, { status: 0 }],
      });
    }));

  test("bots, people, chats, subscriptions and files survive a restart", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "maxbot-"));
    try {
      let token = "";
      await withMaxbot(
        async ({ admin, ann, ok }) => {
          await admin("POST /groups", { group_id: -7, title: "Team", user_ids: [demo.userId] });
          await ann("messages", { text: "hi" });
          const { message } = await ann("messages", { kind: "image" });
          token = String(message?.["body"]?.["attachments"]?.[0]?.["payload"]?.["token"]);
          await ok("POST /subscriptions", { url: "https://example.com/a", secret: "abcde" });
        },
        { dataDir },
      );
      await withMaxbot(
        async ({ admin, ok }) => {
          expect(await admin("GET /bots")).toMatchObject({
            items: [{ subscriptions: [{ secret: "abcde" }] }],
          });
          expect(await admin("GET /groups/-7")).toMatchObject({ title: "Team", user_ids: [demo.userId] });
          await ok(toAnn, { attachments: [{ type: "image", payload: { token } }] });
          expect(await admin(`GET /bots/${demo.botId}/updates`)).toMatchObject({ next_marker: 3 });
        },
        { dataDir },
      );
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

function textOf({ body }: { readonly body: Json }): string {
  return String(body["message"]?.["body"]?.["text"]);
}

function updatesOf(page: Json): string[] {
  return (page["updates"] as unknown as Json[]).map((update) => String(update["update_type"]));
}
