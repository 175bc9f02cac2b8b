import { createHash } from "node:crypto";
import type { Message } from "@mtcute/node";
import { expect, test } from "vitest";
import { ann, bob, refusal, until, withTgapi } from "./test-kit.ts";

const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

test("files are transferred in parts in both directions, and their references expire", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    for (const size of [300_000, 11 * 1024 * 1024 + 7]) {
      const file = Buffer.alloc(size, size % 251);
      const sent = await tg.sendMedia(
        "bob_demo",
        { type: "document", file, fileName: "a.bin" },
        { caption: "c" },
      );
      const path = `GET /people/${bob}/chats/${ann}/messages/${sent.id}/file`;
      expect(md5(Buffer.from(String((await admin(path))["base64"]), "base64"))).toBe(md5(file));
      if (sent.media?.type !== "document") throw new Error(`a ${sent.media?.type}`);
      expect(md5(await tg.downloadAsBuffer(sent.media))).toBe(md5(file));
      await admin("POST /file_references/expiries");
      // A single part: a whole download would continue with others after the refusal.
      const { id, accessHash, fileReference } = sent.media.raw;
      const location = {
        _: "inputDocumentFileLocation",
        id,
        accessHash,
        fileReference,
        thumbSize: "",
      } as const;
      const part = tg.call({ _: "upload.getFile", location, offset: 0, limit: 4096 });
      expect(await refusal(part)).toBe("400 FILE_REFERENCE_EXPIRED");
    }
    const refused = tg.sendMedia("bob_demo", { type: "photo", file: Buffer.from("no picture") });
    expect(await refusal(refused)).toBe("400 IMAGE_PROCESS_FAILED");
    expect((await admin("GET /calls?method=upload.saveBigFilePart"))["count"]).toBeGreaterThan(20);
  });
});

test("a file of the other data centre is downloaded from there", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    const got: Message[] = [];
    tg.onNewMessage.add((message) => void got.push(message as unknown as Message));
    await admin(`POST /people/${bob}/messages`, {
      to: ann,
      kind: "document",
      file_dc: 4,
      file: { size: 70_000 },
    });
    const message = await until("document", () => got[0]);
    if (message.media?.type !== "document") throw new Error(`a ${message.media?.type}`);
    const { id, accessHash, fileReference } = message.media.raw;
    const location = {
      _: "inputDocumentFileLocation",
      id,
      accessHash,
      fileReference,
      thumbSize: "",
    } as const;
    const request = { _: "upload.getFile", location, offset: 0, limit: 131_072 } as const;
    expect(await refusal(tg.call(request))).toBe("303 FILE_MIGRATE_%d");
    const part = await tg.call(request, { dcId: 4 });
    expect(part._ === "upload.file" && part.bytes.length).toBe(70_000);
    expect((await admin("GET /events?event=imported"))["count"]).toBe(1);
  });
});

/** Each kind that a person can send, and its type in mtcute. */
const kinds: readonly (readonly [string, string | undefined])[] = [
  ["text", undefined],
  ["photo", "photo"],
  ["document", "document"],
  ["video", "video"],
  ["gif", "video"],
  ["video_note", "video"],
  ["audio", "audio"],
  ["voice", "voice"],
  ["sticker", "sticker"],
  ["animated_sticker", "sticker"],
  ["video_sticker", "sticker"],
  ["contact", "contact"],
  ["location", "location"],
  ["live_location", "live_location"],
  ["venue", "venue"],
  ["poll", "poll"],
  ["dice", "dice"],
];

test("every kind of message arrives as that kind, including calls and albums", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    const got: Message[] = [];
    tg.onNewMessage.add((message) => void got.push(message as unknown as Message));
    for (const [kind] of kinds)
      await admin(`POST /people/${bob}/messages`, { to: ann, kind, text: "t", buttons: [["Yes", "No"]] });
    await admin(`POST /people/${bob}/calls`, { to: ann });
    await admin(`POST /people/${bob}/albums`, { to: ann });
    await until("messages", () => got[kinds.length + 2]);
    expect(got.slice(0, kinds.length).map(({ media }) => media?.type)).toEqual(kinds.map(([, type]) => type));
    expect(got[kinds.length]?.action).toMatchObject({
      type: "call",
      reason: { _: "phoneCallDiscardReasonMissed" },
    });
    const [one, other] = got.slice(-2);
    expect(one?.groupedId).toBeTruthy();
    expect(one?.groupedId?.toString()).toBe(other?.groupedId?.toString());
    expect(got[0]?.raw).toMatchObject({ replyMarkup: { _: "replyInlineMarkup" } });
    const album = await tg.sendMediaGroup("bob_demo", [
      { type: "document", file: Buffer.alloc(1000), fileName: "1.bin" },
      { type: "document", file: Buffer.alloc(2000), fileName: "2.bin" },
    ]);
    expect(album.map(({ groupedId }) => groupedId?.toString())).toEqual([
      album[0]?.groupedId?.toString(),
      album[0]?.groupedId?.toString(),
    ]);
  });
});
