import { Long, type tl } from "@mtcute/core";
import type {
  MarkedChat,
  MessageChange,
  OutboundFile,
  OutboundMessage,
  SentMessage,
} from "../../../core/transport/connector.ts";
import type { ChatMark } from "../../../core/transport/definition.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { MessageRef } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { isPhotoRefusal, isRepetition, isUnchanged, refusalIn, toTransportError } from "../errors.ts";
import { readMessage } from "../inbound/update.ts";
import { toPlain } from "../library/plain.ts";
import { ask, countOwn, type Line } from "../line.ts";
import { chooseForm, type MediaForm, messageIdOf, readSent, toMedia, toRequest } from "../outbound.ts";
import { findTarget, type Target } from "../people/recipients.ts";
import { isThis, randomIdOf, type Send } from "./sends.ts";
import { uploadFile, uploadThumbnail } from "./uploads.ts";

const HISTORY = 50;

/** Sends a message once, even if called repeatedly. Throws `TransportError`. */
export async function sendMessage(
  line: Line,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SentMessage> {
  try {
    const earlier = line.sends.find(message.id);
    const done = earlier && sentOf(earlier);
    if (done !== undefined) return done;
    const target = await findTarget(line, message.to, signal);
    const found = earlier && (await findSent(line, message, target, signal));
    return found ?? (await sendNow(line, message, target, signal));
  } catch (error) {
    throw toTransportError(error, { sent: line.sends.find(message.id) !== undefined });
  }
}

function sentOf({ chatId, externalId, sentAt }: Send): SentMessage | undefined {
  if (externalId === undefined) return undefined;
  return { chatId, externalId, sentAt: new Date(sentAt ?? Date.now()) };
}

async function sendNow(
  line: Line,
  message: OutboundMessage,
  target: Target,
  signal: AbortSignal,
): Promise<SentMessage> {
  const { content } = message;
  if (content.type !== "file") return deliverOnce(line, { message, target, media: undefined }, signal);
  return inSomeForm(line, content.file, signal, async (uploaded) => {
    const media =
      uploaded._ === "inputMediaUploadedPhoto" ? await storePhoto(line, uploaded, target, signal) : uploaded;
    return deliverOnce(line, { message, target, media }, signal);
  });
}

/**
 * Lets Telegram convert a photo before it is sent. The id that it gets is the only way to tell it from other photos of
 * the chat.
 */
async function storePhoto(
  line: Line,
  media: tl.RawInputMediaUploadedPhoto,
  { peer }: Target,
  signal: AbortSignal,
): Promise<tl.RawInputMediaPhoto> {
  const stored = await ask(line, { _: "messages.uploadMedia", peer, media }, signal);
  const photo = stored._ === "messageMediaPhoto" ? stored.photo : undefined;
  if (photo?._ !== "photo")
    throw new TransportError("UNKNOWN_ERROR", "Telegram did not store the photo", { retry: "later" });
  const { id, accessHash, fileReference } = photo;
  return { _: "inputMediaPhoto", id: { _: "inputPhoto", id, accessHash, fileReference } };
}

/** Uploads a file and passes it to `use`; retries as a document if Telegram rejects it as a photo. */
async function inSomeForm<T>(
  line: Line,
  file: OutboundFile,
  signal: AbortSignal,
  use: (media: tl.TypeInputMedia) => Promise<T>,
): Promise<T> {
  const attempt = async (form: MediaForm): Promise<T> => {
    const thumb = form === "video" ? await uploadThumbnail(line, file, signal) : undefined;
    return use(toMedia(file, form, { file: await uploadFile(line, file, signal), thumb }));
  };
  const form = chooseForm(file);
  try {
    return await attempt(form);
  } catch (error) {
    const refusal = refusalIn(error);
    if (form !== "photo" || refusal === null || !isPhotoRefusal(refusal)) throw error;
    return attempt("document");
  }
}

interface Delivery {
  readonly message: OutboundMessage;
  readonly target: Target;
  readonly media: tl.TypeInputMedia | undefined;
}

async function deliverOnce(
  line: Line,
  { message, target, media }: Delivery,
  signal: AbortSignal,
): Promise<SentMessage> {
  const randomId = randomIdOf(message.id);
  const request = toRequest(message, { peer: target.peer, randomId, media });
  // From here on, Telegram's reports of the message are recognised as ours.
  await line.sends.begin(message, { chatId: target.chatId, photoId: photoIdOf(media) });
  if (!line.link.mayAct()) throw new TransportError("UNKNOWN_ERROR", "Not now", { retry: "later" });
  const arrival = line.sends.arrival(message.id);
  try {
    const limit = AbortSignal.any([signal, line.dropped]);
    const answer = await Promise.race([ask(line, request, limit), arrival.promise]);
    if (!("_" in answer)) return mustBeSent(answer);
    return await finish(line, message, { target, answer, randomId });
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === null || refusal.code >= 500 || refusal.code < 0) {
      const found =
        refusal !== null && isRepetition(refusal) ? await findSent(line, message, target, signal) : null;
      if (found != null) return found;
      throw error;
    }
    await line.sends.forget(message.id);
    throw error;
  } finally {
    arrival.cancel();
  }
}

function photoIdOf(media: tl.TypeInputMedia | undefined): string | undefined {
  return media?._ === "inputMediaPhoto" && media.id._ === "inputPhoto" ? media.id.id.toString() : undefined;
}

function mustBeSent(send: Send): SentMessage {
  const sent = sentOf(send);
  if (sent === undefined) throw new TypeError("It has not arrived");
  return sent;
}

async function finish(
  line: Line,
  { id }: OutboundMessage,
  { target, answer, randomId }: { target: Target; answer: tl.TypeUpdates; randomId: Long },
): Promise<SentMessage> {
  countSent(line, answer);
  const sent = readSent(answer, randomId);
  if (sent === null)
    throw new TransportError("UNKNOWN_ERROR", "Telegram returned no message id", { retry: "unknown" });
  const externalId = String(sent.id);
  const sentAt = dateFromUnix(sent.date);
  await line.sends.finish(id, externalId, sentAt);
  await remember(line, target, sent.id);
  void markRead(line, target);
  return { chatId: target.chatId, externalId, sentAt };
}

function countSent({ client }: Line, answer: tl.TypeUpdates): void {
  if (answer._ === "updateShortSentMessage") countOwn(client, answer);
  else client.handleClientUpdate(answer, true);
}

/** Stores the chat of the message, because its deletion is reported without the chat. */
async function remember({ places }: Line, { chatId, peer }: Target, id: number): Promise<void> {
  if (peer._ === "inputPeerChannel") return;
  await places.note(id, chatId);
  await places.flush();
}

/** Marks everything up to the newest message as read, or shows typing for six seconds. Throws `TransportError`. */
export async function markChat(
  line: Line,
  chat: MarkedChat,
  mark: ChatMark,
  signal: AbortSignal,
): Promise<void> {
  const [newest] = chat.messages;
  const maxId = newest === undefined ? undefined : messageIdOf(newest);
  try {
    const { peer } = await findTarget(line, chat, signal);
    if (mark === "typing") {
      await ask(line, { _: "messages.setTyping", peer, action: { _: "sendMessageTypingAction" } }, signal);
    } else if (maxId !== undefined) await readUpTo(line, peer, maxId, signal);
  } catch (error) {
    throw toTransportError(error, { sent: true });
  }
}

async function readUpTo(
  line: Line,
  peer: tl.TypeInputPeer,
  maxId: number,
  signal: AbortSignal,
): Promise<void> {
  if (peer._ === "inputPeerChannel") {
    const channel = { ...peer, _: "inputChannel" as const };
    await ask(line, { _: "channels.readHistory", channel, maxId }, signal);
    return;
  }
  countOwn(line.client, await ask(line, { _: "messages.readHistory", peer, maxId }, signal));
}

/** Marks the chat as read, like a person who replies. Failures are ignored. */
async function markRead(line: Line, { chatId, peer }: Target): Promise<void> {
  const maxId = line.receiver.takeUnread(chatId);
  if (maxId === undefined) return;
  try {
    await readUpTo(line, peer, maxId, line.signal);
  } catch (error) {
    if (!line.signal.aborted)
      line.link.log("debug", "Telegram: a chat could not be marked as read", { error: String(error) });
  }
}

/** Searches for a message with an unknown outcome; null if it has not arrived. */
async function findSent(
  line: Line,
  { id }: OutboundMessage,
  target: Target,
  signal: AbortSignal,
): Promise<SentMessage | null> {
  const send = line.sends.find(id);
  if (send === undefined) return null;
  const known = sentOf(send);
  if (known !== undefined) return known;
  const request = {
    _: "messages.getHistory" as const,
    peer: target.peer,
    offsetId: 0,
    offsetDate: 0,
    addOffset: 0,
    limit: HISTORY,
    maxId: 0,
    minId: 0,
    hash: Long.ZERO,
  };
  const answer = await ask(line, request, signal);
  const messages = "messages" in answer ? answer.messages : [];
  const read = messages.flatMap((each) => readMessage(toPlain(each)) ?? []);
  // The oldest match that belongs to no other send.
  const found = read.findLast(
    (each) => isThis(send, target.chatId, each) && line.sends.claim(each)?.isNew === true,
  );
  if (found?.id === undefined) return null;
  const sentAt = dateFromUnix(found.date);
  await line.sends.finish(id, found.id, sentAt);
  await remember(line, target, Number(found.id));
  return { chatId: target.chatId, externalId: found.id, sentAt };
}

/** Throws `TransportError`. */
export async function editMessage(
  line: Line,
  ref: MessageRef,
  change: MessageChange,
  signal: AbortSignal,
): Promise<void> {
  try {
    const id = messageIdOf(ref);
    if (id === undefined) throw new TransportError("MESSAGE_DELETED", "There is no such message");
    const { peer } = await findTarget(line, ref, signal);
    const edit = async (what: { message: string; media?: tl.TypeInputMedia }): Promise<void> => {
      const answer = await ask(line, { _: "messages.editMessage", peer, id, ...what }, signal);
      line.client.handleClientUpdate(answer, true);
    };
    if ("text" in change) await edit({ message: change.text });
    else await inSomeForm(line, change.file, signal, (media) => edit({ message: "", media }));
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal !== null && isUnchanged(refusal)) return;
    throw toTransportError(error, { sent: true });
  }
}

/** Deletes the message for everyone. Throws `TransportError`. */
export async function removeMessage(line: Line, ref: MessageRef, signal: AbortSignal): Promise<void> {
  try {
    const id = messageIdOf(ref);
    if (id === undefined) return;
    const { peer } = await findTarget(line, ref, signal);
    if (peer._ === "inputPeerChannel") {
      const channel = { ...peer, _: "inputChannel" as const };
      const gone = await ask(line, { _: "channels.deleteMessages", channel, id: [id] }, signal);
      countOwn(line.client, gone, peer.channelId);
      return;
    }
    const gone = await ask(line, { _: "messages.deleteMessages", revoke: true, id: [id] }, signal);
    countOwn(line.client, gone);
  } catch (error) {
    throw toTransportError(error, { sent: true });
  }
}

/**
 * Telegram writes its emoji without the selector of their form, and refuses others. No list removes the reaction
 * (messages.sendReaction). Throws `TransportError`.
 */
export async function reactToMessage(
  line: Line,
  ref: MessageRef,
  emoji: string | null,
  signal: AbortSignal,
): Promise<void> {
  try {
    const msgId = messageIdOf(ref);
    if (msgId === undefined) throw new TransportError("MESSAGE_DELETED", "There is no such message");
    const { peer } = await findTarget(line, ref, signal);
    const emoticon = emoji?.replace(/\uFE0F$/, "");
    const reaction = emoticon === undefined ? {} : { reaction: [{ _: "reactionEmoji" as const, emoticon }] };
    const answer = await ask(line, { _: "messages.sendReaction", peer, msgId, ...reaction }, signal);
    line.client.handleClientUpdate(answer, true);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal !== null && isUnchanged(refusal)) return;
    throw toTransportError(error, { sent: true });
  }
}
