import { sql } from "../../database/database.ts";
import { snakeCase } from "../../platform/foreign/snake-case.ts";
import { newId } from "../../platform/ids.ts";
import { isAllowedUrl } from "../../platform/network/safe-fetch.ts";
import type { Base } from "../base.ts";
import type { HasChannels } from "../channel/channel.ts";
import { type Channel, getChannelCached } from "../channel/channel.ts";
import type { HasChats } from "../chat/chats.ts";
import { type ChatKey, findPerson, forgetChat, rememberChat, resolveChat } from "../chat/chats.ts";
import { type ChatNames, invalidNameMessage, invalidNames, normalNames } from "../chat/names.ts";
import { nicknameOf } from "../chat/nickname.ts";
import { type Attachment, mediaKindOf, type OutgoingContent } from "../content.ts";
import { AppError, fieldsOf } from "../errors.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { quotaExceeded } from "../quota/quotas.ts";
import type { Scope } from "../scope.ts";
import { parseTemplateCode } from "../template/code.ts";
import { getTemplate, type StoredTemplate } from "../template/templates.ts";
import { type Capabilities, type TransportDefinition, traitsOf } from "../transport/definition.ts";
import type { Keyboard } from "../transport/keyboard.ts";
import type { MessageType } from "../transport/message.ts";
import { definitionOf } from "../transport/registry.ts";
import { renderTemplate } from "../transport/template.ts";
import type { HasAccept } from "./accept.ts";
import { type KeyboardRules, parseKeyboard } from "./keyboard.ts";
import { refuseAtOnce } from "./refuse-at-once.ts";
import { waitsUnderNickname } from "./resolved-chat.ts";

export interface SendRequest {
  readonly channelId: string;
  readonly quotedMessageId?: string;
  readonly recipient: RecipientRequest;
  readonly text?: string;
  readonly attachment?: Attachment;
  /** A text in the same message as `attachment`, as far as the messenger has that. Only of the chat page. */
  readonly caption?: string;
  readonly template?: {
    readonly id: string;
    readonly values: readonly string[];
    readonly buttons: readonly { readonly payload: string; readonly text?: string; readonly type?: string }[];
  };
  /** As the client sent it; the shape depends on the transport. */
  readonly keyboard?: unknown;
  /** The parsed keyboard of a message that is sent again. */
  readonly parsedKeyboard?: Keyboard;
  readonly authorId?: string;
  /** Written on our own chat page by an employee of this name. */
  readonly fromApp?: { readonly authorName: string | null };
  /** The CRM's own id of the message; the account cannot use it for another one within a minute. */
  readonly crmMessageId?: string;
  /** `false`: the message is no reply, and unanswered messages of the chat stay unanswered. */
  readonly resetUnanswered?: boolean;
  /**
   * As in v3: a text that is too long, a file that is too big and a rejected channel are rejected here; otherwise
   * they are accepted and reported by webhook.
   */
  readonly refusedAtOnce?: true;
}

export interface RecipientRequest {
  readonly chatType: string;
  readonly chatId?: string;
  readonly username?: string;
  readonly phone?: string;
  readonly contactName?: string;
}

/**
 * Accepts a message: when this resolves, the message is durable and will be sent once or reported as `error`. Throws
 * AppError for what the interface rejects at once; rejections of the messenger are reported by webhook.
 * `operationId`, if given, becomes the message's id, which makes the call idempotent.
 */
export async function sendMessage(
  core: Base & HasAccept & HasLive & HasChannels & HasChats,
  scope: Scope,
  given: SendRequest,
  operationId: string | null,
): Promise<{ messageId: string; chatId: string }> {
  const message = await checkedMessage(core, scope, given);
  const id = operationId ?? newId();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const accepted = await acceptMessage(core, scope, message, id);
    if (accepted !== "moved") return accepted;
  }
  throw new Error("The chat of a message was renamed again and again");
}

/** The messenger may rename a chat while a message to it is accepted; then the chat is found again. */
const MAX_ATTEMPTS = 5;

async function acceptMessage(
  core: Base & HasAccept & HasLive & HasChats,
  scope: Scope,
  message: CheckedMessage,
  id: string,
): Promise<{ messageId: string; chatId: string } | "moved"> {
  const { channel, request, recipient } = message;
  const { chatId, to } = await addressOf(core, scope, message);
  const name = {
    accountId: scope.accountId,
    channelId: channel.id,
    chatType: recipient.chatType,
    chatId: chatId ?? nicknameOf(recipient),
  };
  const chat = await resolveChat(core, name);
  if (request.quotedMessageId !== undefined) await checkQuoted(core, scope, chat, request.quotedMessageId);

  const acceptance = await core.accept.add({
    account_id: scope.accountId,
    id,
    channel_id: channel.id,
    chat: chat.id,
    chat_type: chat.chatType,
    chat_id: chat.chatId,
    chat_name: recipient.contactName ?? "",
    new_chat: chat.isNew,
    type: message.kind,
    text: message.text,
    content: contentOf(request, to, message.keyboard),
    quoted_id: request.quotedMessageId ?? null,
    author_id: request.authorId ?? null,
    author_name: request.fromApp?.authorName ?? null,
    crm_message_id: request.crmMessageId ?? null,
  });
  if (acceptance === "full") throw quotaExceeded(core.settings.quotas, "waitingSends");
  if (acceptance === "repeated")
    throw new AppError("REPEATED_CRM_MESSAGE_ID", { data: { crmMessageId: request.crmMessageId } });
  if (acceptance === "moved") {
    forgetChat(core, name);
    return "moved";
  }
  if (chat.isNew) rememberChat(core, channel.id, chat);
  core.live.notify({ accountId: scope.accountId, about: "message", chat: chat.id, subject: id });
  return { messageId: id, chatId: chatId ?? givenNameOf(recipient) };
}

/** Throws what `sendMessage` would refuse at once. */
export async function checkMessage(
  core: Base & HasChannels & HasChats,
  scope: Scope,
  given: SendRequest,
): Promise<void> {
  await checkedMessage(core, scope, given);
}

/** A message that its channel can send, as far as that is known before the messenger is asked. */
interface CheckedMessage {
  readonly channel: Channel;
  readonly request: SendRequest;
  readonly recipient: RecipientRequest;
  readonly kind: MessageType;
  readonly text: string | null;
  readonly keyboard: Keyboard | undefined;
}

/** Throws AppError for what the interface rejects at once. */
async function checkedMessage(
  core: Base & HasChannels & HasChats,
  scope: Scope,
  given: SendRequest,
): Promise<CheckedMessage> {
  kindOfContent(given);
  const channel = await getChannelCached(core, scope, given.channelId);
  const definition = definitionOf(core.transports, channel.transport);
  const request = withTemplateOfText(definition, given);
  const kind = kindOfContent(request);
  const [, , keyboard] = withAllFaults(
    () => checkRecipient(definition, channel, request.recipient),
    () => checkAttachment(core, request.attachment),
    () => keyboardOf(definition, request),
  );
  const recipient = normalNames(request.recipient);
  checkCapabilities(definition, request);
  checkSendable(channel);
  const template =
    request.template === undefined ? null : await templateFor(core, scope, channel, request.template.id);
  if (request.refusedAtOnce)
    await refuseAtOnce(core, channel, { ...request, hasButtons: keyboard !== undefined });
  const text =
    template === null
      ? (request.text ?? request.caption ?? null)
      : textOf(template, request.template?.values);
  return {
    channel,
    request: withTemplateId(request, template),
    recipient: await withKnownName(core, scope, channel, recipient),
    kind,
    text,
    keyboard,
  };
}

/** The results of these parts. Throws the error of the first one that fails, with the faulty fields of all. */
function withAllFaults<T extends readonly unknown[]>(...parts: { [Part in keyof T]: () => T[Part] }): T {
  const errors: AppError[] = [];
  const results = parts.map((part) => {
    try {
      return part();
    } catch (error) {
      if (!(error instanceof AppError) || fieldsOf(error).length === 0) throw error;
      errors.push(error);
      return undefined;
    }
  });
  const [first] = errors;
  if (first === undefined) return results as unknown as T;
  const { code, message: description } = first;
  throw new AppError(code, { description, data: { fields: errors.flatMap(fieldsOf) } });
}

/** The template may have been named by an alias; what is stored names it by our id. */
function withTemplateId(request: SendRequest, found: StoredTemplate | null): SendRequest {
  if (request.template === undefined || found === null) return request;
  return { ...request, template: { ...request.template, id: found.id } };
}

/** If the transport has templates, a text that is the code of a template stands for it. */
function withTemplateOfText({ capabilities }: TransportDefinition, request: SendRequest): SendRequest {
  if (!capabilities.templates || request.text === undefined) return request;
  const code = parseTemplateCode(request.text);
  if (code === null) return request;
  const { text: _code, ...rest } = request;
  return { ...rest, template: { ...code, buttons: [] } };
}

function kindOfContent({ text, attachment, template }: SendRequest): MessageType {
  const given = [text, attachment, template].filter((part) => part !== undefined);
  if (given.length > 1) throw new AppError("MESSAGE_ONLY_TEXT_OR_CONTENT");
  if (attachment !== undefined) return mediaKindOf(attachment);
  if (template !== undefined) return "wapi_template";
  if (text === undefined || text.trim() === "") throw new AppError("MESSAGE_NOTHING_TO_SEND");
  return "text";
}

function checkRecipient(
  definition: TransportDefinition,
  channel: Channel,
  recipient: RecipientRequest,
): void {
  if (!definition.chatTypes.some((type) => type === recipient.chatType)) {
    throw new AppError("WRONG_TRANSPORT", {
      description: `You can't send message to ${recipient.chatType} chat from ${channel.transport} transport`,
      data: { channelId: channel.id, transport: channel.transport, chatType: recipient.chatType },
    });
  }
  const faults = invalidNames(recipient);
  if (faults.length > 0) throw new AppError("VALIDATION_ERROR", { data: { fields: faults.map(faultOf) } });
  const addressBy = traitsOf(recipient.chatType)?.addressBy;
  const hasUsername = recipient.username !== undefined && addressBy?.includes("username");
  const hasPhone = recipient.phone !== undefined && addressBy?.includes("phone");
  if (recipient.chatId === undefined && !hasUsername && !hasPhone)
    throw new AppError("MESSAGE_RECIPIENT_REQUIRED");
}

function faultOf(name: keyof ChatNames): { readonly field: string; readonly message: string } {
  return { field: `recipient.${snakeCase(name)}`, message: invalidNameMessage(name) };
}

function keyboardOf(definition: TransportDefinition, request: SendRequest): Keyboard | undefined {
  if (request.template !== undefined && hasButtons(request.keyboard))
    throw new AppError("MESSAGE_KEYBOARD_INVALID", {
      data: { fields: [{ field: "keyboard", message: "a template has buttons of its own" }] },
    });
  return request.keyboard === undefined || request.template !== undefined
    ? request.parsedKeyboard
    : parseKeyboard(keyboardRulesOf(definition, request), request.keyboard);
}

function keyboardRulesOf(
  { capabilities: { keyboard: shape, withButtons } }: TransportDefinition,
  { refusedAtOnce }: SendRequest,
): KeyboardRules {
  const isV3 = refusedAtOnce === true;
  const maxPayloadLength = withButtons?.maxPayloadLength;
  return { shape, maxPayloadLength, refusesLongLabels: isV3, numbersButtons: isV3 };
}

/** Without buttons there is nothing that could be lost. */
function hasButtons(keyboard: unknown): boolean {
  const { buttons, ...rest } = (keyboard ?? {}) as { readonly buttons?: unknown };
  return Array.isArray(buttons) ? buttons.length > 0 : Object.values(rest).includes(true);
}

/** Throws MESSAGE_ONLY_TEXT_OR_CONTENT: the text has to be a message of its own. */
function checkCaption({ media }: Capabilities, { caption, attachment }: SendRequest): void {
  if (caption === undefined || attachment === undefined) return;
  const maxLength = media[mediaKindOf(attachment)]?.maxCaptionLength;
  if (maxLength === undefined) throw new AppError("MESSAGE_ONLY_TEXT_OR_CONTENT");
  if (caption.length > maxLength) throw new AppError("MESSAGE_TEXT_TOO_LONG", { data: { maxLength } });
}

function checkCapabilities({ capabilities }: TransportDefinition, request: SendRequest): void {
  checkCaption(capabilities, request);
  if (request.template !== undefined && !capabilities.templates)
    throw new AppError("MESSAGE_TEMPLATE_NOT_SUPPORTED");
  if (request.quotedMessageId !== undefined && !capabilities.quote)
    throw new AppError("MESSAGE_QUOTING_NOT_SUPPORTED");
}

/** A template can be sent through any channel of its business. */
async function templateFor(
  core: Base,
  scope: Scope,
  channel: Channel,
  templateId: string,
): Promise<StoredTemplate> {
  const template = await getTemplate(core, scope, templateId);
  if (template.transport === channel.transport && template.businessId === channel.businessId) return template;
  throw new AppError("TEMPLATE_OF_ANOTHER_CHANNEL", { data: { channelIds: template.channelIds } });
}

/** The text that the recipient reads, as far as it is known. */
function textOf({ components }: StoredTemplate, values: readonly string[] = []): string | null {
  return renderTemplate(components, values) || null;
}

export function checkAttachment(core: Base, attachment: Attachment | undefined): void {
  if (
    attachment === undefined ||
    attachment.fileId !== undefined ||
    isAllowedUrl(attachment.url, core.settings.allowNetworks)
  )
    return;
  throw new AppError("ATTACHMENT_URL_NOT_ALLOWED", {
    data: { fields: [{ field: "attachment.url", message: "must be a public http or https address" }] },
  });
}

/**
 * A rejected business channel accepts the message and reports the error by webhook, and messages wait for a proxy that does
 * not work; in all other inactive states the request is rejected.
 */
export function checkSendable(channel: Channel): void {
  if (channel.status === "active" || channel.reason === "rejected") return;
  if (channel.reason === "proxy" && channel.messengerId !== "") return;
  if (channel.reason === "not_enough_money") throw new AppError("CHANNEL_NO_MONEY");
  if (channel.reason === "blocked") throw new AppError("CHANNEL_BLOCKED");
  throw new AppError("MESSAGE_CHANNEL_UNAVAILABLE", {
    data: { status: channel.status, reason: channel.reason },
  });
}

interface Address {
  /** The messenger's id of the chat in which the message is queued; null: it is queued under the given name. */
  readonly chatId: string | null;
  /** To whom it is sent, if that is not the chat in which it is queued. */
  readonly to?: OutgoingContent["recipient"];
}

async function addressOf(
  core: Base,
  { accountId }: Scope,
  { channel, request, recipient }: CheckedMessage,
): Promise<Address> {
  const { chatId: given, chatType, ...names } = recipient;
  if (given !== undefined) return { chatId: given };
  const channelId = channel.id;
  const known = await findPerson(core, { accountId }, { channelId, chatType, ...names });
  const to = personOf(recipient);
  if (known === null) return { chatId: null, to };
  // A message with a quote has to be in the chat of the quoted one.
  if (request.quotedMessageId !== undefined) return { chatId: known };
  const nickname = { accountId, channelId, chatType, chatId: nicknameOf(recipient) };
  const waits = await waitsUnderNickname(core.db, nickname);
  return waits ? { chatId: null, to: { chatId: known, ...to } } : { chatId: known };
}

/**
 * Until the messenger reports a chat's id, our responses name the chat by the phone or username that it was addressed by. A
 * client that sends this name back as the chat's id means the same person.
 */
async function withKnownName(
  core: Base & HasChats,
  { accountId }: Scope,
  { id: channelId }: Channel,
  recipient: RecipientRequest,
): Promise<RecipientRequest> {
  const { chatId, ...rest } = recipient;
  const { chatType } = rest;
  const addressBy = traitsOf(chatType)?.addressBy ?? [];
  if (chatId === undefined || addressBy.length === 0) return recipient;
  const key = { accountId, channelId, chatType };
  if (!(await resolveChat(core, { ...key, chatId })).isNew) return recipient;
  for (const by of addressBy) {
    const chat = await resolveChat(core, { ...key, chatId: nicknameOf({ [by]: chatId }) });
    if (!chat.isNew || chat.isFormerName === true) return { ...rest, [by]: chatId };
  }
  return recipient;
}

function personOf({ username, phone }: RecipientRequest): NonNullable<OutgoingContent["recipient"]> {
  return { ...(username === undefined ? {} : { username }), ...(phone === undefined ? {} : { phone }) };
}

/** The chat id in the response while the messenger's id is unknown. */
function givenNameOf({ username, phone }: RecipientRequest): string {
  return phone ?? username ?? "";
}

const QUOTED = sql(
  "message_quotable",
  "select 1 from messages where account_id = $1 and id = $2 and chat = $3",
);

async function checkQuoted(core: Base, scope: Scope, chat: ChatKey, quotedId: string): Promise<void> {
  const found = await core.db.query(QUOTED, [scope.accountId, quotedId, chat.id]);
  if (found.length === 0) throw new AppError("QUOTED_MESSAGE_NOT_FOUND");
}

function contentOf(
  request: SendRequest,
  recipient: OutgoingContent["recipient"],
  keyboard: OutgoingContent["keyboard"],
): OutgoingContent {
  const { attachment, template } = request;
  return {
    ...(recipient === undefined ? {} : { recipient }),
    ...(attachment === undefined ? {} : { attachment }),
    ...(template === undefined
      ? {}
      : {
          template: {
            id: template.id,
            values: template.values,
            payloads: template.buttons.map(({ payload }) => payload),
          },
        }),
    ...(keyboard === undefined ? {} : { keyboard }),
    ...(request.resetUnanswered === false ? { leavesUnanswered: true as const } : {}),
    ...(request.fromApp === undefined ? {} : { fromApp: true as const }),
  };
}
