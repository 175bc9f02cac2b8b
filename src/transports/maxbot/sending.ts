import { setTimeout as delay } from "node:timers/promises";
import type {
  MarkedChat,
  MessageChange,
  OutboundFile,
  OutboundMessage,
  SentMessage,
} from "../../core/transport/connector.ts";
import type { ChatMark } from "../../core/transport/definition.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import type { Json } from "../kit/json.ts";
import type { Bot, Timing } from "./bot.ts";
import { isLinkRefusal, isNotReady, Refusal } from "./errors.ts";
import {
  type Attempt,
  byLink,
  chatIdOf,
  firstAttempt,
  hasIntents,
  mayPassLink,
  midOf,
  toEdit,
  toNewMessage,
  uploadTypeOf,
} from "./outbound.ts";
import { readSent } from "./update.ts";
import { upload } from "./uploads.ts";

const READY_PAUSES = 5;

/**
 * The pauses between attempts while MAX processes an upload, which takes some seconds. Its own client waits 1, 2, 4
 * seconds and so on.
 */
export function readyPauses({ readyMs }: Pick<Timing, "readyMs">): readonly number[] {
  return Array.from({ length: READY_PAUSES }, (_, index) => readyMs * 2 ** index);
}

/**
 * Sends the message, and retries in another form after a refusal that allows one. Throws `Refusal` or
 * `TransportError`.
 */
export async function sendMessage(
  bot: Bot,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SentMessage> {
  const chatId = chatIdOf(message.to);
  let attempt = firstAttempt(message);
  for (;;) {
    try {
      const file = await attach(bot, message, attempt, signal);
      const body = toNewMessage(message, file, attempt);
      const query = { chat_id: chatId };
      const answer = await whenReady(bot, signal, () =>
        bot.client.call("POST", "/messages", { query, body, signal }),
      );
      return toSent(answer, message);
    } catch (error) {
      const next = error instanceof Refusal ? nextAttempt(message, attempt, error) : null;
      if (next === null) throw error;
      attempt = next;
    }
  }
}

/** The next form to try after a refusal, or null. Terminates, because no step is undone. */
function nextAttempt(message: OutboundMessage, attempt: Attempt, refusal: Refusal): Attempt | null {
  if (refusal.status !== 400 && refusal.status !== 415) return null;
  if (attempt.source === "link" && isLinkRefusal(refusal)) return { ...attempt, source: "upload" };
  const isUnshowable = refusal.says("errors.process.attachment") && !isNotReady(refusal);
  if (isUnshowable && attempt.uploadAs !== "file") return { ...attempt, uploadAs: "file" };
  const blamesIntent = attempt.withIntents && hasIntents(message) && refusal.says("intent");
  return blamesIntent ? { ...attempt, withIntents: false } : null;
}

async function attach(
  bot: Bot,
  { content }: OutboundMessage,
  { source, uploadAs }: Attempt,
  signal: AbortSignal,
): Promise<Json | null> {
  if (content.type !== "file") return null;
  return source === "link"
    ? byLink(content.file)
    : upload(bot.client, { file: content.file, type: uploadAs }, signal);
}

/** Retries a call while MAX is still processing the file that it names. */
async function whenReady(bot: Bot, signal: AbortSignal, call: () => Promise<Json>): Promise<Json> {
  for (const ms of readyPauses(bot.timing)) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Refusal) || !isNotReady(error)) throw error;
      await pauseAfter(error, ms, signal);
    }
  }
  return call();
}

/** MAX has refused the last attempt, so the send has had no effect if the pause is aborted. */
async function pauseAfter(refusal: Refusal, ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw new TransportError("CONTENT_CONVERSION_ERROR", "MAX did not finish processing the file", {
      retry: "later",
      data: refusal.text,
      cause: refusal,
    });
  });
}

/**
 * A response without optional fields still means that the message was sent; without an id, the message cannot be
 * matched later.
 */
function toSent(answer: Json, { to, id }: OutboundMessage): SentMessage {
  const { body, recipient, timestamp } = readSent(answer)?.message ?? {};
  return {
    chatId: recipient?.chat_id ?? to.chatId ?? "",
    externalId: body?.mid ?? `pending:${id}`,
    sentAt: dateFromUnix(timestamp),
  };
}

/** dev.max.ru, "PUT /messages": a refusal may arrive as `success: false`. */
export async function editMessage(
  bot: Bot,
  ref: MessageRef,
  change: MessageChange,
  signal: AbortSignal,
): Promise<void> {
  const mid = requireMid(ref);
  const file = "file" in change ? await attachToEdit(bot, change.file, signal) : null;
  const options = { query: { message_id: mid }, body: toEdit(change, file), signal };
  await asDeleted(
    whenReady(bot, signal, async () => readSuccess(await bot.client.call("PUT", "/messages", options))),
  );
}

function attachToEdit(bot: Bot, file: OutboundFile, signal: AbortSignal): Promise<Json> {
  if (mayPassLink(file)) return Promise.resolve(byLink(file));
  return upload(bot.client, { file, type: uploadTypeOf(file) }, signal);
}

/** Deleting a message that is already gone succeeds. */
export async function removeMessage(bot: Bot, ref: MessageRef, signal: AbortSignal): Promise<void> {
  try {
    readSuccess(
      await bot.client.call("DELETE", "/messages", { query: { message_id: requireMid(ref) }, signal }),
    );
  } catch (error) {
    if (!(error instanceof Refusal && error.says("message.not.found"))) throw error;
  }
}

/** https://dev.max.ru/docs-api/methods/POST/chats/-chatId-/actions */
export async function markChat(
  { client }: Pick<Bot, "client">,
  chat: MarkedChat,
  mark: ChatMark,
  signal: AbortSignal,
): Promise<void> {
  const path = `/chats/${encodeURIComponent(chatIdOf(chat))}/actions`;
  const body = { action: mark === "read" ? "mark_seen" : "typing_on" };
  readSuccess(await client.call("POST", path, { body, signal }));
}

function readSuccess(answer: Json): Json {
  if (answer["success"] !== false) return answer;
  const words = typeof answer["message"] === "string" ? answer["message"] : "";
  throw new Refusal(400, "not.successful", words);
}

async function asDeleted(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Refusal && error.says("message.not.found", "not found"))) throw error;
    throw new TransportError("MESSAGE_DELETED", "The message no longer exists", {
      data: error.text,
      cause: error,
    });
  }
}

function requireMid(ref: MessageRef): string {
  const mid = midOf(ref);
  if (mid !== undefined) return mid;
  throw new TransportError("GENERAL_ERROR", "MAX cannot change this message");
}
