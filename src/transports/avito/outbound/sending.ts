import type {
  MarkedChat,
  OutboundFile,
  OutboundMessage,
  SentMessage,
} from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { MessageRef } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { encodeMultipart } from "../../../platform/network/multipart.ts";
import { beforeSend } from "../../kit/failures.ts";
import { isJson } from "../../kit/json.ts";
import { type AvitoChannel, accountPath, chatPath } from "../channel.ts";
import { Refusal } from "../errors.ts";
import { readSent } from "../inbound/update.ts";
import { chatIdOf, toImage, toText } from "../outbound.ts";

const UPLOAD_TIMEOUT_MS = 300_000;

/** Throws `Refusal`, `GrantRefusal` or `TransportError`. */
export async function sendMessage(
  channel: AvitoChannel,
  { id, to, content }: OutboundMessage,
  signal: AbortSignal,
): Promise<SentMessage> {
  const { link, client, sends, marks } = channel;
  const chatId = chatIdOf(to);
  const { path, body } =
    content.type === "file" ? toImage(await upload(channel, content.file, signal)) : toText({ content });
  await beforeSend(marks.set(chatId));
  return sends.track(chatId, id, async () => {
    const options = { body, signal, sends: true };
    // A response without optional fields still means that the message was sent; without an id, the message cannot be
    // matched later.
    const sent = readSent(await client.call("POST", chatPath(link, "v1", chatId, path), options));
    return { chatId, externalId: sent?.id ?? `pending:${id}`, sentAt: dateFromUnix(sent?.created) };
  });
}

/**
 * Uploads a picture and returns its id (`POST v1 …/uploadImages`). Nothing has been sent yet, so every failure may be
 * retried.
 */
async function upload(
  { link, client }: AvitoChannel,
  file: OutboundFile,
  signal: AbortSignal,
): Promise<string> {
  const answer = await client.call("POST", accountPath(link, "v1", "/uploadImages"), {
    makeBody: () => encodeMultipart({}, file, "uploadfile[]"),
    timeoutMs: UPLOAD_TIMEOUT_MS,
    signal,
  });
  const [imageId] = isJson(answer) ? Object.keys(answer) : [];
  if (imageId !== undefined) return imageId;
  throw new TransportError("UNKNOWN_ERROR", "Avito returned an unreadable response", { retry: "later" });
}

/** `POST v1 …/messages/{message_id}`. Deleting a message that is already gone succeeds. */
export async function removeMessage(
  { link, client }: AvitoChannel,
  { chatId, externalId }: MessageRef,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.call("POST", chatPath(link, "v1", chatId, `/messages/${encodeURIComponent(externalId)}`), {
      signal,
    });
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
  }
}

/** Marks the whole chat as read (`POST v1 …/read`). Throws as `sendMessage`. */
export async function markAsRead(
  { link, client }: AvitoChannel,
  { chatId }: Pick<MarkedChat, "chatId">,
  signal: AbortSignal,
): Promise<void> {
  await client.call("POST", chatPath(link, "v1", chatId, "/read"), { signal });
}
