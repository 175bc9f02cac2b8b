import type {
  MarkedChat,
  MessageChange,
  OutboundMessage,
  Recipient,
  SentMessage,
} from "../../../core/transport/connector.ts";
import type { ChatMark } from "../../../core/transport/definition.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { MessageRef } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { fields } from "../../../platform/foreign/foreign-json.ts";
import type { BoundedMap } from "../bounded-map.ts";
import { isGone, isNotReady, isProtocolMoved, Refusal, toFailure } from "../errors.ts";
import { readMessage } from "../inbound/update.ts";
import { mayUse } from "../line/hosts.ts";
import type { MaxLink } from "../link.ts";
import { toEdit, toSend } from "../outbound.ts";
import { dialogId, idIn, messageIdIn } from "../people/ids.ts";
import { userByPhone } from "../people/look-up.ts";
import type { Ask, People } from "../people/people.ts";
import type { Timing } from "../timing.ts";
import { OP } from "../wire/opcodes.ts";
import type { ReadyFiles } from "./ready-files.ts";
import type { SentLog } from "./sent-log.ts";
import { type Uploaded, upload } from "./uploads.ts";

/** The connection of a logged-in account. */
export interface Line {
  readonly link: Pick<MaxLink, "request" | "settings" | "log" | "emit">;
  readonly ask: Ask;
  readonly people: People;
  readonly sent: SentLog;
  readonly ready: ReadyFiles;
  /** The newest message of each chat that its owner has not read. */
  readonly unread: BoundedMap<string, { readonly id: string; readonly time: number }>;
  /** Account ids by phone number, so that each is looked up once; null: there is no account. */
  readonly phones: BoundedMap<string, string | null>;
  readonly timing: Timing;
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal;
}

const readSent = fields({ message: readMessage });

/** Resolves when MAX has accepted the message. Throws `TransportError`. */
export async function sendMessage(
  line: Line,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SentMessage> {
  const began = performance.now();
  const chatId = await findChat(line, message.to);
  const { content, quoted } = message;
  const until = AbortSignal.any([signal, line.signal]);
  const uploaded = content.type === "file" ? await upload(uploadParts(line, until), content.file) : null;
  const readyBy = giveUpAt(line.timing, began);
  // The same for every attempt: MAX returns the existing message for a repeated `cid`.
  const cid = await line.sent.cidOf(message.id).catch((error: unknown) => {
    throw toFailure(error, { isHarmless: true });
  });
  await showActivity(line, chatId);
  const request = toSend({ chatId, cid, content, attachment: uploaded?.attachment ?? null, quoted });
  const answer = await orFail(line, () => sendWhenReady(line, request, { uploaded, readyBy, signal: until }));
  const { id, time } = readSent(answer)?.message ?? {};
  if (id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "MAX returned no message id", { retry: "unknown" });
  return { chatId: String(chatId), externalId: id, sentAt: dateFromUnix(time) };
}

export async function editMessage(line: Line, ref: MessageRef, change: MessageChange): Promise<void> {
  if (!("text" in change)) throw new TransportError("GENERAL_ERROR", "MAX cannot replace a file");
  const request = toEdit(chatIn(line, ref.chatId), messageIn(ref), change.text);
  line.sent.noteEdit(ref.externalId, (request as { readonly text: string }).text);
  await orFail(line, () => line.ask(OP.edit, request));
}

/** Setting the same reaction again, and removing none, succeed. */
export async function reactToMessage(line: Line, ref: MessageRef, emoji: string | null): Promise<void> {
  const target = { chatId: chatIn(line, ref.chatId), messageId: messageIn(ref) };
  const reaction = { reactionType: "EMOJI", id: emoji };
  await orFail(line, () =>
    emoji === null ? line.ask(OP.unreact, target) : line.ask(OP.react, { ...target, reaction }),
  );
}

/** Deleting a message that is already gone succeeds. */
export async function removeMessage(line: Line, ref: MessageRef): Promise<void> {
  const request = { chatId: chatIn(line, ref.chatId), messageIds: [messageIn(ref)], forMe: false };
  await orFail(line, () =>
    line.ask(OP.remove, request).catch((error: unknown) => {
      if (!(error instanceof Refusal && isGone(error))) throw error;
    }),
  );
}

/** Marks everything up to the newest message as read, or shows typing. Throws `TransportError`. */
export async function markChat(line: Line, chat: MarkedChat, mark: ChatMark): Promise<void> {
  const chatId = chatIn(line, chat.chatId);
  await orFail(line, async () => {
    if (mark === "typing") return line.ask(OP.typing, { chatId, type: "TEXT" });
    const [newest] = chat.messages;
    const messageId = newest === undefined ? undefined : messageIdIn(newest.externalId);
    if (newest === undefined || messageId === undefined) return null;
    const request = { chatId, messageId, type: "READ_MESSAGE", mark: newest.sentAt.getTime() };
    return line.ask(OP.markRead, request);
  });
}

/** Marks the person's messages as read and shows typing, like a person who replies. Failures are ignored. */
async function showActivity({ ask, unread }: Line, chatId: bigint): Promise<void> {
  const newest = unread.get(String(chatId));
  const messageId = newest === undefined ? undefined : idIn(newest.id);
  if (newest !== undefined && messageId !== undefined) {
    const mark = { chatId, messageId, type: "READ_MESSAGE", mark: newest.time };
    await ask(OP.markRead, mark).then(
      () => unread.delete(String(chatId)),
      () => undefined,
    );
  }
  await ask(OP.typing, { chatId, type: "TEXT" }).catch(() => undefined);
}

/** When to stop waiting for a file whose upload has just ended, by `performance.now()`. */
function giveUpAt({ readyMs, readyLeastMs }: Timing, began: number): number {
  return Math.max(began + readyMs, performance.now() + readyLeastMs);
}

interface Readiness {
  readonly uploaded: Uploaded | null;
  /** When to give up, by `performance.now()`. */
  readonly readyBy: number;
  readonly signal: AbortSignal;
}

/** MAX may process a file for some time after its upload. */
async function sendWhenReady(line: Line, request: object, readiness: Readiness): Promise<unknown> {
  if (readiness.uploaded?.readyId !== undefined) await waitForFile(line, readiness);
  for (;;) {
    try {
      return await line.ask(OP.send, request);
    } catch (error) {
      if (!(error instanceof Refusal && isNotReady(error))) throw error;
      if (performance.now() > readiness.readyBy) throw notProcessed("never", error);
      await waitForFile(line, readiness);
    }
  }
}

/** Nothing was sent yet, or MAX has refused the last attempt, so the send may be repeated if the wait is aborted. */
async function waitForFile(line: Line, { uploaded, signal }: Readiness): Promise<void> {
  await line.ready.wait(uploaded?.readyId ?? "", line.timing.readyAgainMs, signal).catch((error: unknown) => {
    throw notProcessed("later", error);
  });
}

function notProcessed(retry: "never" | "later", cause: unknown): TransportError {
  return new TransportError("CONTENT_CONVERSION_ERROR", "MAX did not finish processing the file", {
    retry,
    cause,
  });
}

async function findChat(line: Line, { chatId, phone }: Pick<Recipient, "chatId" | "phone">): Promise<bigint> {
  if (chatId !== undefined) return chatIn(line, chatId);
  const found = phone === undefined ? null : await findPerson(line, phone);
  if (found === null) throw nobody();
  return chatIn(line, found.chatId);
}

/** Whether there is an account with this number. Throws `TransportError`. */
export async function findPerson(line: Line, phone: string): Promise<{ readonly chatId: string } | null> {
  const userId = await userByPhone(line, phone);
  return userId === null ? null : { chatId: dialogId(line.people.self, userId) };
}

/** The account's chat with itself has the id 0, and is addressed by the account's own id. */
function chatIn({ people }: Line, chatId: string): bigint {
  const id = chatId === people.self ? 0n : idIn(chatId);
  if (id === undefined) throw nobody();
  return id;
}

function messageIn({ externalId }: MessageRef): bigint {
  const id = messageIdIn(externalId);
  if (id === undefined) throw new TransportError("MESSAGE_DELETED", "This is not a MAX message");
  return id;
}

function nobody(): TransportError {
  return new TransportError("BAD_CONTACT", "There is no MAX account with this number or id");
}

/** Maps failures. MAX deduplicates repeated messages; edits and deletions are idempotent. */
async function orFail<T>(line: Line, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && isProtocolMoved(error))
      line.link.log("warn", "MAX does not accept this program's requests; its protocol may have changed", {
        key: error.key,
      });
    throw toFailure(error, { isHarmless: false });
  }
}

export function uploadParts({ ask, link }: Pick<Line, "ask" | "link">, signal: AbortSignal) {
  const { request, settings } = link;
  return { call: ask, request, mayUse: (url: string) => mayUse(url, settings.wsUrl), signal };
}
