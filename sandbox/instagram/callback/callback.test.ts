import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { account, toAnn, withInstagram, withReceiver } from "../test-kit.ts";

const sign = (algorithm: string, raw: string, secret: string = demo.appSecret) =>
  createHmac(algorithm, secret).update(raw).digest("hex");
const person = {
  sender: { id: demo.igsid },
  recipient: { id: demo.accountId },
  timestamp: expect.any(Number),
};
const business = {
  sender: { id: demo.accountId },
  recipient: { id: demo.igsid },
  timestamp: expect.any(Number),
};

describe("callbacks", () => {
  test("are signed over the exact bytes, which are escaped", () =>
    withReceiver(async ({ ann }, receiver) => {
      const { message } = await ann("messages", { text: "äöå / 👍" });
      await receiver.reach(1);
      const [received] = receiver.items;
      if (!received) throw new Error("nothing came");
      expect(received.raw).toContain(String.raw`"text":"\u00e4\u00f6\u00e5 \/ \ud83d\udc4d"`);
      expect(received.headers).toMatchObject({
        "content-type": "application/json",
        "x-hub-signature": `sha1=${sign("sha1", received.raw)}`,
        "x-hub-signature-256": `sha256=${sign("sha256", received.raw)}`,
      });
      expect(received.body).toEqual({
        object: "instagram",
        entry: [
          {
            id: demo.accountId,
            time: expect.any(Number),
            messaging: [{ ...person, message: { mid: message?.["mid"], text: "äöå / 👍" } }],
          },
        ],
      });
    }));

  test("announce each message by an edit without words, and add what no client knows", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /settings", { announce_edits: true });
      const { message } = await ann("messages", { text: "hi" });
      const mid = message?.["mid"];
      await receiver.reach(2);
      expect(receiver.news()).toEqual([
        { ...person, message: { mid, text: "hi" } },
        { ...person, message_edit: { mid, num_edit: 0 } },
      ]);
      await admin("POST /settings", { announce_edits: false, novelty: 7 });
      for (let left = 10; left > 0; left--) await ann("messages", { text: "hello" });
      await receiver.reach(12);
      const later = receiver.news().slice(2);
      expect(later.filter((each) => String(each["message"]?.["text"]) === "hello")).toHaveLength(10);
      expect(JSON.stringify(later)).toMatch(/"new_\d+".*"new_event_\d+"|"new_event_\d+".*"new_\d+"/);
    }));

  const kinds: readonly (readonly [kind: string, body: object, message: object])[] = [
    ["image", {}, { attachments: [{ type: "image", payload: { url: expect.stringMatching(/\/file\//) } }] }],
    ["image", { count: 2 }, { attachments: [{ type: "image" }, { type: "image" }] }],
    ["video", {}, { attachments: [{ type: "video" }] }],
    ["audio", {}, { attachments: [{ type: "audio" }] }],
    ["file", { file: { name: "a.pdf", size: 900 } }, { attachments: [{ type: "file" }] }],
    ["share", {}, { attachments: [{ type: "share", payload: { url: expect.stringMatching(/instagram/) } }] }],
    [
      "ig_story",
      {},
      { attachments: [{ type: "ig_story", payload: { story_media_url: expect.any(String) } }] },
    ],
    ["product", {}, { attachments: [{ type: "template", payload: { product: { elements: [{}] } } }] }],
    ["ig_post", {}, { attachments: [{ type: "ig_post", payload: { title: "A post" } }] }],
    ["ig_reel", {}, { attachments: [{ type: "ig_reel", payload: { reel_video_id: expect.any(String) } }] }],
    ["story_mention", {}, { attachments: [{ type: "story_mention", payload: { url: expect.any(String) } }] }],
    [
      "story_reply",
      { text: "wow" },
      { text: "wow", reply_to: { story: { id: expect.any(String), url: expect.any(String) } } },
    ],
    ["like_heart", {}, { attachments: [{ type: "like_heart" }] }],
    ["ephemeral", {}, { attachments: [{ type: "ephemeral" }] }],
    ["unsupported", {}, { is_unsupported: true }],
    ["text", { text: "hi", referral: { ref: "ad" } }, { text: "hi", referral: { ref: "ad" } }],
  ];
  test("report every kind of message", () =>
    withReceiver(async ({ ann }, receiver) => {
      for (const [kind, body] of kinds)
        expect(await ann("messages", { kind, ...body })).toMatchObject({ callbacks: 1 });
      await receiver.reach(kinds.length);
      expect(receiver.news()).toMatchObject(kinds.map(([, , message]) => ({ ...person, message })));
      const url = receiver.news()[0]?.["message"]?.["attachments"]?.[0]?.["payload"]?.["url"];
      expect((await fetch(String(url))).headers.get("content-type")).toBe("image/jpeg");
    }));

  test("report edits, unsent messages, reactions, presses, reading and links", () =>
    withReceiver(async ({ admin, ann, ok, send }, receiver) => {
      const { message } = await ann("messages", { text: "hi" });
      const mid = message?.["mid"];
      await ann("edits", { message_id: mid, text: "ho" });
      await ann("unsends", { message_id: mid });
      const own = await send({
        text: "?",
        quick_replies: [{ content_type: "text", title: "Yes", payload: "y" }],
      });
      await ann("reactions", { reaction: "love", emoji: "❤" });
      await ann("reactions", {});
      await ann("presses", { title: "Yes" });
      await ann("reads", { message_id: own });
      const buttons = [{ type: "postback", title: "Buy", payload: "b1" }];
      const template = {
        attachment: { type: "template", payload: { template_type: "button", text: "?", buttons } },
      };
      const sent = await ok("POST /me/messages", { ...toAnn, message: template });
      await ann("presses", { payload: "b1" });
      await ann("referrals", { ref: "shop" });
      await admin("POST /settings", { seen_form: "watermark" });
      await ann("reads");
      await receiver.reach(12);
      const news = receiver.news();
      expect(news).toMatchObject([
        { ...person, message: { mid, text: "hi" } },
        { ...person, message_edit: { mid, text: "ho", num_edit: 1 } },
        { ...person, message: { mid, is_deleted: true } },
        { ...business, message: { mid: own, is_echo: true, text: "?" } },
        { ...person, reaction: { mid: own, action: "react", reaction: "love", emoji: "❤" } },
        { ...person, reaction: { mid: own, action: "unreact" } },
        { ...person, message: { text: "Yes", quick_reply: { payload: "y" } } },
        { ...person, read: { mid: own } },
        { ...business, message: { is_echo: true, attachments: [{ type: "template" }] } },
        { ...person, postback: { mid: sent["message_id"], title: "Buy", payload: "b1" } },
        { ...person, referral: { ref: "shop", type: "OPEN_THREAD" } },
        { ...person, read: { watermark: expect.any(Number) } },
      ]);
    }));

  test("report messages that the owner writes on the phone", () =>
    withReceiver(async ({ admin }, receiver) => {
      await admin(`POST ${account}/echoes`, { user_id: demo.userId, text: "from the phone" });
      await admin(`POST ${account}/echoes`, { user_id: demo.userId, kind: "image" });
      await receiver.reach(2);
      expect(receiver.news()).toMatchObject([
        { ...business, message: { is_echo: true, text: "from the phone" } },
        { ...business, message: { is_echo: true, attachments: [{ type: "image" }] } },
      ]);
    }));

  test("several events in one body, of two accounts, with comments beside messages", () =>
    withReceiver(async ({ admin, ann, ok }, receiver) => {
      const other = await admin("POST /accounts", { username: "other" });
      await admin("POST /tokens", { kind: "page", account_ids: [other["id"]], token: "EAAother" });
      await ok(`POST /${other["page_id"]}/subscribed_apps?subscribed_fields=feed`, undefined, {
        token: "EAAother",
      });
      await admin("POST /callbacks/holds");
      for (const text of ["1", "2"]) await ann("messages", { text });
      await ann("comments", { text: "3" });
      await admin("POST /messages", { account_id: other["id"], text: "4" });
      expect(await admin("GET /callbacks/holds")).toMatchObject({ holding: true, items: [{}, {}, {}, {}] });
      await admin("POST /callbacks/releases", { batch: true });
      await receiver.reach(1);
      const [received] = receiver.items;
      expect(received?.body["entry"]).toMatchObject([
        { id: demo.accountId, messaging: [{ message: { text: "1" } }, { message: { text: "2" } }] },
        { id: demo.accountId, changes: [{ field: "comments", value: { text: "3" } }] },
        { id: other["id"], messaging: [{ message: { text: "4" } }] },
      ]);
      expect(received?.headers["x-hub-signature-256"]).toBe(`sha256=${sign("sha256", received?.raw ?? "")}`);
    }));

  test("later callbacks of each chat wait for a body with several events", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      const somebody = async (name: string, text: string): Promise<unknown> => {
        const { id } = await admin("POST /users", { id: name, username: name });
        return admin(`POST ${account}/users/${id}/messages`, { text });
      };
      const answers: (() => void)[] = [];
      receiver.answer = (_received, response) => {
        if (answers.length === 0) answers.push(() => response.end());
        else response.end();
      };
      await admin("POST /callbacks/holds");
      await ann("messages", { text: "1" });
      await somebody("bob", "2");
      await admin("POST /callbacks/releases", { batch: true });
      await receiver.reach(1);
      await somebody("bob", "3");
      await somebody("carl", "4");
      await receiver.reach(2);
      answers[0]?.();
      await receiver.reach(3);
      expect(receiver.news().map(({ message }) => message?.["text"])).toEqual(["1", "2", "4", "3"]);
    }));

  test("are retried until the response is 200, and are repeated and forged on request", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      const statuses = [500, 204, 200];
      receiver.answer = (_received, response) => response.writeHead(statuses.shift() ?? 200).end();
      await ann("messages", { text: "x" });
      expect(await admin("GET /callbacks?count=3")).toMatchObject({
        items: [{ status: 500 }, { status: 204 }, { status: 200, delivered: true }],
      });
      await admin("POST /callbacks/1/repeats", { times: 2 });
      await admin("POST /callbacks/1/forgeries", { secret: "guess" });
      await admin("POST /callbacks/1/forgeries");
      expect(new Set(receiver.items.map(({ raw }) => raw)).size).toBe(1);
      const signatures = receiver.items.slice(3).map(({ headers }) => headers["x-hub-signature-256"]);
      const raw = receiver.items[0]?.raw ?? "";
      const right = `sha256=${sign("sha256", raw)}`;
      expect(signatures).toEqual([right, right, `sha256=${sign("sha256", raw, "guess")}`, undefined]);
    }));

  test("are sent only to subscribed apps, with Instagram Login only the requested fields", () =>
    withReceiver(async ({ ann, ok, refused }, receiver) => {
      await ok(`DELETE /${demo.pageId}/subscribed_apps`);
      expect(await ann("messages", { text: "unheard" })).toMatchObject({ callbacks: 0 });
      const token = { token: demo.instagramToken };
      const edge = "POST /graph.instagram.com/v23.0/me/subscribed_apps?subscribed_fields=";
      expect(await refused(`${edge}messages,shoes`, undefined, token)).toMatch(/got "shoes"/);
      await ok(`${edge}messages`, undefined, token);
      expect(await ann("comments", { text: "unheard" })).toMatchObject({ callbacks: 0 });
      expect(await ann("messages", { text: "heard" })).toMatchObject({ callbacks: 1 });
      await receiver.reach(1);
    }));

  test("an address must answer the challenge first", () =>
    withReceiver(async ({ admin, graph, base }, receiver) => {
      const route = `POST /apps/${demo.appId}/subscriptions`;
      const wrong = { callback_url: receiver.url, verify_token: "wrong" };
      await expect(admin(route, wrong)).rejects.toThrow(
        /Callback verification failed .* HTTP Status Code = 403/,
      );
      await expect(admin(route, { ...wrong, callback_url: "http://example.com/" })).rejects.toThrow(
        /must be https/,
      );
      const token = `${demo.appId}|${demo.appSecret}`;
      const body = {
        object: "instagram",
        callback_url: receiver.url,
        verify_token: "vibecoding",
        fields: "messages,comments",
      };
      await graph(`POST /${demo.appId}/subscriptions`, body, { token });
      const listed = await fetch(
        `${base}/${demo.appId}/subscriptions?access_token=${encodeURIComponent(token)}`,
      );
      expect(await listed.json()).toMatchObject({
        data: [{ object: "instagram", fields: [{ name: "messages" }, { name: "comments" }] }],
      });
    }));
});

test("errors are explained", () =>
  withInstagram(async ({ ann, admin }) => {
    await expect(ann("messages", { kind: "song" })).rejects.toThrow(/kind must be text, image/);
    await expect(ann("edits", { message_id: "x", text: "y" })).rejects.toThrow(/no message of the user x/);
    await expect(ann("presses", { title: "A" })).rejects.toThrow(/no button A/);
    await expect(ann("reads")).rejects.toThrow(/no message of the account yet/);
    await ann("blocks");
    await expect(ann("messages", { text: "x" })).rejects.toThrow(/has blocked the account/);
    await admin("POST /users", { id: "222", username: "bob" });
    await expect(admin("POST /users", { id: "333", username: "bob" })).rejects.toThrow(
      /user 222 is called bob/,
    );
  }));
