import { describe, expect, test } from "vitest";
import { sampleFile } from "../../sample-file.ts";
import { demo } from "../demo.ts";
import { account, type InstagramKit, toAnn, withFile, withInstagram } from "../test-kit.ts";

const route = "POST /v23.0/me/messages";
const hour = 3600;
const text = (length: number, letter = "a") => ({ ...toAnn, message: { text: letter.repeat(length) } });
const attach = (type: string, payload?: object) => ({
  ...toAnn,
  message: { attachment: { type, ...(payload && { payload }) } },
});

describe("messages", () => {
  test("a text, by the page, by me, and with Instagram Login by the account", () =>
    withInstagram(async ({ ok, admin }) => {
      const routes = [route, `POST /${demo.pageId}/messages`];
      for (const each of routes) {
        expect(await ok(each, text(1000))).toEqual({
          recipient_id: demo.igsid,
          message_id: expect.stringMatching(/^aWdf/),
        });
      }
      const instagram = { token: demo.instagramToken };
      await ok(`POST /graph.instagram.com/v23.0/${demo.accountId}/messages`, text(3), instagram);
      await ok("POST /graph.instagram.com/me/messages", text(3), instagram);
      expect(await admin(`GET ${account}/sent?type=message`)).toMatchObject({
        count: 4,
        items: [{ user: demo.userId, request: { message: {} } }, {}, {}, {}],
      });
    }));

  const refusals: readonly (readonly [what: string, body: object, error: string])[] = [
    [
      "1001 bytes",
      text(1001),
      "400 100/2018276 (#100) Length of param message[text] must be less than or equal to 1000",
    ],
    ["501 letters of two bytes", text(501, "я"), "400 100/2018276 (#100) Length of param message[text]"],
    ["no text", text(0), "400 100 (#100) Param message['text'] must be a non-empty string."],
    ["nothing", { ...toAnn, message: {} }, "400 100 (#100) Param message must have exactly one of"],
    ["no recipient", { message: { text: "x" } }, "400 100 (#100) The parameter recipient is required."],
    [
      "a person who never wrote",
      { ...text(1), recipient: { id: "5" } },
      "400 100/2534014 The requested user cannot be found.",
    ],
    ["an unknown field", { ...text(1), silent: true }, '400 100 (#100) Unexpected key "silent"'],
    [
      "a field that is no object",
      { ...toAnn, message: "x" },
      "400 100 (#100) Param message must be a JSON object.",
    ],
    ["a quote", { ...text(1), reply_to: { mid: "x" } }, '400 100 (#100) Unexpected key "reply_to"'],
    [
      "an unknown tag",
      { ...text(1), messaging_type: "MESSAGE_TAG", tag: "NEWS" },
      "400 100 (#100) Param tag must be one of {HUMAN_AGENT}",
    ],
    [
      "an unknown attachment",
      attach("song", { url: "x" }),
      "400 100 (#100) Param message['attachment']['type'] must be one of",
    ],
    [
      "a broken address",
      attach("image", { url: "nowhere" }),
      "400 100 (#100) Param message['attachment']['payload']['url']",
    ],
    [
      "an unreachable file",
      attach("image", { url: "http://127.0.0.1:1/a.jpg" }),
      "400 100/2018008 (#100) Failed to fetch",
    ],
    ["somebody else's post", attach("MEDIA_SHARE", { id: "5" }), "400 100 (#100) Invalid media id"],
    [
      "an unknown attachment_id",
      attach("image", { attachment_id: "5" }),
      "400 100 (#100) Invalid attachment_id: 5",
    ],
    [
      "fourteen quick replies",
      {
        ...toAnn,
        message: {
          text: "x",
          quick_replies: Array(14).fill({ content_type: "text", title: "a", payload: "b" }),
        },
      },
      "400 100 (#100) Param message['quick_replies'] must have at most 13",
    ],
    [
      "four buttons",
      attach("template", {
        template_type: "button",
        text: "x",
        buttons: Array(4).fill({ type: "postback", title: "a", payload: "b" }),
      }),
      "400 100 (#100) Param buttons must have at most 3",
    ],
    [
      "an unknown action",
      { ...toAnn, sender_action: "dance" },
      "400 100 (#100) Param sender_action must be one of",
    ],
  ];
  test.each(refusals)("refused: %s", (_what, body, error) =>
    withInstagram(async ({ refused, admin }) => {
      expect((await refused(route, body)).slice(0, error.length)).toBe(error);
      expect(await admin(`GET ${account}/sent`)).toMatchObject({ count: 0 });
      expect(await admin("GET /calls?refused=true")).toMatchObject({ count: 1 });
      const isUnknown = /Unexpected key/.test(error);
      expect(await admin("GET /calls?unknown=true")).toMatchObject({ count: isUnknown ? 1 : 0 });
    }),
  );

  test("the window: a day, seven days for a human agent, then closed until the person writes", () =>
    withInstagram(async ({ admin, ann, ok, refused }) => {
      const closed = "403 10/2534022 This message is sent outside of allowed window.";
      const byAgent = { ...text(1), messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" };
      await admin("POST /time", { advance_seconds: 24 * hour - 60 });
      await ok(route, text(1));
      await admin("POST /time", { advance_seconds: 120 });
      expect(await refused(route, text(1))).toBe(closed);
      await ok(route, byAgent);
      await admin("POST /time", { advance_seconds: 6 * 24 * hour });
      expect(await refused(route, byAgent)).toBe(closed);
      await ann("messages", { text: "still there" });
      await ok(route, text(1));
    }));

  test("blocked, deleted by the owner, and restored", () =>
    withInstagram(async ({ admin, ann, ok, refused }) => {
      await ann("blocks");
      expect(await refused(route, text(1))).toBe("400 551/1545041 This person isn't available right now.");
      await ann("unblocks");
      await admin(`POST ${account}/thread_deletions`, { user_id: demo.userId });
      expect(await refused(route, text(1))).toMatch(/^400 100\/2534001 /);
      await ann("messages", { text: "hello again" });
      await ok(route, text(1));
    }));

  test("typing, seen and reactions", () =>
    withInstagram(async ({ admin, ann, ok, refused }) => {
      const { message } = await ann("messages", { text: "hi" });
      const mid = String(message?.["mid"]);
      for (const action of ["typing_on", "typing_off", "mark_seen"]) {
        expect(await ok(route, { ...toAnn, sender_action: action })).toEqual({ recipient_id: demo.igsid });
      }
      await ok(route, { ...toAnn, sender_action: "react", payload: { message_id: mid, reaction: "love" } });
      const { items } = await admin(`GET ${account}/users/${demo.userId}/messages`);
      expect(items).toMatchObject([{ mid, reaction: null, own_reaction: "love", seen: true }]);
      expect(await admin(`GET ${account}/sent`)).toMatchObject({
        items: [{ type: "typing" }, { type: "typing" }, { type: "read" }, { type: "reaction" }],
      });
      const angry = { message_id: mid, reaction: "angry" };
      expect(await refused(route, { ...toAnn, sender_action: "react", payload: angry })).toMatch(
        /Invalid reaction/,
      );
      await ann("reactions", { reaction: "wow", message_id: mid });
      await ok(route, { ...toAnn, sender_action: "unreact", payload: { message_id: mid } });
      const { items: after } = await admin(`GET ${account}/users/${demo.userId}/messages`);
      expect(after).toMatchObject([{ mid, reaction: "wow", own_reaction: null }]);
    }));

  test("a heart, an own post, templates and quick replies", () =>
    withInstagram(async ({ admin, ok, send }) => {
      const { items } = await admin(`GET ${account}/media`);
      await ok(route, attach("like_heart"));
      await ok(route, attach("MEDIA_SHARE", { id: items?.[0]?.["id"] }));
      const elements = [
        {
          title: "Kettle",
          subtitle: "1000",
          buttons: [{ type: "web_url", title: "See", url: "https://a.b/" }],
        },
      ];
      await ok(route, attach("template", { template_type: "generic", elements }));
      await send({ text: "?", quick_replies: [{ content_type: "text", title: "Yes", payload: "y" }] });
      await admin("POST /settings", { reply_to: "accepted" });
      const mid = await send({ text: "first" });
      await send({ text: "second" }, { reply_to: { mid } });
      const conversation = await admin(`GET ${account}/users/${demo.userId}/messages`);
      expect(conversation["items"]).toMatchObject([
        { attachments: [{ type: "like_heart" }] },
        { attachments: [{ type: "share", payload: { url: "https://www.instagram.com/p/Demo00000001/" } }] },
        { attachments: [{ type: "template" }], buttons: [{ kind: "web_url", title: "See" }] },
        { text: "?", buttons: [{ kind: "quick_reply", payload: "y" }] },
        { text: "first" },
        { text: "second", reply_to: { mid } },
      ]);
    }));
});

describe("files", () => {
  const pdf = sampleFile("application/pdf", 900);
  const good: readonly (readonly [type: string, bytes: Uint8Array, mime: string])[] = [
    ["image", sampleFile("image/jpeg", 400), "image/jpeg"],
    ["video", sampleFile("video/mp4", 400), "video/mp4"],
    ["audio", sampleFile("video/mp4", 400), "audio/mp4"],
    ["file", pdf, "application/pdf"],
  ];
  test.each(good)("%s arrives with its bytes", (type, bytes, mime) =>
    withFile({ bytes, mime }, (url) =>
      withInstagram(async ({ admin, ok }) => {
        await ok(route, attach(type, { url }));
        const { items } = await admin(`GET ${account}/users/${demo.userId}/messages`);
        const payload = items?.[0]?.["attachments"]?.[0]?.["payload"];
        const kept = await fetch(String(payload?.["url"]));
        expect(Buffer.from(await kept.arrayBuffer())).toEqual(Buffer.from(bytes));
      }),
    ),
  );

  const bad: readonly (readonly [
    what: string,
    type: string,
    file: { bytes: Uint8Array; mime: string; status?: number },
    subcode: number,
  ])[] = [
    ["a document as an image", "image", { bytes: pdf, mime: "image/png" }, 2018047],
    ["a webp image", "image", { bytes: sampleFile("image/webp", 100), mime: "image/webp" }, 2018047],
    ["a text as a file", "file", { bytes: Buffer.from("text"), mime: "text/plain" }, 2018047],
    [
      "an image over 8 MB",
      "image",
      { bytes: sampleFile("image/jpeg", 8 * 1024 * 1024 + 1), mime: "image/jpeg" },
      2018007,
    ],
    ["a missing file", "image", { bytes: pdf, mime: "image/png", status: 404 }, 2018008],
  ];
  test.each(bad)("refused: %s", (_what, type, file, subcode) =>
    withFile(file, (url) =>
      withInstagram(async ({ refused }) => {
        expect(await refused(route, attach(type, { url }))).toMatch(new RegExp(`^400 100/${subcode} `));
      }),
    ),
  );

  test("are uploaded once and sent twice", () =>
    withFile({ bytes: pdf, mime: "application/pdf" }, (url) =>
      withInstagram(async ({ ok, refused }) => {
        const upload = {
          platform: "instagram",
          message: { attachment: { type: "file", payload: { url, is_reusable: true } } },
        };
        const { attachment_id } = await ok("POST /me/message_attachments", upload);
        await ok(route, attach("file", { attachment_id }));
        expect(await refused(route, attach("image", { attachment_id }))).toMatch(/Invalid attachment_id/);
        const sent = await ok(route, attach("file", { url, is_reusable: true }));
        await ok(route, attach("file", { attachment_id: sent["attachment_id"] }));
      }),
    ));

  test("several images in one message", () =>
    withFile({ bytes: sampleFile("image/jpeg", 300), mime: "image/jpeg" }, (url) =>
      withInstagram(async ({ ok, refused, admin }) => {
        const image = { type: "image", payload: { url } };
        await ok(route, { ...toAnn, message: { attachments: [image, image] } });
        expect(
          await refused(route, { ...toAnn, message: { attachments: [{ ...image, type: "video" }] } }),
        ).toMatch(/images only/);
        const { items } = await admin(`GET ${account}/users/${demo.userId}/messages`);
        expect(items).toMatchObject([{ attachments: [{ type: "image" }, { type: "image" }] }]);
      }),
    ));
});

describe("data that an account can read", () => {
  const readings: readonly (readonly [path: string, answer: (kit: InstagramKit) => unknown])[] = [
    [
      `/${demo.pageId}?fields=name,instagram_business_account{id,username}`,
      () => ({
        id: demo.pageId,
        name: "Trunkline demo",
        instagram_business_account: { id: demo.accountId, username: demo.username },
      }),
    ],
    [
      `/${demo.accountId}?fields=username,media_count`,
      () => ({ id: demo.accountId, username: demo.username, media_count: 1 }),
    ],
    [`/${demo.igsid}?fields=name,username`, () => ({ id: demo.igsid, name: "Ann", username: "ann" })],
    [
      `/${demo.accountId}/media?fields=caption`,
      () => ({
        data: [{ id: expect.any(String), caption: "New in the shop" }],
        paging: { cursors: expect.any(Object) },
      }),
    ],
  ];
  test.each(readings)("GET %s", (path, answer) =>
    withInstagram(async (kit) => {
      expect(await kit.ok(`GET ${path}`)).toEqual(answer(kit));
    }),
  );

  test("conversations and their messages", () =>
    withInstagram(async ({ ann, ok, send }) => {
      await ann("messages", { text: "hi" });
      const mid = await send({ text: "hello" });
      const fields = "fields=updated_time,messages{id,message,from}";
      const { data } = await ok(`GET /${demo.pageId}/conversations?platform=instagram&${fields}`);
      expect(data).toMatchObject([
        {
          messages: {
            data: [
              { id: mid, message: "hello", from: { id: demo.accountId } },
              { message: "hi", from: { id: demo.igsid, username: "ann" } },
            ],
          },
        },
      ]);
      expect(await ok(`GET /${mid}?fields=message`)).toEqual({ id: mid, message: "hello" });
      expect(await ok(`GET /${data?.[0]?.["id"]}`)).toMatchObject({
        updated_time: expect.stringMatching(/\+0000$/),
      });
    }));

  test("a renamed person keeps the id", () =>
    withInstagram(async ({ admin, ok }) => {
      await admin("POST /users", { id: demo.userId, username: "ann_new" });
      expect(await ok(`GET /${demo.igsid}?fields=username`)).toEqual({ id: demo.igsid, username: "ann_new" });
    }));

  test("a person who only commented has no profile", () =>
    withInstagram(async ({ admin, refused }) => {
      await admin("POST /users", { id: "222", username: "bob" });
      await admin(`POST ${account}/users/222/comments`, { text: "price?" });
      const { users } = await admin(`GET ${account}`);
      expect(await refused(`GET /${users?.[1]?.["igsid"]}?fields=name`)).toMatch(/^403 230\/2018218 /);
    }));

  const mistakes: readonly (readonly [route: string, error: string])[] = [
    ["GET /12345", "400 100/33 Unsupported get request. Object with ID '12345' does not exist"],
    [
      "GET /me?fields=shoe_size",
      "400 100 (#100) Tried accessing nonexisting field (shoe_size) on node type (Page)",
    ],
    ["GET /me/shoes", "400 2500 Unknown path components: /shoes"],
    ["GET /v99.0/me", "400 2500 Unknown path components: /v99.0"],
    [
      `POST /${demo.accountId}/messages`,
      "400 3 (#3) Application does not have the capability to make this API call.",
    ],
  ];
  test.each(mistakes)("%s", (wrong, error) =>
    withInstagram(async ({ refused }) => {
      expect((await refused(wrong)).slice(0, error.length)).toBe(error);
    }),
  );
});
