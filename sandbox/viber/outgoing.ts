import { FetchFailed, fetchFile } from "../http/fetch-file.ts";
import { mediaHeadBytes, sniffMediaType } from "../media-type.ts";
import { announceReceipt } from "./announce.ts";
import type { Bot, Conversation, SentRecord, StoredMessage } from "./bot.ts";
import { maxBytes } from "./message.ts";
import type { World } from "./world.ts";

/** Adds a bot's message to the conversation, and delivers it to the person's devices. */
export function deliver(
  world: World,
  bot: Bot,
  conversation: Conversation,
  what: { readonly content: StoredMessage["content"]; readonly method: SentRecord["method"] },
): StoredMessage {
  const message: StoredMessage = {
    token: world.nextToken(),
    direction: "out",
    timestamp: world.clock.nowMs(),
    content: what.content,
    events: [],
  };
  conversation.put(message);
  conversation.trackingData = String(what.content["tracking_data"] ?? "");
  bot.sent.append({
    method: what.method,
    at: message.timestamp,
    user: conversation.user.id,
    viber_id: conversation.viberId,
    message_token: message.token,
    message: what.content,
  });
  world.changed();
  void arrive(world, bot, conversation, message);
  return message;
}

/** Viber downloads the file itself; an unusable one fails later. */
async function arrive(
  world: World,
  bot: Bot,
  conversation: Conversation,
  message: StoredMessage,
): Promise<void> {
  const desc = await problemOf(world, message);
  const { autoReceipts } = world.settings;
  if (desc !== undefined) announceReceipt(world, bot, conversation, { message, type: "failed", desc });
  else if (autoReceipts !== "none") {
    arriveOnDevices(world, bot, conversation, message);
    if (autoReceipts === "seen") announceReceipt(world, bot, conversation, { message, type: "seen" });
  }
}

/** Each device reports the delivery. Returns the number of callbacks. */
export function arriveOnDevices(
  world: World,
  bot: Bot,
  conversation: Conversation,
  message: StoredMessage,
): number {
  let callbacks = 0;
  for (let left = conversation.user.devices; left > 0; left--) {
    if (announceReceipt(world, bot, conversation, { message, type: "delivered" })) callbacks++;
  }
  return callbacks;
}

const expected = { picture: /^image\/(jpeg|png|gif)$/, video: /^video\/mp4$/, file: /^/ } as const;

async function problemOf(world: World, { content }: StoredMessage): Promise<string | undefined> {
  const { type, media } = content;
  if ((type !== "picture" && type !== "video" && type !== "file") || typeof media !== "string")
    return undefined;
  try {
    const { blobs } = world.media;
    const file = await fetchFile(blobs, media, maxBytes[type]);
    const mime = sniffMediaType(await blobs.head(file.key, mediaHeadBytes)) ?? file.mime;
    await blobs.remove(file.key);
    return expected[type].test(mime) ? undefined : `Media type ${mime} is not supported`;
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    return error.reason === "too_large" ? "Media size is too large" : "Failed to download media";
  }
}
