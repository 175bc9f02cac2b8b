import { randomInt } from "node:crypto";
import { FetchFailed, fetchFile } from "../../http/fetch-file.ts";
import type { Upload } from "../../http/multipart.ts";
import { mediaHeadBytes, sniffMediaType } from "../../media-type.ts";
import { badParam } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import type { Account } from "../account/account.ts";
import type { Attachment } from "../account/conversation.ts";
import { type GraphCall, needScope } from "../call/call.ts";
import { attachmentFailed } from "../call/graph-refusal.ts";
import type { World } from "../world.ts";

const megabyte = 1024 * 1024;

/** https://developers.facebook.com/docs/messenger-platform/instagram/features/send-message#supported-media */
const kinds = {
  image: { types: /^image\/(png|jpeg|gif)$/, maxBytes: 8 * megabyte },
  video: { types: /^video\/(mp4|ogg|x-msvideo|quicktime|webm)$|^audio\/ogg$/, maxBytes: 25 * megabyte },
  audio: { types: /^audio\/(aac|mp4|wav)$|^video\/mp4$/, maxBytes: 25 * megabyte },
  file: { types: /^application\/pdf$/, maxBytes: 25 * megabyte },
} as const;

export const mediaTypes = ["image", "video", "audio", "file"] as const;
export type MediaType = (typeof mediaTypes)[number];

/** `POST /{page}/message_attachments`: a file that can be sent repeatedly. */
export async function postAttachment(call: GraphCall, account: Account): Promise<unknown> {
  needScope(call, "messages");
  call.param.only("platform", "message");
  if (call.login === "facebook") call.param.needOneOf("platform", ["instagram"]);
  const attachment = call.param.needObject("message").only("attachment").needObject("attachment");
  attachment.only("type", "payload");
  const type = attachment.needOneOf("type", mediaTypes);
  const payload = attachment.needObject("payload").only("url", "is_reusable");
  const url = await fetchMedia(call.world, type, payload.needText("url"));
  return { attachment_id: keep(call.world, account, type, url) };
}

/** A sent file, and its id if it is reusable. */
export interface SentMedia {
  readonly attachment: Attachment;
  readonly attachmentId: string | undefined;
}

/** `payload`: `{url, is_reusable?}` or `{attachment_id}`. The platform fetches and checks the file. */
export async function readMedia(
  { world }: GraphCall,
  account: Account,
  type: MediaType,
  payload: Param,
): Promise<SentMedia> {
  payload.only("url", "is_reusable", "attachment_id");
  const id = payload.text("attachment_id");
  if (id !== undefined) {
    const stored = world.attachments.get(id);
    if (stored?.accountId !== account.id || stored.type !== type)
      throw badParam(`Invalid attachment_id: ${id}`);
    return { attachment: { type, payload: { url: stored.url } }, attachmentId: undefined };
  }
  const url = await fetchMedia(world, type, payload.needText("url"));
  const attachmentId = payload.flag("is_reusable") ? keep(world, account, type, url) : undefined;
  return { attachment: { type, payload: { url } }, attachmentId };
}

function keep(world: World, account: Account, type: string, url: string): string {
  const id = String(randomInt(1e14, 2e14));
  world.attachments.set(id, { id, accountId: account.id, type, url });
  world.changed();
  return id;
}

/** Downloads and stores a file. Returns its address. */
async function fetchMedia(world: World, type: MediaType, url: string): Promise<string> {
  if (!URL.canParse(url))
    throw badParam("Param message['attachment']['payload']['url'] should represent a valid URL");
  const { types, maxBytes } = kinds[type];
  const file = await fetchFile(world.files.blobs, url, maxBytes).catch((error: unknown) => {
    if (!(error instanceof FetchFailed)) throw error;
    throw attachmentFailed(error.reason === "too_large" ? 2018007 : 2018008);
  });
  const mime = await sniff(world, file);
  if (!types.test(mime)) {
    await world.files.blobs.remove(file.key);
    throw attachmentFailed(2018047);
  }
  return world.keepFile(file, file.name ?? type, mime);
}

/** The type by the first bytes; if they are unknown, by the header. */
async function sniff(world: World, file: Upload): Promise<string> {
  return sniffMediaType(await world.files.blobs.head(file.key, mediaHeadBytes)) ?? file.mime;
}
