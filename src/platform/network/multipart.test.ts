import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { encodeMultipart, type MultipartFile } from "./multipart.ts";

function fileOf(more: Partial<MultipartFile>): MultipartFile {
  const bytes = Buffer.from("file content");
  return {
    name: "photo.jpg",
    mimeType: "image/jpeg",
    size: bytes.length,
    open: () => Readable.from([bytes]),
    ...more,
  };
}

async function encode(
  params: object,
  name = "photo.jpg",
  mimeType = "image/jpeg",
): Promise<{ form: FormData; length: number; bytes: Buffer }> {
  const { headers, body } = encodeMultipart(params, fileOf({ name, mimeType }));
  const bytes = await buffer(body);
  const form = await new Response(bytes, {
    headers: { "content-type": headers["content-type"] ?? "" },
  }).formData();
  return { form, length: Number(headers["content-length"]), bytes };
}

describe("encodeMultipart", () => {
  it("declares its exact length and contains parameters and file", async () => {
    const { form, length, bytes } = await encode({
      chat_id: 111,
      photo: "attach://file",
      reply_markup: { a: ["ü"] },
      gone: undefined,
    });
    expect(length).toBe(bytes.length);
    expect(form.get("chat_id")).toBe("111");
    expect(form.get("photo")).toBe("attach://file");
    expect(form.get("reply_markup")).toBe('{"a":["ü"]}');
    expect(form.has("gone")).toBe(false);
    const file = form.get("file") as File;
    expect([file.name, file.type, await file.text()]).toEqual(["photo.jpg", "image/jpeg", "file content"]);
  });

  it.each([
    ["счёт.pdf", "счёт.pdf"],
    ['a"b\r\nX-Evil: 1.pdf', 'a"b\r\nX-Evil: 1.pdf'],
  ])("escapes the name %j", async (name, expected) => {
    const { form, bytes } = await encode({}, name);
    expect((form.get("file") as File).name).toBe(expected);
    expect(bytes.toString()).not.toContain("\r\nX-Evil");
  });

  it("replaces an invalid type", async () => {
    const { form } = await encode({}, "a", "text/plain\r\nX-Evil: 1");
    expect((form.get("file") as File).type).toBe("application/octet-stream");
  });

  it("closes the file when the request ends early", async () => {
    const file = new Readable({ read: () => void file.push("part") });
    const { body } = encodeMultipart({}, fileOf({ open: () => file }));
    for await (const chunk of body) if (String(chunk) === "part") break;
    if (!file.destroyed) await once(file, "close");
    expect(file.destroyed).toBe(true);
  });
});
