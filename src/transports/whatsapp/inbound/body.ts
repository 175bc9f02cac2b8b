import type { proto } from "baileys";
import type { MediaKind } from "../../../core/transport/definition.ts";
import type { MessageBody } from "../../../core/transport/events.ts";
import { listOf, number, text } from "../../../platform/foreign/foreign-json.ts";
import { type Referral, referralFrom } from "../../kit/referral.ts";
import { fileRefOf, type MediaType } from "../file-token.ts";
import { normalizeMessageContent } from "../library.ts";
import type { SealedEdit } from "../outbound/sealed-edit.ts";

type Message = proto.IMessage;

/** The content of a decrypted message. */
export type Content =
  | {
      readonly kind: "body";
      readonly body: MessageBody;
      readonly quoted?: { readonly externalId: string; readonly body?: MessageBody };
      readonly referral?: Referral;
    }
  | { readonly kind: "edit"; readonly externalId: string; readonly body: MessageBody }
  /** The edit is encrypted with the secret of the edited message. */
  | { readonly kind: "sealed edit"; readonly externalId: string; readonly sealed: SealedEdit }
  | { readonly kind: "removal"; readonly externalId: string }
  | { readonly kind: "reaction"; readonly externalId: string; readonly emoji: string | null }
  /** Keys, votes: nothing that is shown as a message. */
  | { readonly kind: "nothing" };

const NOTHING: Content = { kind: "nothing" };
/** `proto.Message.ProtocolMessage.Type` */
const REVOKE = 0;
const EPHEMERAL_SETTING = 3;
const MESSAGE_EDIT = 14;
/** `proto.Message.SecretEncryptedMessage.SecretEncType` */
const SEALED_EDIT = 2;

export function readContent(message: Message | null | undefined): Content {
  const content = unwrap(message);
  if (content.protocolMessage != null) return readProtocol(content.protocolMessage);
  if (content.secretEncryptedMessage != null) return readSealed(content.secretEncryptedMessage);
  if (content.reactionMessage != null) return readReaction(content.reactionMessage);
  const read = readBody(content);
  if (read === null) return NOTHING;
  const body = read.type === "media" && isViewOnce(message ?? {}) ? unsupported("view once") : read;
  const quoted = readQuote(content);
  return { kind: "body", body, ...(quoted === undefined ? {} : { quoted }), ...readReferral(content) };
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
  return readBody(edited == null ? content : unwrap(edited));
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

/** Other encrypted changes concern events and polls, which the interface does not show. */
function readSealed(sealed: SealedEdit): Content {
  const externalId = idIn(sealed.targetMessageKey);
  const isEdit = sealed.secretEncType === SEALED_EDIT && externalId !== "";
  return isEdit ? { kind: "sealed edit", externalId, sealed } : NOTHING;
}

/** Removes the wrappers that only affect display, including those that the library leaves. */
function unwrap(message: Message | null | undefined): Message {
  const content = normalizeMessageContent(message ?? undefined) ?? {};
  const inner =
    content.lottieStickerMessage?.message ??
    content.pollCreationMessageV4?.message ??
    content.groupMentionedMessage?.message ??
    content.botInvokeMessage?.message;
  return inner == null ? content : unwrap(inner);
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
  const body = readBody(unwrap(editedMessage));
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
function readBody(content: Message): MessageBody | null {
  return readText(content) ?? readMedia(content) ?? readOther(content);
}

function readText(content: Message): MessageBody | null {
  const words = [
    content.conversation,
    content.extendedTextMessage?.text,
    content.buttonsResponseMessage?.selectedDisplayText,
    content.listResponseMessage?.title,
    content.templateButtonReplyMessage?.selectedDisplayText,
    content.interactiveResponseMessage?.body?.text,
    content.templateMessage?.hydratedTemplate?.hydratedContentText,
    content.templateMessage?.hydratedFourRowTemplate?.hydratedContentText,
    content.buttonsMessage?.contentText,
    content.listMessage?.description,
    content.interactiveMessage?.body?.text,
    content.groupInviteMessage?.caption,
    pollText(content),
  ];
  const first = words.map(text).find((each) => each !== undefined);
  return first === undefined ? null : { type: "text", text: first };
}

const choice = (option: unknown): string | undefined => {
  if (typeof option !== "object" || option === null) return undefined;
  return text((option as proto.Message.PollCreationMessage.IOption).optionName) ?? "";
};

/** The title, then one line per option. */
function pollText(content: Message): string | undefined {
  const poll =
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5;
  if (poll == null) return undefined;
  const choices = (listOf(choice)(poll.options) ?? []).map((name) => `• ${name}`);
  return [text(poll.name) ?? "", ...choices].join("\n");
}

interface MediaMessage {
  readonly mediaKey?: Uint8Array | null;
  readonly directPath?: string | null;
  readonly url?: string | null;
  readonly mimetype?: string | null;
  readonly fileLength?: unknown;
  readonly caption?: string | null;
  readonly fileName?: string | null;
}

function readMedia(content: Message): MessageBody | null {
  if (content.stickerMessage != null) return readSticker(content.stickerMessage);
  const video = content.videoMessage ?? content.ptvMessage;
  if (content.imageMessage != null) return media("image", "image", content.imageMessage);
  if (video != null) return media("video", "video", video);
  if (content.audioMessage != null)
    return media("audio", content.audioMessage.ptt === true ? "ptt" : "audio", content.audioMessage);
  return content.documentMessage == null ? null : media("document", "document", content.documentMessage);
}

function media(kind: MediaKind, type: MediaType, message: MediaMessage): MessageBody {
  const file = fileRefOf(type, message, { name: text(message.fileName), mimeType: text(message.mimetype) });
  return { type: "media", media: kind, file, text: text(message.caption) ?? "" };
}

/** The interface represents stickers as images with a file name that ends in `.was`, including static ones. */
function readSticker(message: proto.Message.IStickerMessage): MessageBody {
  const mimeType = message.isLottie === true ? "application/was" : (text(message.mimetype) ?? "image/webp");
  return {
    type: "media",
    media: "image",
    file: fileRefOf("sticker", message, { name: "sticker.was", mimeType }),
    text: "",
  };
}

function readOther(content: Message): MessageBody | null {
  const place = content.locationMessage ?? content.liveLocationMessage;
  if (place != null) return geo(place);
  if (content.contactMessage != null)
    return { type: "vcard", vcard: text(content.contactMessage.vcard) ?? "" };
  if (content.contactsArrayMessage != null) {
    const cards = listOf((card) => text((card as proto.Message.IContactMessage | null)?.vcard));
    return { type: "vcard", vcard: (cards(content.contactsArrayMessage.contacts) ?? []).join("\n") };
  }
  const kind = Object.entries(content).find(([name, value]) => value != null && !SILENT.has(name))?.[0];
  return kind === undefined ? null : unsupported(wordsOf(kind));
}

function geo(place: proto.Message.ILocationMessage & { readonly caption?: string | null }): MessageBody {
  const words = [place.name, place.address, place.comment ?? place.caption].map(text);
  const about = words.filter((each) => each !== undefined).join("\n");
  // Protobuf omits a coordinate of 0.
  const [latitude, longitude] = [place.degreesLatitude ?? 0, place.degreesLongitude ?? 0].map(number);
  if (latitude === undefined || longitude === undefined) return unsupported("location");
  return { type: "geo", latitude, longitude, text: about };
}

/** Parts without visible content, or changes of things that the interface does not have. */
const SILENT = new Set([
  "messageContextInfo",
  "senderKeyDistributionMessage",
  "fastRatchetKeySenderKeyDistributionMessage",
  "reactionMessage",
  "encReactionMessage",
  "pollUpdateMessage",
  "keepInChatMessage",
  "pinInChatMessage",
  "protocolMessage",
  "encEventResponseMessage",
  "encCommentMessage",
  "call",
  "chat",
  "placeholderMessage",
  "messageHistoryBundle",
  "messageHistoryNotice",
  "albumMessage",
]);

function unsupported(what: string): Extract<MessageBody, { type: "unsupported" }> {
  return { type: "unsupported", what };
}

/** "paymentInviteMessage" becomes "payment invite". */
function wordsOf(kind: string): string {
  return kind
    .replace(/Message(V[0-9]+)?$/, "")
    .replace(/([A-Z])/g, " $1")
    .toLowerCase();
}

function readQuote(content: Message): { externalId: string; body?: MessageBody } | undefined {
  const holder = Object.values(content).find(hasContext);
  const { stanzaId, quotedMessage } = holder?.contextInfo ?? {};
  const externalId = text(stanzaId);
  if (externalId === undefined) return undefined;
  const body = readBody(unwrap(quotedMessage));
  return { externalId, ...(body === null ? {} : { body }) };
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
