import { describe, expect, test } from "vitest";
import { sampleFile } from "../../sample-file.ts";
import { type Json, pngFile, sendForm } from "../../test-kit.ts";
import { demo } from "../demo.ts";
import { type Params, type VkKit, withVk } from "../test-kit.ts";

async function upload(
  { ok }: VkKit,
  kind: "photo" | "doc" | "audio_message" | "graffiti",
  form: object,
): Promise<Json> {
  const method = kind === "photo" ? "photos.getMessagesUploadServer" : "docs.getMessagesUploadServer";
  const type = kind === "photo" ? {} : { type: kind };
  const { upload_url: url } = await ok(method, { peer_id: demo.userId, ...type });
  return (await sendForm(String(url), { ...form })).body;
}

const asParams = (answer: Json) => answer as unknown as Params;
const textFile = (name: string, text = "text") => new File([text], name, { type: "text/plain" });

describe("photos", () => {
  test("are saved once, and sent with their real size and bytes", () =>
    withVk(async (kit) => {
      const uploaded = asParams(await upload(kit, "photo", { photo: pngFile(1600, 900, 5000) }));
      const saved = await kit.ok("photos.saveMessagesPhoto", uploaded);
      const { owner_id, id, access_key, orig_photo } = saved[0] as Json;
      expect(orig_photo).toMatchObject({ width: 1600, height: 900 });
      const file = await fetch(String(orig_photo?.["url"]));
      expect((await file.arrayBuffer()).byteLength).toBe(5000);
      expect(await kit.send({ attachment: `photo${owner_id}_${id}_${access_key}` })).toMatchObject({
        attachments: [
          {
            type: "photo",
            photo: {
              id,
              sizes: expect.arrayContaining([
                { type: "w", width: 1600, height: 900, url: orig_photo?.["url"] },
              ]),
            },
          },
        ],
      });
      expect(await kit.refused("photos.saveMessagesPhoto", uploaded)).toBe("129 Invalid photo");
    }));

  test("in the wrong field or of another type cannot be saved", () =>
    withVk(async (kit) => {
      for (const form of [{ file: pngFile(10, 10) }, { photo: textFile("a.png") }]) {
        const answer = await upload(kit, "photo", form);
        expect(answer["photo"]).toBe("[]");
        expect(await kit.refused("photos.saveMessagesPhoto", asParams(answer))).toBe(
          "100 One of the parameters specified was missing or invalid: photos_list is invalid",
        );
      }
    }));

  test("too large or too narrow pictures are refused, and so are other hashes and servers", () =>
    withVk(async (kit) => {
      for (const [width, height] of [
        [10_000, 4001],
        [2100, 100],
      ] as const) {
        const answer = await upload(kit, "photo", { photo: pngFile(width, height) });
        expect(answer).toEqual({ error: `ERR_UPLOAD_BAD_IMAGE_SIZE: ${width}x${height}` });
      }
      const uploaded = asParams(await upload(kit, "photo", { photo: pngFile(30, 20) }));
      expect(await kit.refused("photos.saveMessagesPhoto", { ...uploaded, hash: "x" })).toBe(
        "121 Invalid hash",
      );
      expect(await kit.refused("photos.saveMessagesPhoto", { ...uploaded, server: 1 })).toBe(
        "118 Invalid server",
      );
      await kit.admin("POST /communities", { id: 5 });
      await kit.admin("POST /tokens", { group_id: 5, token: "other" });
      expect(await kit.refused("photos.saveMessagesPhoto", uploaded, "other")).toBe("129 Invalid photo");
    }));
});

describe("documents", () => {
  test.each([
    ["a.pdf", 1],
    ["a.zip", 2],
    ["a.gif", 3],
    ["a.png", 4],
    ["a.wav", 5],
    ["a.mp4", 6],
    ["a.epub", 7],
    ["a.bin", 8],
  ])("%s is of type %i", (name, type) =>
    withVk(async (kit) => {
      const uploaded = await upload(kit, "doc", { file: textFile(name) });
      const { doc } = await kit.ok("docs.save", { file: String(uploaded["file"]), title: "Offer" });
      expect(doc).toMatchObject({
        type,
        title: "Offer",
        ext: name.slice(2),
        size: 4,
        owner_id: -demo.groupId,
      });
      expect(await (await fetch(String(doc?.["url"]))).text()).toBe("text");
    }),
  );

  test("what is refused", () =>
    withVk(async (kit) => {
      expect(await upload(kit, "doc", { photo: textFile("a.txt") })).toEqual({ error: "no_file" });
      expect(await upload(kit, "doc", { file: textFile("a.txt", "") })).toEqual({ error: "empty_file" });
      for (const name of ["a.mp3", "a.exe"]) {
        expect(await upload(kit, "doc", { file: textFile(name) })).toEqual({ error: "wrong_file_type" });
      }
      expect(await upload(kit, "audio_message", { file: textFile("a.ogg") })).toEqual({
        error: "bad_audio_message_format",
      });
      expect(await upload(kit, "graffiti", { file: textFile("a.png") })).toEqual({
        error: "bad_graffiti_format",
      });
      expect(await kit.refused("docs.save", { file: "x" })).toBe("105 Couldn't save file");
      expect(await kit.refused("docs.save", {})).toBe(
        "100 One of the parameters specified was missing or invalid: file is undefined",
      );
    }));

  test("voice messages and graffiti, also under their old names", () =>
    withVk(async (kit) => {
      const voice = await upload(kit, "audio_message", {
        file: new File([sampleFile("audio/ogg", 300)], "a.ogg"),
      });
      const { audio_message: saved } = await kit.ok("docs.save", { file: String(voice["file"]) });
      expect(await kit.send({ attachment: `doc${saved?.["owner_id"]}_${saved?.["id"]}` })).toMatchObject({
        attachments: [{ type: "audio_message", audio_message: { link_ogg: saved?.["link_ogg"] } }],
      });
      const picture = await upload(kit, "graffiti", { file: pngFile(64, 32) });
      expect(await kit.ok("docs.save", { file: String(picture["file"]) })).toMatchObject({
        type: "graffiti",
        graffiti: { width: 64, height: 32 },
      });
    }));

  test("a received attachment is forwarded by its name, with the key only", () =>
    withVk(async (kit) => {
      const { message } = await kit.ann("messages", {
        kind: "doc",
        file: { base64: btoa("secret"), name: "a.txt" },
      });
      const doc = message?.["attachments"]?.[0]?.["doc"];
      const name = `doc${doc?.["owner_id"]}_${doc?.["id"]}`;
      await expect(kit.send({ attachment: name })).rejects.toThrow(/is invalid/);
      expect(await kit.send({ attachment: `${name}_${doc?.["access_key"]}` })).toMatchObject({
        attachments: [{ type: "doc" }],
      });
    }));

  test("no upload URL for a person who denies messages, and faults during the upload", () =>
    withVk(async (kit) => {
      const other = { peer_id: demo.ownerId };
      expect(await kit.refused("docs.getMessagesUploadServer", other)).toMatch(/^901 /);
      await kit.admin("POST /faults", { method: "upload", http_status: 503 });
      await expect(upload(kit, "doc", { file: textFile("a.txt") })).rejects.toThrow(/not valid JSON/);
    }));
});
