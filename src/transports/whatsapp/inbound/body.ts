import type { proto } from "baileys";
import type { MessageBody } from "../../../core/transport/events.ts";
import { fields, listOf, number, text } from "../../../platform/foreign/foreign-json.ts";
import { type Referral, referralFrom } from "../../kit/referral.ts";
import { isOpenable } from "../file-token.ts";
import type { NewerMessage, NewerPart } from "../newer-parts.ts";
import type { SealedEdit, SealedVote } from "../outbound/sealed-edit.ts";
import { KINDS, type ReadInner } from "./kinds.ts";
import { type MessageContent, unsupported } from "./parts.ts";
import { readNewField } from "./readers.ts";

type Message = proto.IMessage;

/** The content of a decrypted message. */
export type Content =
  | ({
      readonly kind: "body";
      readonly quoted?: { readonly externalId: string; readonly body?: MessageBody };
      readonly referral?: Referral;
    } & MessageContent)
  | { readonly kind: "edit"; readonly externalId: string; readonly body: MessageBody }
  /** The edit is encrypted with the secret of the edited message. */
  | { readonly kind: "sealed edit"; readonly externalId: string; readonly sealed: SealedEdit }
  | { readonly kind: "removal"; readonly externalId: string }
  | { readonly kind: "reaction"; readonly externalId: string; readonly emoji: string | null }
  /** The vote is encrypted with the secret of its poll. */
  | { readonly kind: "vote"; readonly sealed: SealedVote }
  /** Keys: nothing that is shown as a message. */
  | { readonly kind: "nothing" };

const NOTHING: Content = { kind: "nothing" };
/** `proto.Message.ProtocolMessage.Type` */
const REVOKE = 0;
const EPHEMERAL_SETTING = 3;
const MESSAGE_EDIT = 14;
/** All types up to `GROUP_MEMBER_LABEL_CHANGE`: keys, settings, requests between devices. */
const PROTOCOL_TYPES: ReadonlySet<number> = new Set(Array.from({ length: 31 }, (_, type) => type));
/** `proto.Message.SecretEncryptedMessage.SecretEncType` */
const SEALED_EDIT = 2;

export function readContent(message: Message | null | undefined): Content {
  const content = unwrap(message);
  if (content.protocolMessage != null) return readProtocol(content.protocolMessage);
  if (content.secretEncryptedMessage != null) return readSealed(content.secretEncryptedMessage);
  if (content.pollUpdateMessage != null) return readSealedVote(content.pollUpdateMessage);
  if (content.reactionMessage != null) return readReaction(content.reactionMessage);
  const read = readBody(content);
  if (read === null) return NOTHING;
  const { body } = read;
  const shown =
    body.type === "media" && isViewOnce(message ?? {}) ? unsupported("view once", [body.text]) : read;
  const quoted = readQuote(content);
  return { kind: "body", ...shown, ...(quoted === undefined ? {} : { quoted }), ...readReferral(content) };
}

/** An empty text removes the reaction. */
function readReaction({ key, text: emoji }: proto.Message.IReactionMessage): Content {
  const externalId = idIn(key);
  return externalId === "" ? NOTHING : { kind: "reaction", externalId, emoji: text(emoji) ?? null };
}

/** The new body in a decrypted edit; null if there is none. */
export function readEdit(message: Message): MessageBody | null {
  const content = unwrap(message);
  const edited = content.protocolMessage?.editedMessage;
  return readChange(edited ?? message);
}

/** An edit of a caption may come without the file. */
function readChange(message: Message | null | undefined): MessageBody | null {
  const body = readBody(unwrap(message))?.body ?? null;
  if (body?.type !== "media" || isOpenable(body.file)) return body;
  return body.text === "" ? null : { type: "text", text: body.text };
}

/**
 * After how many seconds the messages of the chat disappear, as this message shows; 0: they stay. Null if it does not
 * show it. Clients state the chat's setting in each message (`ContextInfo.expiration`).
 */
export function readExpiration(message: Message | null | undefined): number | null {
  const content = unwrap(message);
  const { protocolMessage } = content;
  if (protocolMessage?.type === EPHEMERAL_SETTING) return number(protocolMessage.ephemeralExpiration) ?? 0;
  if (readBody(content) === null) return null;
  const contexts = Object.values(content).map((part: unknown) =>
    typeof part === "object" && part !== null && "contextInfo" in part
      ? (part.contextInfo as proto.IContextInfo | null)
      : null,
  );
  return contexts.map((context) => number(context?.expiration) ?? 0).find((seconds) => seconds > 0) ?? 0;
}

/** Other encrypted changes concern events and the options of polls, which the interface does not show. */
function readSealed(sealed: SealedEdit): Content {
  const externalId = idIn(sealed.targetMessageKey);
  const isEdit = sealed.secretEncType === SEALED_EDIT && externalId !== "";
  return isEdit ? { kind: "sealed edit", externalId, sealed } : NOTHING;
}

function readSealedVote({ pollCreationMessageKey, vote }: proto.Message.IPollUpdateMessage): Content {
  const pollId = idIn(pollCreationMessageKey);
  const { encPayload: payload, encIv: iv } = vote ?? {};
  if (pollId === "" || payload == null || iv == null) return NOTHING;
  return { kind: "vote", sealed: { pollId, payload, iv } };
}

/** The options of a poll; empty for other messages. */
export function optionsOf(message: Message | null | undefined): readonly string[] {
  const { pollCreationMessage, pollCreationMessageV2, pollCreationMessageV3, pollCreationMessageV5 } =
    unwrap(message);
  const poll = pollCreationMessage ?? pollCreationMessageV2 ?? pollCreationMessageV3 ?? pollCreationMessageV5;
  return (readOptions(poll?.options) ?? []).flatMap(({ optionName }) => optionName ?? []);
}

const readOptions = listOf(fields({ optionName: text }));

/** Removes the wrappers that only affect display, including those that are new. */
function unwrap(message: Message | null | undefined): NewerMessage {
  let content: NewerMessage = message ?? {};
  for (;;) {
    const inner = innerOf(content);
    if (inner === undefined) return content;
    content = inner;
  }
}

function innerOf(content: NewerMessage): Message | undefined {
  const wrapped = Object.entries(content)
    .filter(([name]) => kindOf(name) === "wrapper")
    .map(([, part]) => (isObject(part) ? part["message"] : undefined));
  const newer = partsOf(content).map(({ message }) => message);
  return [...wrapped, ...newer].find(isObject);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function partsOf({ newerParts }: NewerMessage): readonly NewerPart[] {
  return Array.isArray(newerParts) ? newerParts : [];
}

/** Undefined for a field that is new. */
function kindOf(name: string): (typeof KINDS)[keyof typeof KINDS] | undefined {
  return Object.hasOwn(KINDS, name) ? KINDS[name as keyof typeof KINDS] : undefined;
}

/** Returns "" for an invalid id. Ids never contain NUL, which PostgreSQL cannot store. */
function idIn(key: proto.IMessageKey | null | undefined): string {
  const id = text(key?.id) ?? "";
  return id.includes("\0") ? "" : id;
}

function readProtocol({ type, key, editedMessage }: proto.Message.IProtocolMessage): Content {
  const externalId = idIn(key);
  if (externalId === "") return NOTHING;
  if (type === REVOKE) return { kind: "removal", externalId };
  if (type !== MESSAGE_EDIT) return NOTHING;
  const body = readChange(editedMessage);
  return body === null ? NOTHING : { kind: "edit", externalId, body };
}

/**
 * Whether the message is view-once: its file is not sent to linked devices, or must not be stored by them. Some
 * programs put buttons and lists into the same wrapper, which hides nothing.
 */
function isViewOnce(message: Message): boolean {
  const { ephemeralMessage, viewOnceMessage, viewOnceMessageV2, viewOnceMessageV2Extension } = message;
  if ((viewOnceMessage ?? viewOnceMessageV2 ?? viewOnceMessageV2Extension) != null) return true;
  return ephemeralMessage?.message != null && isViewOnce(ephemeralMessage.message);
}

/** Null if the content is not a message. */
function readBody(content: NewerMessage): MessageContent | null {
  const parts = Object.entries(content).filter(([, part]) => part !== null && part !== undefined);
  for (const [name, part] of parts) {
    const kind = kindOf(name);
    const read =
      typeof kind === "function" ? (kind as ReadPart)(part, (inner) => readBody(unwrap(inner))) : null;
    if (read !== null) return read;
  }
  const [newer] = partsOf(content);
  if (newer !== undefined) return unsupported(newer.kind ?? "new kind of message", [newer.text]);
  const unknown = parts.find(([name, part]) => kindOf(name) === undefined && isObject(part));
  return unknown === undefined ? null : readNewField(...unknown);
}

type ReadPart = (part: unknown, read: ReadInner) => MessageContent | null;

/** What the message has that this connector does not know, as kinds for `reportUnknown`. */
export function unknownIn(message: Message | null | undefined): string[] {
  const content = unwrap(message);
  const wrappers = message === null || message === undefined ? [] : partsOf(message);
  const newer = [...wrappers, ...partsOf(content)].filter(({ kind }) => kind === null);
  const named = Object.keys(content).filter((name) => name !== "newerParts" && kindOf(name) === undefined);
  const type = content.protocolMessage?.type ?? REVOKE;
  return [
    ...new Set(newer.map(({ field }) => `message.field.${field}`)),
    ...named.map((name) => `message.${name}`),
    ...(PROTOCOL_TYPES.has(type) ? [] : [`protocol.${type}`]),
    ...(isEmpty(content) ? ["message.empty"] : []),
  ];
}

/** Whether the content of a message or edit is there, but has nothing that a person could read or open. */
function isEmpty(content: NewerMessage): boolean {
  const { type, editedMessage } = content.protocolMessage ?? {};
  if (type === MESSAGE_EDIT) return readBody(unwrap(editedMessage)) === null;
  const hasBody = Object.entries(content).some(
    ([name, part]) => isObject(part) && typeof kindOf(name) === "function",
  );
  return hasBody && readBody(content) === null;
}

function readQuote(content: Message): { externalId: string; body?: MessageBody } | undefined {
  const holder = Object.values(content).find(hasContext);
  const { stanzaId, quotedMessage } = holder?.contextInfo ?? {};
  const externalId = text(stanzaId) ?? idIn(answeredBy(content));
  if (externalId === "") return undefined;
  const read = readBody(unwrap(quotedMessage));
  return { externalId, ...(read === null ? {} : { body: read.body }) };
}

/** The message that a comment or an answer to a question belongs to. */
function answeredBy(content: Message): proto.IMessageKey | null | undefined {
  return (
    content.commentMessage?.targetMessageKey ??
    content.questionResponseMessage?.key ??
    content.statusQuestionAnswerMessage?.key ??
    content.statusQuotedMessage?.originalStatusId
  );
}

/** An advertisement or a post; the same part describes previews of links, which have no id. */
function readReferral(content: Message): { referral?: Referral } {
  const { contextInfo } = Object.values(content).find(hasContext) ?? {};
  const { sourceType, sourceId, sourceUrl, title, body, ref, ctwaClid } = contextInfo?.externalAdReply ?? {};
  if (text(sourceId) === undefined && text(ctwaClid) === undefined) return {};
  return referralFrom(sourceType === "ad" || sourceType === "post" ? sourceType : "unknown", {
    sourceId: text(sourceId),
    sourceUrl: text(sourceUrl),
    headline: text(title),
    body: text(body),
    ref: text(ref),
    clickId: text(ctwaClid),
  });
}

function hasContext(part: unknown): part is { contextInfo: proto.IContextInfo } {
  return typeof part === "object" && part !== null && "contextInfo" in part && part.contextInfo != null;
}
