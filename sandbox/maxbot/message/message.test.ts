import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { pngFile, stopClock } from "../../test-kit.ts";
import { demo } from "../demo.ts";
import { toAnn, withMaxbot } from "../test-kit.ts";

const dialogId = demo.botId ^ demo.userId;
const keyboard = (...buttons: unknown[]) => ({
  text: "?",
  attachments: [{ type: "inline_keyboard", payload: { buttons } }],
});
const button = { type: "callback", text: "A", payload: "a" };
const location = { type: "location", latitude: 55.7, longitude: 37.6 };

describe("sending", () => {
  test("returns the message, whose id exceeds the safe integers of JavaScript", () =>
    withMaxbot(async ({ base, ok }) => {
      const response = await fetch(`${base}/messages?chat_id=${dialogId}`, {
        method: "POST",
        headers: { Authorization: demo.token, "Content-Type": "application/json" },
        body: JSON.stringify({ text: "Hello" }),
      });
      const raw = await response.text();
      const [, mid = "", seq = ""] = /"mid":"mid\.(\w+)","seq":(\d+)/.exec(raw) ?? [];
      expect(BigInt(`0x${mid.slice(0, 16)}`)).toBe(BigInt(dialogId));
      expect(BigInt(`0x${mid.slice(16)}`)).toBe(BigInt(seq));
      expect(BigInt(seq)).toBeGreaterThan(2n ** 53n);
      expect(await ok(`GET /messages/mid.${mid}`)).toMatchObject({
        sender: { user_id: demo.botId, is_bot: true },
        recipient: { chat_id: dialogId, chat_type: "dialog", user_id: demo.userId },
        body: { text: "Hello" },
      });
    }));

  const refusals: readonly (readonly [string, string, unknown, string])[] = [
    ["no recipient", "POST /messages", { text: "x" }, "400 proto.payload: Unknown recipient"],
    ["chat 0", "POST /messages?chat_id=0", { text: "x" }, "403 chat.denied: Invalid chatId: 0"],
    ["a chat of nobody", "POST /messages?chat_id=5", { text: "x" }, "404 chat.not.found: chat.not.found"],
    ["no dialog", "POST /messages?user_id=5", { text: "x" }, "404 chat.not.found: dialog.not.found"],
    ["an unknown parameter", `${toAnn}&silent=1`, { text: "x" }, "400 proto.payload: Unknown field 'silent'"],
    [
      "an unknown field",
      toAnn,
      { text: "x", parse_mode: "html" },
      "400 proto.payload: Unknown field 'parse_mode'",
    ],
    ["a wrong type", toAnn, { text: 5 }, "400 proto.payload: Invalid value of 'text': a string expected"],
    ["nothing", toAnn, {}, "400 proto.payload: Message must have text, attachments or a link"],
    [
      "4001 characters",
      toAnn,
      { text: "x".repeat(4001) },
      "400 proto.payload: text: size must be between 0 and 4000",
    ],
    [
      "13 attachments",
      toAnn,
      { attachments: Array(13).fill(location) },
      "400 proto.payload: attachments: size must be between 0 and 12",
    ],
    [
      "an unknown kind",
      toAnn,
      { attachments: [{ type: "poll" }] },
      "400 proto.payload: Unknown attachment type 'poll'",
    ],
    [
      "an image of nothing",
      toAnn,
      { attachments: [{ type: "image", payload: {} }] },
      "400 proto.payload: No `photos`, `url` or `token` provided. Check payload.",
    ],
    [
      "a video by link",
      toAnn,
      { attachments: [{ type: "video", payload: { url: "https://example.com/v.mp4" } }] },
      "400 proto.payload: Unknown field 'attachments[0].payload.url'",
    ],
    [
      "a token of nothing",
      toAnn,
      { attachments: [{ type: "video", payload: { token: "x" } }] },
      "400 proto.payload: Key: errors.process.attachment.movie.not.found",
    ],
    [
      "a contact beside a place",
      toAnn,
      { attachments: [location, { type: "contact", payload: { name: "A", vcf_phone: "7999" } }] },
      "400 proto.payload: Must be the only attachment in message",
    ],
    [
      "a reply to nothing",
      toAnn,
      { text: "x", link: { type: "reply", mid: "mid.1" } },
      "404 message.not.found: Message mid.1 not found",
    ],
    ["31 rows", toAnn, keyboard(...Array(31).fill([button])), "400 proto.payload: Key: errors.maxRows"],
    ["8 in a row", toAnn, keyboard(Array(8).fill(button)), "400 proto.payload: Key: errors.maxButtonsInRow"],
    [
      "4 in a row with a link",
      toAnn,
      keyboard([button, button, button, { type: "link", text: "L", url: "https://example.com" }]),
      "400 proto.payload: Key: errors.maxButtonsInRow",
    ],
    [
      "a chat button",
      toAnn,
      keyboard([{ type: "chat", text: "C" }]),
      "400 proto.payload: Unknown button type 'chat'",
    ],
    [
      "a long payload",
      toAnn,
      keyboard([{ ...button, payload: "x".repeat(1025) }]),
      "400 proto.payload: payload: size must be between 0 and 1024",
    ],
    ["a path that is not there", "GET /dialogs", undefined, "404 not.found: Unknown path /dialogs"],
    [
      "a method that is not there",
      "PUT /me",
      {},
      "405 method.not.allowed: Method PUT is not allowed for /me",
    ],
  ];
  test("refuses what the platform refuses, and records unknown calls and fields", () =>
    withMaxbot(async ({ admin, refused }) => {
      for (const [label, route, body, answer] of refusals) {
        expect(`${label}: ${await refused(route, body)}`).toBe(`${label}: ${answer}`);
      }
      const unknown = await admin("GET /calls?unknown=true");
      expect(unknown["count"]).toBe(
        refusals.filter(([, , , answer]) => /Unknown field|is not allowed|Unknown path/.test(answer)).length,
      );
    }));

  test("requires the bare token, and rejects a revoked one", () =>
    withMaxbot(async ({ admin, api, refused }) => {
      const answer = "401 verify.token: Invalid access_token";
      expect(await refused("GET /me", undefined, null)).toBe(answer);
      expect(await refused("GET /me", undefined, `Bearer ${demo.token}`)).toBe(answer);
      expect(await refused(`GET /me?access_token=${demo.token}`, undefined, null)).toBe(answer);
      const { token } = await admin(`POST /bots/${demo.botId}/revocations`);
      expect(await refused("GET /me")).toBe(answer);
      expect(await api("GET /me", undefined, String(token))).toMatchObject({ status: 200 });
    }));

  test("every button, replies, forwards and formatting", () =>
    withMaxbot(async ({ ann, ok, send }) => {
      const mid = await send({
        text: "<b>one</b> &amp; <a href='https://example.com'>two</a>",
        format: "html",
      });
      expect((await ok(`GET /messages/${mid}`))["body"]).toMatchObject({
        text: "one & two",
        markup: [
          { type: "strong", from: 0, length: 3 },
          { type: "link", from: 6, length: 3, url: "https://example.com" },
        ],
      });
      const reply = await ok(toAnn, { text: "quoted", link: { type: "reply", mid } });
      expect(reply["message"]).toMatchObject({
        link: { type: "reply", message: { mid, text: "one & two" } },
      });
      const forward = await ok(toAnn, { link: { type: "forward", mid } });
      expect(forward["message"]).toMatchObject({ link: { type: "forward", chat_id: dialogId } });
      await send(
        keyboard(
          [
            { ...button, intent: "positive" },
            { type: "message", text: "M" },
            { type: "clipboard", text: "C", payload: "copied" },
          ],
          [
            { type: "link", text: "L", url: "https://example.com" },
            { type: "request_contact", text: "P" },
          ],
          [
            { type: "request_geo_location", text: "G", quick: true },
            { type: "open_app", text: "W", web_app: "shop" },
          ],
        ),
      );
      const kinds: unknown[] = [];
      for (const text of ["A", "M", "C", "L", "P", "G", "W"])
        kinds.push((await ann("presses", { text }))["kind"]);
      expect(kinds).toEqual(["callback", "message", "clipboard", "url", "contact", "location", "open_app"]);
    }));

  test("edits only its own messages within seven days, those with a keyboard at any time", () =>
    withMaxbot(async ({ admin, ann, ok, refused, send }) => {
      const plain = await send({ text: "one", attachments: [location] });
      const pressable = await send(keyboard([button]));
      const { message } = await ann("messages", { text: "hers" });
      const hers = message?.["body"]?.["mid"];
      expect(await ok(`PUT /messages?message_id=${plain}`, { text: "two" })).toEqual({ success: true });
      expect((await ok(`GET /messages/${plain}`))["body"]).toMatchObject({
        text: "two",
        attachments: [location],
      });
      await ok(`PUT /messages?message_id=${plain}`, { attachments: [] });
      expect((await ok(`GET /messages/${plain}`))["body"]).not.toHaveProperty("attachments");
      expect(await ok(`PUT /messages?message_id=${hers}`, { text: "x" })).toMatchObject({ success: false });
      await admin("POST /time", { advance_seconds: 7 * 24 * 3600 });
      expect(await ok(`PUT /messages?message_id=${plain}`, { text: "three" })).toMatchObject({
        success: false,
      });
      expect(await ok(`PUT /messages?message_id=${pressable}`, { text: "three" })).toEqual({ success: true });
      expect(await ok(`DELETE /messages?message_id=${plain}`)).toEqual({ success: true });
      expect(await refused(`DELETE /messages?message_id=${plain}`)).toMatch(/^404 message.not.found/);
      expect(await refused(`DELETE /messages?message_id=${hers}`)).toMatch(/^403 chat.denied/);
    }));

  test("the platform's rate limits, if they are turned on", () =>
    withMaxbot(async ({ admin, api, refused }) => {
      stopClock();
      await admin("POST /flood", { bot_per_second: 3, chat_per_second: 1 });
      expect((await api(toAnn, { text: "1" })).status).toBe(200);
      expect(await refused(toAnn, { text: "2" })).toBe("429 too.many.requests: Too many requests");
      expect((await api("GET /me")).status).toBe(200);
      expect(await refused("GET /me")).toMatch(/^429 /);
      await admin("DELETE /flood");
      expect((await api(toAnn, { text: "3" })).status).toBe(200);
    }));
});

describe("files", () => {
  test("are refused until they are uploaded and processed, and always for other bots", () =>
    withMaxbot(async ({ admin, ok, refused, upload }) => {
      const { url, token } = await ok("POST /uploads?type=video");
      const video = { attachments: [{ type: "video", payload: { token } }] };
      const notReady = "400 attachment.not.ready: Key: errors.process.attachment.file.not.processed";
      expect(await refused(toAnn, video)).toBe(notReady);
      await admin("POST /settings", { not_ready_calls: 2 });
      const bytes = Uint8Array.from(Buffer.from("AAAAGGZ0eXBpc29tAAACAGlzb21pc28y", "base64"));
      expect(await upload(String(url), bytes)).toEqual({ status: 200, text: "<retval>1</retval>" });
      expect(await upload(String(url), bytes)).toMatchObject({ status: 400 });
      const mid = (await ok(toAnn, { text: "x" }))["message"]?.["body"]?.["mid"];
      // An edit reports it differently from a send.
      expect(await ok(`PUT /messages?message_id=${mid}`, video)).toEqual({
        success: false,
        message: "Key: errors.process.attachment.file.not.processed",
      });
      expect(await refused(toAnn, video)).toBe(notReady);
      const sent = (await ok(toAnn, video))["message"]?.["body"]?.["attachments"]?.[0];
      expect(sent).toMatchObject({ type: "video", payload: { token } });
      expect(await ok(`GET /videos/${token}`)).toMatchObject({
        token,
        urls: { mp4_720: sent?.["payload"]?.["url"] },
      });
      const download = await fetch(String(sent?.["payload"]?.["url"]));
      expect(new Uint8Array(await download.arrayBuffer())).toEqual(bytes);
      const other = await admin("POST /bots", { user_id: 777 });
      await admin(`POST /bots/777/users/${demo.userId}/start`);
      expect(await refused(toAnn, video, String(other["token"]))).toBe(
        "400 proto.payload: Key: errors.process.attachment.movie.not.owner",
      );
    }));

  test("of the wrong kind, size or field are refused by the upload host", () =>
    withMaxbot(async ({ ok, upload }) => {
      const cases = [
        ["image", Buffer.from("%PDF-1.4"), "data", 400, "File extension is forbidden"],
        ["image", Buffer.from(await pngFile(7681, 10).arrayBuffer()), "data", 413, "File is too large"],
        ["video", Buffer.from("no video"), "data", 400, "File extension is forbidden"],
        ["audio", Buffer.from("%PDF-1.4"), "data", 400, "File extension is forbidden"],
        ["file", Buffer.from("MZ program"), "data", 400, "File extension is forbidden"],
        ["file", Buffer.from("text"), "file", 400, "There is no field 'data'"],
      ] as const;
      for (const [type, bytes, field, status, text] of cases) {
        const { url } = await ok(`POST /uploads?type=${type}`);
        const answer = await upload(String(url), Uint8Array.from(bytes), field);
        expect(answer).toMatchObject({ status, text: expect.stringContaining(text) });
      }
    }));

  test("in parts, and pictures by URL", () =>
    withMaxbot(async ({ admin, ok, refused }) => {
      await admin("POST /settings", { not_ready_calls: 0 });
      const { url, token } = await ok("POST /uploads?type=audio");
      const part = (range: string, body: string) =>
        fetch(String(url), {
          method: "POST",
          body,
          headers: { "Content-Range": `bytes ${range}`, "Content-Type": "audio/x" },
        });
      expect((await part("0-2/6", "ID3")).status).toBe(201);
      expect((await part("4-5/6", "xx")).status).toBe(416);
      expect(await (await part("3-5/6", "abc")).text()).toBe("<retval>1</retval>");
      await ok(toAnn, { attachments: [{ type: "audio", payload: { token } }] });
      const server = createServer(async (request, response) => {
        const isPng = request.url === "/a.png";
        response.end(isPng ? Buffer.from(await pngFile(20, 10).arrayBuffer()) : "<html>");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const address = server.address();
        const at = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
        const image = (path: string) => ({ attachments: [{ type: "image", payload: { url: at + path } }] });
        const sent = await ok(toAnn, image("/a.png"));
        expect(sent["message"]?.["body"]?.["attachments"]).toMatchObject([{ type: "image" }]);
        expect(await refused(toAnn, image("/a.html"))).toBe(
          "400 proto.payload: Key: errors.process.attachment.photo.invalid",
        );
      } finally {
        server.closeAllConnections();
        server.close();
      }
      expect(
        await refused(toAnn, { attachments: [{ type: "image", payload: { url: "http://127.0.0.1:1/a" } }] }),
      ).toBe("400 proto.payload: Key: errors.process.attachment.photo.download");
    }));
});
