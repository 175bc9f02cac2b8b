import type { tl } from "@mtcute/core";
import { Fields, invalid } from "../../http/fields.ts";
import { sampleFile } from "../../sample-file.ts";
import { defined } from "../defined.ts";
import { keep } from "../method/upload-file.ts";
import type { StoredFile } from "../world/file-store.ts";
import type { World } from "../world/world.ts";

const maxBytes = 2000 * 1024 * 1024;

interface Sample {
  readonly mime: string;
  readonly name?: string;
  readonly attributes: (body: Fields) => tl.TypeDocumentAttribute[];
}

const video = (body: Fields, roundMessage = false): tl.RawDocumentAttributeVideo => ({
  _: "documentAttributeVideo",
  duration: body.number("duration") ?? 5,
  w: body.integer("width") ?? (roundMessage ? 240 : 1280),
  h: body.integer("height") ?? (roundMessage ? 240 : 720),
  roundMessage,
  supportsStreaming: !roundMessage,
});

const audio = (body: Fields, voice: boolean): tl.RawDocumentAttributeAudio => ({
  _: "documentAttributeAudio",
  voice,
  duration: body.integer("duration") ?? 5,
  ...defined({ title: body.text("title"), performer: body.text("performer") }),
  ...(voice && { waveform: Buffer.alloc(63, 7) }),
});

const sticker = (body: Fields): tl.RawDocumentAttributeSticker => ({
  _: "documentAttributeSticker",
  alt: body.text("emoji") ?? "👍",
  stickerset: { _: "inputStickerSetEmpty" },
});

const sides: tl.RawDocumentAttributeImageSize = { _: "documentAttributeImageSize", w: 512, h: 512 };

/** Defaults for a document of each kind (core.telegram.org/api/files). */
const samples: Readonly<Record<string, Sample>> = {
  document: { mime: "application/pdf", name: "document.pdf", attributes: () => [] },
  video: { mime: "video/mp4", name: "video.mp4", attributes: (body) => [video(body)] },
  gif: {
    mime: "video/mp4",
    name: "giphy.mp4",
    attributes: (body) => [video(body), { _: "documentAttributeAnimated" }],
  },
  video_note: { mime: "video/mp4", attributes: (body) => [video(body, true)] },
  audio: { mime: "audio/mpeg", name: "song.mp3", attributes: (body) => [audio(body, false)] },
  voice: { mime: "audio/ogg", attributes: (body) => [audio(body, true)] },
  sticker: { mime: "image/webp", name: "sticker.webp", attributes: (body) => [sides, sticker(body)] },
  animated_sticker: {
    mime: "application/x-tgsticker",
    name: "AnimatedSticker.tgs",
    attributes: (body) => [sides, sticker(body)],
  },
  video_sticker: {
    mime: "video/webm",
    name: "sticker.webm",
    attributes: (body) => [sides, sticker(body), video(body)],
  },
};

/** The kinds of documents that a person can send. */
export const documentKinds = Object.keys(samples);

/** A photo chosen by a person; without bytes, a small one is created. */
export async function readNewPhoto(world: World, body: Fields): Promise<StoredFile> {
  const given = body.nested("file") ?? new Fields({});
  const bytes = readBytes(given, "image/jpeg");
  const size = { width: body.integer("width") ?? 1280, height: body.integer("height") ?? 853 };
  const stored = await world.files.put(bytes);
  const dc = body.integer("file_dc") ?? firstDc(world);
  return keep(world, { kind: "photo", ...stored, ...size, mimeType: "image/jpeg", attributes: [], dc });
}

/** A document of one of the kinds. */
export async function readNewDocument(world: World, kind: string, body: Fields): Promise<StoredFile> {
  const sample = samples[kind];
  if (!sample) throw invalid("kind", documentKinds.join(", "));
  const given = body.nested("file") ?? new Fields({});
  const mimeType = given.text("mime_type") ?? sample.mime;
  const name = given.text("name") ?? sample.name;
  const named: tl.TypeDocumentAttribute[] =
    name === undefined ? [] : [{ _: "documentAttributeFilename", fileName: name }];
  const stored = await world.files.put(readBytes(given, mimeType));
  const dc = body.integer("file_dc") ?? firstDc(world);
  const attributes = [...sample.attributes(body), ...named];
  return keep(world, { kind: "document", ...stored, mimeType, attributes, dc, width: 0, height: 0 });
}

function readBytes(given: Fields, mimeType: string): Buffer {
  const base64 = given.text("base64");
  const size = given.integer("size");
  if (size !== undefined && (size < 1 || size > maxBytes)) throw invalid("file.size", `1 to ${maxBytes}`);
  return base64 === undefined ? sampleFile(mimeType, size) : Buffer.from(base64, "base64");
}

function firstDc(world: World): number {
  return world.dataCentres[0]?.id ?? 2;
}
