import { isRecord } from "../../http/fields.ts";
import { badRequest } from "../call/api-error.ts";
import { Arguments } from "../call/arguments.ts";
import type { Call, Method } from "../call/call.ts";
import { post, readEnvelope } from "../chat/outgoing.ts";
import type { FileKind } from "../file/file-registry.ts";
import { resolveFile } from "../file/input-file.ts";
import { addThumbnail, mediaContent } from "../file/media.ts";
import type { Content, Message } from "../shape.ts";
import { readCaption } from "../text/formatted-text.ts";
import { captionContent } from "./message.ts";

/** Defaults for properties that the bot omits; the platform would inspect the bytes. */
const defaults: Readonly<Record<FileKind, Readonly<Record<string, unknown>>>> = {
  photo: {},
  video: { width: 640, height: 360, duration: 1 },
  audio: { duration: 1 },
  voice: { duration: 1 },
  document: {},
  animation: { width: 320, height: 240, duration: 1 },
  video_note: { length: 240, duration: 1 },
  sticker: { type: "regular", width: 512, height: 512, is_animated: false, is_video: false },
};

const numbers = ["width", "height", "duration", "length"] as const;
const texts = ["title", "performer", "emoji"] as const;

/** Kinds without a caption: https://core.telegram.org/bots/api#sendvideonote, #sendsticker */
const captionless: ReadonlySet<FileKind> = new Set(["video_note", "sticker"]);

/** The method that sends a file of one kind, e.g. https://core.telegram.org/bots/api#sendphoto */
export function sendMedia(kind: FileKind): Method {
  return async (call) => {
    const caption = captionless.has(kind) ? {} : captionContent(readCaption(call.args));
    const envelope = readEnvelope(call);
    const media = await readMedia(call, kind, { value: call.args.text(kind), part: kind, args: call.args });
    return post(call, envelope, { ...media, ...caption, ...appearance(call.args, kind) });
  };
}

/** https://core.telegram.org/bots/api#sendmediagroup */
export async function sendMediaGroup(call: Call): Promise<Message[]> {
  const items = call.args.list("media", "media") ?? [];
  if (items.length === 0) throw badRequest("there are no media in the request");
  if (items.length < 2) throw badRequest("too few messages to send as an album");
  if (items.length > 10) throw badRequest("too much messages to send as an album");
  const envelope = readEnvelope(call);
  const contents: Content[] = [];
  for (const item of items) contents.push(await readInputMedia(call, item, albumKinds));
  checkMix(contents);
  const media_group_id = String(Math.floor(Math.random() * 1e16));
  return contents.map((content) => post(call, envelope, { ...content, media_group_id }));
}

const albumKinds: readonly FileKind[] = ["photo", "video", "audio", "document"];

/** The kinds in https://core.telegram.org/bots/api#inputmedia */
export const inputMediaKinds: readonly FileKind[] = [...albumKinds, "animation"];

/** Reads one InputMedia object with its caption. */
export async function readInputMedia(
  call: Call,
  item: unknown,
  kinds: readonly FileKind[],
): Promise<Content> {
  const fault = (reason: string) => badRequest(`can't parse InputMedia: ${reason}`);
  if (!isRecord(item)) throw fault("expected an Object");
  const kind = kinds.find((candidate) => candidate === item["type"]);
  if (!kind)
    throw fault(
      item["type"] === undefined ? 'Can\'t find field "type"' : `type must be one of ${kinds.join(", ")}`,
    );
  if (item["media"] === undefined) throw fault("media not found");
  const args = new Arguments(item, call.args.uploads);
  const media = await readMedia(call, kind, { value: args.text("media"), part: "media", args });
  return { ...media, ...captionContent(readCaption(args)), ...appearance(args, kind) };
}

async function readMedia(
  call: Call,
  kind: FileKind,
  source: { readonly value: string; readonly part: string; readonly args: Arguments },
): Promise<Content> {
  const { value, part, args } = source;
  const file = await resolveFile(call, {
    value,
    part,
    kind,
    traits: { ...defaults[kind], ...readTraits(args, kind) },
  });
  const isNew = file.file_id !== value;
  const thumbnail = file.kind === "photo" && isNew ? addThumbnail(call.world.files, file) : undefined;
  return mediaContent(file, thumbnail);
}

function readTraits(args: Arguments, kind: FileKind): Record<string, unknown> {
  const traits: Record<string, unknown> = {};
  for (const name of numbers) {
    if (name in defaults[kind] && args.text(name) !== "") traits[name] = args.integer(name, 0, 0);
  }
  const named = kind === "audio" ? texts.slice(0, 2) : kind === "sticker" ? texts.slice(2) : [];
  for (const name of named) if (args.text(name) !== "") traits[name] = args.text(name);
  return traits;
}

function appearance(args: Arguments, kind: FileKind): Content {
  const hides = kind === "photo" || kind === "video" || kind === "animation";
  return {
    ...(hides && args.flag("has_spoiler") && { has_media_spoiler: true }),
    ...(hides && args.flag("show_caption_above_media") && { show_caption_above_media: true }),
  };
}

/** https://core.telegram.org/bots/api#sendmediagroup: documents and audio files cannot be mixed with others. */
function checkMix(contents: readonly Content[]): void {
  for (const kind of ["document", "audio"] as const) {
    const same = contents.filter((content) => content[kind] !== undefined).length;
    if (same > 0 && same < contents.length) throw badRequest(`${kind} can't be mixed with other media types`);
  }
}
