import type { Base } from "../base.ts";
import type { HasChannels } from "../channel/channel.ts";
import { getChannel } from "../channel/channel.ts";
import type { HasChats } from "../chat/chats.ts";
import { normalNames } from "../chat/names.ts";
import { nicknameOf, personOfNickname } from "../chat/nickname.ts";
import type { Attachment, OutgoingContent } from "../content.ts";
import { AppError } from "../errors.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { attachFileOf } from "../file/message-file.ts";
import { attachUpload } from "../file/uploads.ts";
import type { HasAccept } from "../message/accept.ts";
import { editMessage, removeMessage } from "../message/change.ts";
import { reactToMessage } from "../message/react.ts";
import { type RecipientRequest, type SendRequest, sendMessage } from "../message/send.ts";
import { traitsOf } from "../transport/definition.ts";
import { definitionOf } from "../transport/registry.ts";
import { newChatOf } from "./abilities.ts";
import { authorNameOf } from "./author.ts";
import { chatViews, reachChat } from "./chat-list.ts";
import { type ChatRow, type ChatView, loadChats } from "./chat-view.ts";
import { findByClientId, type MessageView, messageView, pageKeyOf } from "./message-view.ts";
import { type InboxSession, isReachable } from "./reach.ts";
import { reachMessage } from "./thread.ts";

/**
 * A message of an employee: exactly one of text, file and template; or a file with a text, if the messenger has
 * captions.
 */
export interface NewPageMessage {
  /** Chosen by the page. A repeated request with the same id is sent once. */
  readonly id: string;
  /** A chat, or the address of a person without one. */
  readonly to: { readonly chat: string } | NewChat;
  readonly text?: string;
  readonly fileId?: string;
  /** In place of `fileId`: the file of this message. */
  readonly fileOfMessageId?: string;
  /** The file is a recording, and becomes a voice note where the messenger has them. */
  readonly voice?: boolean;
  readonly template?: SendRequest["template"];
  readonly quotedMessageId?: string;
  readonly keyboard?: unknown;
  readonly resetUnanswered?: boolean;
}

export interface NewChat {
  readonly channelId: string;
  readonly chatType?: string;
  readonly chatId?: string;
  readonly username?: string;
  readonly phone?: string;
  readonly name?: string;
}

export interface Written {
  readonly message: MessageView;
  readonly chat: ChatView;
}

/**
 * Accepts a message of the session's employee. Throws CHAT_NOT_FOUND for a chat or a person outside the session's
 * scope, and the errors of `sendMessage` with `refusedAtOnce`.
 */
export async function writeMessage(
  core: Base & HasLive & HasAccept & HasChats & HasChannels,
  session: InboxSession,
  writing: NewPageMessage,
): Promise<Written> {
  const repeated = await findWritten(core, session, writing.id);
  if (repeated !== null) return repeated;
  const { text, template, quotedMessageId, keyboard, resetUnanswered } = writing;
  const to = await addressOf(core, session, writing.to);
  const attachment = await attachmentOf(core, session, writing);
  return send(core, session, writing.id, {
    ...to,
    ...textOrCaption(text, attachment !== null),
    ...(attachment === null ? {} : { attachment }),
    ...(template === undefined ? {} : { template }),
    ...(quotedMessageId === undefined ? {} : { quotedMessageId }),
    ...(keyboard === undefined ? {} : { keyboard }),
    ...(resetUnanswered === undefined ? {} : { resetUnanswered }),
  });
}

/**
 * Null: the message has no file. Throws NOT_FOUND for an unknown upload, MESSAGES_NOT_FOUND for a message outside the
 * session's scope, and MESSAGE_NOTHING_TO_SEND for one without a stored file.
 */
async function attachmentOf(
  core: Base,
  session: InboxSession,
  { fileId, fileOfMessageId, voice = false }: NewPageMessage,
): Promise<Attachment | null> {
  if (fileOfMessageId !== undefined) {
    await reachMessage(core, session, fileOfMessageId);
    return attachFileOf(core, session.scope, fileOfMessageId);
  }
  if (fileId === undefined) return null;
  return { ...(await attachUpload(core, session.scope, fileId)), ...(voice ? { voice } : {}) };
}

function textOrCaption(text: string | undefined, hasFile: boolean): Pick<SendRequest, "text" | "caption"> {
  if (text === undefined) return {};
  return hasFile ? { caption: text } : { text };
}

/** The page's id is the idempotency key, for concurrent requests and for retries after a lost response. */
async function send(
  core: Base & HasLive & HasAccept & HasChats & HasChannels,
  session: InboxSession,
  clientId: string,
  request: SendRequest,
): Promise<Written> {
  const { scope, opening } = session;
  const author = { authorId: opening.userId, fromApp: { authorName: await authorNameOf(core, session) } };
  const whole: SendRequest = {
    ...request,
    ...author,
    crmMessageId: pageKeyOf(clientId),
    refusedAtOnce: true,
  };
  await sendMessage(core, scope, whole, null).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === "REPEATED_CRM_MESSAGE_ID")) throw error;
  });
  const written = await findWritten(core, session, clientId);
  if (written === null) throw new AppError("MESSAGES_NOT_FOUND");
  return written;
}

/** Null: not written yet. Throws MESSAGES_NOT_FOUND if it is outside the session's scope. */
async function findWritten(core: Base, session: InboxSession, clientId: string): Promise<Written | null> {
  const { accountId } = session.scope;
  const message = await findByClientId(core.db, accountId, clientId);
  if (message === null) return null;
  if (!isReachable(session.opening, message)) throw new AppError("MESSAGES_NOT_FOUND");
  const [chat] = await chatViews(core, session, await loadChats(core.db, accountId, [message.chat]));
  return chat === undefined ? null : { message: messageView(core, message), chat };
}

async function addressOf(
  core: Base,
  session: InboxSession,
  to: NewPageMessage["to"],
): Promise<Pick<SendRequest, "channelId" | "recipient">> {
  if (!("chat" in to)) return newAddress(core, session, to);
  return knownAddress(await reachChat(core, session, to.chat));
}

function knownAddress(chat: ChatRow): Pick<SendRequest, "channelId" | "recipient"> {
  const { chat_type: chatType, chat_id: chatId, channel_id: channelId } = chat;
  return { channelId, recipient: { chatType, ...(personOfNickname({ chatType, chatId }) ?? { chatId }) } };
}

async function newAddress(
  core: Base,
  { scope, opening }: InboxSession,
  { channelId, chatType: given, chatId, username, phone, name }: NewChat,
): Promise<Pick<SendRequest, "channelId" | "recipient">> {
  const channel = await getChannel(core, scope, channelId);
  const definition = definitionOf(core.transports, channel.transport);
  const chatType = given ?? newChatOf(definition)?.chat_type ?? definition.chatTypes[0];
  // Chats that are named by phone numbers have no other field for one.
  const isPhone = traitsOf(chatType)?.idForm === "phone";
  const id = chatId ?? (isPhone ? phone : undefined);
  const recipient: RecipientRequest = {
    chatType,
    ...(id === undefined ? {} : { chatId: id }),
    ...(username === undefined ? {} : { username }),
    ...(phone === undefined || isPhone ? {} : { phone }),
    ...(name === undefined ? {} : { contactName: name }),
  };
  const names = normalNames(recipient);
  const asked = {
    chat_type: chatType,
    chat_id: names.chatId ?? nicknameOf(names),
    username: names.username ?? null,
    phone: names.phone ?? null,
  };
  if (!isReachable(opening, asked)) throw new AppError("CHAT_NOT_FOUND");
  return { channelId, recipient };
}

/**
 * Edits a sent message and waits for the messenger's response. Throws MESSAGES_NOT_FOUND, and the errors of
 * `editMessage`.
 */
export async function editWritten(
  core: Base,
  session: InboxSession,
  id: string,
  { text, fileId }: { readonly text?: string; readonly fileId?: string },
): Promise<MessageView> {
  await reachMessage(core, session, id);
  const { scope, opening } = session;
  await editMessage(core, scope, id, {
    ...(text === undefined ? {} : { text }),
    ...(fileId === undefined ? {} : { attachment: await attachUpload(core, scope, fileId) }),
    authorId: opening.userId,
  });
  return messageView(core, await reachMessage(core, session, id));
}

/** Removes a sent message for both sides; a waiting one is cancelled. Throws the errors of `removeMessage`. */
export async function removeWritten(core: Base, session: InboxSession, id: string): Promise<MessageView> {
  await reachMessage(core, session, id);
  await removeMessage(core, session.scope, id);
  return messageView(core, await reachMessage(core, session, id));
}

/** Sets or, with null, removes the channel's reaction. Throws the errors of `reactToMessage`. */
export async function reactTo(
  core: Base,
  session: InboxSession,
  id: string,
  emoji: string | null,
): Promise<MessageView> {
  await reachMessage(core, session, id);
  await reactToMessage(core, session.scope, id, emoji);
  return messageView(core, await reachMessage(core, session, id));
}

/** Sends the content of a failed message again, as a new message. Throws MESSAGES_NOT_FAILED if it has not failed. */
export async function resendMessage(
  core: Base & HasLive & HasAccept & HasChats & HasChannels,
  session: InboxSession,
  { failedId, id }: { readonly failedId: string; readonly id: string },
): Promise<Written> {
  const repeated = await findWritten(core, session, id);
  if (repeated !== null) return repeated;
  const failed = await reachMessage(core, session, failedId);
  if (failed.direction !== "out" || failed.status !== "error" || failed.deleted_at !== null)
    throw new AppError("MESSAGES_NOT_FAILED");
  const chat = await reachChat(core, session, failed.chat);
  return send(core, session, id, {
    ...knownAddress(chat),
    ...contentAgain(failed.content ?? {}, failed.text),
    ...(failed.quoted_id === null ? {} : { quotedMessageId: failed.quoted_id }),
  });
}

function contentAgain(
  { attachment, template, keyboard }: Partial<OutgoingContent>,
  text: string | null,
): Partial<SendRequest> {
  if (template !== undefined) {
    const { id, values, payloads } = template;
    return { template: { id, values, buttons: payloads.map((payload) => ({ payload })) } };
  }
  const parsed = keyboard === undefined ? {} : { parsedKeyboard: keyboard };
  if (attachment !== undefined)
    return { attachment, ...(text === null || text === "" ? {} : { caption: text }), ...parsed };
  return { text: text ?? "", ...parsed };
}
