import type { OutboundFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { fields, integerText, listOf, text } from "../../platform/foreign/foreign-json.ts";
import { encodeMultipart } from "../../platform/network/multipart.ts";
import { unreadable } from "../kit/no-response.ts";
import type { VkClient } from "./client.ts";
import { UploadRefusal } from "./errors.ts";
import type { MediaForm } from "./outbound.ts";
import { readUploadUrl } from "./update.ts";

/** Long enough for a large file. */
const UPLOAD_TIMEOUT_MS = 600_000;

export interface Upload {
  readonly file: OutboundFile;
  readonly form: MediaForm;
  /** The file name passed to the upload server, which refuses some extensions, such as mp3. */
  readonly name: string;
  readonly peerId: number;
}

const uploaded = fields({
  error: text,
  photo: text,
  server: integerText,
  hash: text,
  file: text,
  response: text,
});
const saved = { id: integerText, owner_id: integerText, access_key: text };
const readPhotos = listOf(fields(saved));
const readDocument = fields({ doc: fields(saved), audio_message: fields(saved) });

/**
 * Uploads a file and returns its attachment string, e.g. `photo-1_457_key` (dev.vk.com, "Uploading files"). Nothing
 * has been sent yet, so a failure may be retried. Throws `UploadRefusal` if the upload server refuses the file.
 */
export async function upload(client: VkClient, up: Upload, signal: AbortSignal): Promise<string> {
  return up.form === "photo" ? uploadPhoto(client, up, signal) : uploadDocument(client, up, signal);
}

async function uploadPhoto(client: VkClient, up: Upload, signal: AbortSignal): Promise<string> {
  const slot = await client.call("photos.getMessagesUploadServer", { peer_id: up.peerId }, signal);
  const { photo, server, hash } = await post(client, slot, up, signal);
  // The server returns an empty list if it found no picture.
  if (photo === undefined || photo === "[]") throw new UploadRefusal("the file contains no picture");
  const answer = await client.call("photos.saveMessagesPhoto", { photo, server, hash }, signal);
  return nameOf("photo", readPhotos(answer)?.[0]);
}

async function uploadDocument(client: VkClient, up: Upload, signal: AbortSignal): Promise<string> {
  const params = { type: up.form, peer_id: up.peerId };
  const slot = await client.call("docs.getMessagesUploadServer", params, signal);
  const { file } = await post(client, slot, up, signal);
  if (file === undefined) throw new UploadRefusal("the upload server did not accept the file");
  const answer = readDocument(await client.call("docs.save", { file, title: up.file.name }, signal));
  return nameOf(up.form, answer?.doc ?? answer?.audio_message);
}

/**
 * Uploads a chat's picture and returns the value for `messages.setChatPhoto` (dev.vk.com, `photos.getChatUploadServer`).
 * Throws `UploadRefusal` if the upload server refuses the file.
 */
export async function uploadChatPhoto(
  client: VkClient,
  { chatId, file }: { readonly chatId: number; readonly file: OutboundFile },
  signal: AbortSignal,
): Promise<string> {
  const slot = await client.call("photos.getChatUploadServer", { chat_id: chatId }, signal);
  const { response } = await post(client, slot, { file, form: "doc", name: file.name, peerId: 0 }, signal);
  if (response === undefined) throw new UploadRefusal("the upload server did not accept the picture");
  return response;
}

async function post(client: VkClient, slot: unknown, { file, form, name }: Upload, signal: AbortSignal) {
  const url = readUploadUrl(slot)?.upload_url;
  if (url === undefined) throw unreadable(200, "VK", true);
  const answer = await client.fetch({
    method: "POST",
    url,
    ...encodeMultipart(
      {},
      { name, mimeType: file.mimeType, size: file.size, open: () => file.open() },
      form === "photo" ? "photo" : "file",
    ),
    timeoutMs: UPLOAD_TIMEOUT_MS,
    signal,
  });
  if (answer.status === 413) throw new TransportError("TOO_BIG_CONTENT", "The file is too large for VK");
  const read = uploaded(await answer.json().catch(() => undefined));
  if (read?.error !== undefined) throw new UploadRefusal(client.redact(read.error));
  if (read === undefined) throw unreadable(answer.status, "VK", true);
  return read;
}

function nameOf(
  type: MediaForm,
  object: {
    readonly id?: string | undefined;
    readonly owner_id?: string | undefined;
    readonly access_key?: string | undefined;
  } = {},
): string {
  const { id, owner_id, access_key } = object;
  if (id === undefined || owner_id === undefined) throw unreadable(200, "VK", true);
  return `${type}${owner_id}_${id}${access_key === undefined ? "" : `_${access_key}`}`;
}
