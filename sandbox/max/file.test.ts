import { expect, test } from "vitest";
import type { Json } from "../test-kit.ts";
import { pngFile } from "../test-kit.ts";
import { opcode } from "./opcode.ts";
import { ann, bob, type Client, type Kit, withMax } from "./test-kit.ts";

const upload = { count: 1, type: 0, uploaderType: 0, profile: false };

async function dialog({ idOf }: Kit): Promise<number> {
  return Number(BigInt(await idOf(ann)) ^ BigInt(await idOf(bob)));
}

/** Posts bytes like the clients. */
function postBytes(url: unknown, bytes: Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(String(url), {
    method: "POST",
    body: new Uint8Array(bytes),
    headers: {
      "Content-Disposition": "attachment; filename=offer%20%D0%B0.pdf",
      "Content-Range": `bytes 0-${bytes.length - 1}/${bytes.length}`,
      ...headers,
    },
  });
}

async function sendAttach(client: Client, chatId: number, attach: object): Promise<Json> {
  const cid = 1_766_000_000_000 + client.pushes.length + Math.floor(performance.now());
  return client.call(opcode.msgSend, {
    chatId,
    message: { text: "", cid, elements: [], attaches: [attach] },
  });
}

async function bytesAt(url: unknown): Promise<Buffer> {
  const response = await fetch(String(url));
  if (response.status !== 200) throw new Error(String(response.status));
  return Buffer.from(await response.arrayBuffer());
}

test("photos are uploaded as a form and downloaded", async () => {
  await withMax(async (kit) => {
    const [client, bobs] = [await kit.link(ann), await kit.link(bob, { deviceId: "device-2" })];
    const chatId = await dialog(kit);
    const { url } = await client.call(opcode.photoUpload, { count: 1, profile: false });
    const photoId = new URL(String(url)).searchParams.get("photoIds") ?? "";
    const form = new FormData();
    const picture = pngFile(320, 200);
    form.set("file", picture);
    const answer = (await (await fetch(String(url), { method: "POST", body: form })).json()) as Json;
    const photoToken = answer["photos"]?.[photoId]?.["token"];
    await sendAttach(client, chatId, { _type: "PHOTO", photoToken });
    const told = await bobs.next(opcode.notifMessage);
    const attach = told["message"]?.["attaches"]?.[0];
    expect(attach).toMatchObject({ _type: "PHOTO", photoToken, width: 320, height: 200 });
    expect(await bytesAt(attach?.["baseUrl"])).toEqual(Buffer.from(await picture.arrayBuffer()));

    expect((await fetch(String(url), { method: "POST", body: form })).status).toBe(403);
    const again = await client.call(opcode.photoUpload, { count: 1 });
    expect((await fetch(String(again["url"]), { method: "POST", body: new FormData() })).status).toBe(400);
    const text = new FormData();
    text.set("file", new Blob(["no picture"]), "a.png");
    expect((await fetch(String(again["url"]), { method: "POST", body: text })).status).toBe(400);
  });
});

test("files are uploaded in parts, sent when they are ready, and downloaded by URLs that expire", async () => {
  await withMax(async (kit) => {
    const { admin, link } = kit;
    const [client, bobs] = [await link(ann), await link(bob, { deviceId: "device-2", form: "json" })];
    const chatId = await dialog(kit);
    const { info } = await client.call(opcode.fileUpload, upload);
    const { url, fileId } = info?.[0] ?? {};
    const attach = { _type: "FILE", fileId };
    const early = { chatId, message: { cid: 1, attaches: [attach] } };
    expect(await client.refusal(opcode.msgSend, early)).toBe("attachment.not.ready");

    const bytes = Buffer.from("%PDF-1.4 ".repeat(100));
    expect((await postBytes(url, bytes, { "Content-Range": "bytes 100-999/1000" })).status).toBe(416);
    expect((await postBytes(url, bytes, { "Content-Range": "bytes 0-99/900" })).status).toBe(400);
    expect((await postBytes(url, bytes.subarray(0, 500), { "Content-Range": "0-499/900" })).status).toBe(201);
    expect((await postBytes(url, bytes.subarray(500), { "Content-Range": "bytes 500-899/900" })).status).toBe(
      200,
    );
    expect(await client.next(opcode.notifAttach)).toEqual({ fileId });
    const sent = await sendAttach(client, chatId, attach);
    expect(sent["message"]?.["attaches"]).toMatchObject([
      { _type: "FILE", fileId, name: "offer а.pdf", size: 900 },
    ]);

    const told = await bobs.next(opcode.notifMessage);
    const messageId = told["message"]?.["id"];
    const link1 = await bobs.call(opcode.fileDownload, { chatId, messageId, fileId });
    expect(await bytesAt(link1["url"])).toEqual(bytes);
    await admin("POST /time", { advance_seconds: 3601 });
    expect((await fetch(String(link1["url"]))).status).toBe(403);
    const link2 = await bobs.call(opcode.fileDownload, { chatId, messageId, fileId });
    expect(await bytesAt(link2["url"])).toEqual(bytes);
    expect(await bobs.refusal(opcode.fileDownload, { chatId: 0, messageId, fileId })).toBe("not.found");
    const file = await admin(`GET /people/${bob}/chats/${ann}/messages/${String(messageId)}/file`);
    expect(file).toMatchObject({ mime_type: "application/pdf", size: 900 });
  });
});

test("videos, round videos and voice messages are uploaded by type", async () => {
  await withMax(async (kit) => {
    const client = await kit.link(ann);
    const chatId = await dialog(kit);
    const place = async (type: number) => {
      const { info } = await client.call(opcode.videoUpload, {
        ...upload,
        type,
        uploaderType: type === 0 ? 0 : 1,
      });
      await postBytes(info?.[0]?.["url"], Buffer.from("OggS\x00\x02"));
      return info?.[0] ?? {};
    };
    const video = await place(0);
    expect(await client.next(opcode.notifAttach)).toEqual({ videoId: video["videoId"] });
    const { videoId, token } = video;
    const sent = await sendAttach(client, chatId, { _type: "VIDEO", videoId, token });
    expect(sent["message"]?.["attaches"]).toMatchObject([{ _type: "VIDEO", videoId, videoType: 0 }]);
    const play = { chatId, messageId: sent["message"]?.["id"], videoId };
    const links = await client.call(opcode.videoPlay, play);
    expect(await bytesAt(links["MP4_720"])).toEqual(Buffer.from("OggS\x00\x02"));

    const note = await place(1);
    await client.next(opcode.notifAttach);
    const round = {
      _type: "VIDEO",
      videoId: note["videoId"],
      token: note["token"],
      videoType: 1,
      duration: 2000,
    };
    expect((await sendAttach(client, chatId, round))["message"]?.["attaches"]).toMatchObject([
      { videoType: 1, duration: 2000 },
    ]);

    const voice = await place(2);
    expect(await client.next(opcode.notifAttach)).toEqual({ audioId: voice["videoId"] });
    const wave = new Uint8Array(80).fill(7);
    const audio = { _type: "AUDIO", audioId: voice["videoId"], token: voice["token"], duration: 3000, wave };
    const spoken = (await sendAttach(client, chatId, audio))["message"]?.["attaches"]?.[0];
    expect(spoken).toMatchObject({ _type: "AUDIO", audioId: voice["videoId"], duration: 3000 });
    expect(spoken?.["wave"]).toBe(Buffer.from(wave).toString("base64"));
    expect(await bytesAt(spoken?.["url"])).toEqual(Buffer.from("OggS\x00\x02"));
    const foreign = { _type: "AUDIO", audioId: voice["videoId"], token: "x", duration: 1 };
    const payload = { chatId, message: { cid: 1, attaches: [foreign] } };
    expect(await client.refusal(opcode.msgSend, payload)).toBe("not.found");
    const wrong = { ...upload, type: 2, uploaderType: 0 };
    expect(await client.refusal(opcode.videoUpload, wrong)).toBe("proto.payload");
  });
});

test("every kind of attachment arrives", async () => {
  await withMax(async (kit) => {
    const { admin } = kit;
    const client = await kit.link(ann);
    const kinds: readonly (readonly [body: object, attach: object])[] = [
      [{ kind: "photo", file: { size: 5000 } }, { _type: "PHOTO" }],
      [{ kind: "video" }, { _type: "VIDEO", videoType: 0, duration: 3000 }],
      [{ kind: "video_note" }, { _type: "VIDEO", videoType: 1 }],
      [{ kind: "voice" }, { _type: "AUDIO", duration: 3000 }],
      [
        { kind: "file", file: { name: "a.pdf", size: 9000 } },
        { _type: "FILE", name: "a.pdf", size: 9000 },
      ],
      [{ kind: "sticker" }, { _type: "STICKER", stickerType: "STATIC" }],
      [
        { kind: "contact", phone: bob, name: "Bob" },
        { _type: "CONTACT", name: "Bob", phone: bob },
      ],
      [{ kind: "location" }, { _type: "LOCATION", latitude: 55.75, longitude: 37.62 }],
      [
        { kind: "share", url: "https://example.com/a" },
        { _type: "SHARE", url: "https://example.com/a" },
      ],
      [{ kind: "call" }, { _type: "CALL", hangupType: "MISSED", callType: "AUDIO" }],
      [
        { kind: "poll", question: "Tea?" },
        { _type: "POLL", title: "Tea?" },
      ],
      [{ kind: "keyboard" }, { _type: "INLINE_KEYBOARD" }],
      [
        { kind: "raw", type: "HOLOGRAM", fields: { depth: 3 } },
        { _type: "HOLOGRAM", depth: 3 },
      ],
    ];
    for (const [body, attach] of kinds) {
      await admin(`POST /people/${bob}/messages`, { to: ann, ...body });
      expect(await client.next(opcode.notifMessage)).toMatchObject({ message: { attaches: [attach] } });
    }
    await admin(`POST /people/${bob}/messages`, {
      to: ann,
      kind: "album",
      items: [{ kind: "photo" }, { kind: "video" }],
    });
    expect(await client.next(opcode.notifMessage)).toMatchObject({
      message: { attaches: [{ _type: "PHOTO" }, { _type: "VIDEO" }] },
    });
    expect(await kit.refused(`POST /people/${bob}/messages`, { to: ann, kind: "smell" })).toBe(
      "400 invalid_field",
    );
  });
});
