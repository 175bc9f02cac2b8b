import { describe, expect, test } from "vitest";
import { pngFile, requestJson, sendForm, withSandbox } from "../../test-kit.ts";

describe("formats of a request", () => {
  const markup = { inline_keyboard: [[{ text: "A", callback_data: "a" }]] };
  const encoded = new URLSearchParams({ chat_id: "111", text: "hi", reply_markup: JSON.stringify(markup) });
  const expected = { ok: true, result: { text: "hi", reply_markup: markup } };

  test("query with GET, whatever the spelling of the method", () =>
    withSandbox(async ({ apiRoot, token }) => {
      const { body } = await requestJson("GET", `${apiRoot}/bot${token}/SENDmessage?${encoded}`);
      expect(body).toMatchObject(expected);
    }));

  test("urlencoded body", () =>
    withSandbox(async ({ apiRoot, token }) => {
      const response = await fetch(`${apiRoot}/bot${token}/sendMessage`, { method: "POST", body: encoded });
      expect(await response.json()).toMatchObject(expected);
    }));

  test("multipart body", () =>
    withSandbox(async ({ apiRoot, token }) => {
      const answer = await sendForm(`${apiRoot}/bot${token}/sendMessage`, {
        chat_id: 111,
        text: "hi",
        reply_markup: markup,
      });
      expect(answer.body).toMatchObject(expected);
    }));

  test("JSON body beside a query, numbers as text", () =>
    withSandbox(async ({ apiRoot, token }) => {
      const url = `${apiRoot}/bot${token}/sendMessage?chat_id=111`;
      expect((await requestJson("POST", url, { text: 12 })).body).toMatchObject({ result: { text: "12" } });
    }));

  test("broken JSON", () =>
    withSandbox(async ({ apiRoot, token }) => {
      const headers = { "Content-Type": "application/json" };
      const url = `${apiRoot}/bot${token}/sendMessage`;
      const response = await fetch(url, { method: "POST", body: "{", headers });
      expect(await response.json()).toMatchObject({ error_code: 400 });
    }));
});

describe("uploads", () => {
  test("a photo has sizes, can be resent by its id, and downloaded", () =>
    withSandbox(async ({ apiRoot, token, ok }) => {
      const url = `${apiRoot}/bot${token}/sendPhoto`;
      const { body } = await sendForm(url, { chat_id: 111, photo: pngFile(1280, 853), caption: "c" });
      expect(body).toMatchObject({
        result: {
          caption: "c",
          photo: [
            { width: 90, height: 60 },
            { width: 1280, height: 853, file_size: 64 },
          ],
        },
      });
      const fileId = body["result"]?.["photo"]?.[1]?.["file_id"];
      expect(await ok("sendPhoto", { chat_id: 111, photo: fileId })).toMatchObject({
        photo: [{ file_id: fileId }],
      });
      const file = await ok("getFile", { file_id: fileId });
      const download = await fetch(`${apiRoot}/file/bot${token}/${file["file_path"]}`);
      expect((await download.arrayBuffer()).byteLength).toBe(64);
    }));

  test("an album by attach://", () =>
    withSandbox(async ({ apiRoot, token }) => {
      const { body } = await sendForm(`${apiRoot}/bot${token}/sendMediaGroup`, {
        chat_id: 111,
        media: [
          { type: "photo", media: "attach://one", caption: "first" },
          { type: "video", media: "attach://two" },
        ],
        one: pngFile(10, 10),
        two: new File(["movie"], "m.mp4", { type: "video/mp4" }),
      });
      const album = body["result"]?.[0]?.["media_group_id"];
      expect(body).toMatchObject({
        result: [
          { caption: "first", media_group_id: album },
          { video: { file_name: "m.mp4" }, media_group_id: album },
        ],
      });
    }));

  const wrongPhotos: readonly (readonly [what: string, file: File, description: string])[] = [
    ["no picture", new File(["plain text, long enough to be looked at"], "a.jpg"), "IMAGE_PROCESS_FAILED"],
    ["too long sides", pngFile(9000, 1001), "PHOTO_INVALID_DIMENSIONS"],
    ["too thin", pngFile(2100, 100), "PHOTO_INVALID_DIMENSIONS"],
    ["empty", new File([], "a.png"), "file must be non-empty"],
    [
      "over 10 MB",
      pngFile(10, 10, 10_485_761),
      "file of size 10485761 bytes is too big for a photo; the maximum size is 10485760 bytes",
    ],
  ];

  test.each(wrongPhotos)("%s", (_what, photo, description) =>
    withSandbox(async ({ apiRoot, token }) => {
      const { body } = await sendForm(`${apiRoot}/bot${token}/sendPhoto`, { chat_id: 111, photo });
      expect(body["description"]).toBe(`Bad Request: ${description}`);
    }),
  );

  test("over 50 MB", () =>
    withSandbox(async ({ apiRoot, token }) => {
      const document = new File([Buffer.alloc(50 * 1024 * 1024 + 1)], "big.bin");
      const answer = await sendForm(`${apiRoot}/bot${token}/sendDocument`, { chat_id: 111, document });
      expect(answer).toMatchObject({ status: 413, body: { description: "Request Entity Too Large" } });
    }));

  test("a file over 20 MB cannot be downloaded", () =>
    withSandbox(async ({ ann, refused }) => {
      const { message } = await ann("messages", { kind: "document", file: { size: 20 * 1024 * 1024 + 1 } });
      const fileId = message?.["document"]?.["file_id"];
      expect(await refused("getFile", { file_id: fileId })).toBe("400 Bad Request: file is too big");
    }));

  test("a link expires after an hour, and files of other bots are unknown", () =>
    withSandbox(async ({ admin, ann, apiRoot, ok, token }) => {
      const { message } = await ann("messages", { kind: "voice" });
      const fileId = message?.["voice"]?.["file_id"];
      const { file_path } = await ok("getFile", { file_id: fileId });
      const link = `${apiRoot}/file/bot${token}/${file_path}`;
      expect((await fetch(link)).status).toBe(200);
      await admin("POST /bots/1000001/time", { advance_seconds: 3601 });
      expect((await fetch(link)).status).toBe(404);
      const other = await admin("POST /bots", {});
      const stolen = `${apiRoot}/bot${other["token"]}/getFile?file_id=${fileId}`;
      expect((await requestJson("GET", stolen)).body["description"]).toBe("Bad Request: invalid file_id");
    }));
});
