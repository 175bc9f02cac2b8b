import { describe, expect, test } from "vitest";
import { hello, paths, withReceiver, withWapi } from "../test-kit.ts";
import { maxUploadBytes } from "./media-type.ts";

describe("media", () => {
  const form = (
    type: string,
    bytes: number,
    fields: Readonly<Record<string, string>> = { messaging_product: "whatsapp" },
  ) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    data.set("file", new File([Buffer.alloc(bytes)], "file", { type }));
    return data;
  };
  test("are uploaded, sent by id, and deleted after thirty days", () =>
    withReceiver(async ({ admin, ann, ok, refused, send }, receiver) => {
      await ann("messages", { text: "hi" });
      const { id } = await ok(`POST ${paths.media}`, form("image/png", 100));
      await send({ type: "image", image: { id, caption: "c" } });
      await receiver.reach(3);
      const video = { ...hello, text: undefined, type: "video", video: { id } };
      expect(await refused(`POST ${paths.messages}`, video)).toMatch(
        /^400 \(#131053\) .*image\/png cannot be sent as video/,
      );
      expect(await ok(`GET /v23.0/${id}`)).toMatchObject({ mime_type: "image/png", file_size: "100" });
      expect(await ok(`DELETE /v23.0/${id}`)).toEqual({ success: true });
      expect(await refused(`GET /v23.0/${id}`)).toMatch(/does not exist/);
      const other = await ok(`POST ${paths.media}`, form("image/png", 100));
      await admin("POST /time", { advance_seconds: 30 * 24 * 3600 });
      expect(await refused(`GET /v23.0/${other["id"]}`)).toMatch(/does not exist/);
    }));

  const wrong: readonly (readonly [label: string, body: () => FormData, refusal: RegExp])[] = [
    [
      "a type that is not taken",
      () => form("application/octet-stream", 1),
      /^400 \(#100\) Param file must be a file with one of the following types: audio\/aac, .*Received file of type 'application\/octet-stream'\.$/,
    ],
    [
      "without the product",
      () => form("image/png", 1, {}),
      /^400 \(#100\) The parameter messaging_product is required\.$/,
    ],
    ["a sticker over 500 KB", () => form("image/webp", 500 * 1024 + 1), /^400 \(#131053\).*too big/],
  ];
  test.each(wrong)("refused: %s", (_label, body, refusal) =>
    withWapi(async ({ refused }) => expect(await refused(`POST ${paths.media}`, body())).toMatch(refusal)),
  );
});

describe("the largest upload", () => {
  const megabyte = 1024 * 1024;
  const limits: readonly (readonly [mime: string, bytes: number])[] = [
    ["image/jpeg", 5 * megabyte],
    ["image/webp", 500 * 1024],
    ["video/3gpp", 16 * megabyte],
    ["audio/ogg", 16 * megabyte],
    ["application/pdf", 100 * megabyte],
  ];
  test.each(limits)("%s: %i bytes", (mime, bytes) => expect(maxUploadBytes(mime)).toBe(bytes));
});
