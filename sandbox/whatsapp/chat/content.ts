import type { proto } from "baileys/WAProto/index.js";
import { proto as schema } from "baileys/WAProto/index.js";
import type { MediaKind } from "../media/cipher.ts";

type Message = proto.IMessage;

/** A message in words. */
export interface Summary {
  readonly kind: string;
  readonly text: string | null;
  readonly quotedId: string | null;
}

/** A file that a message points to. */
export interface FilePart {
  readonly kind: MediaKind;
  readonly part: {
    readonly mediaKey?: Uint8Array | null;
    readonly directPath?: string | null;
    readonly fileSha256?: Uint8Array | null;
    readonly mimetype?: string | null;
  };
}

/** Removes wrappers that only affect display: disappearing, view once, with a caption, motion photo. */
export function unwrap(message: Message): Message {
  const inner =
    message.ephemeralMessage?.message ??
    message.viewOnceMessage?.message ??
    message.viewOnceMessageV2?.message ??
    message.documentWithCaptionMessage?.message ??
    message.lottieStickerMessage?.message ??
    message.editedMessage?.message;
  return inner ? unwrap(inner) : message;
}

/** `text`, `image`, … and the words in it. */
export function summarize(message: Message): Summary {
  const plain = unwrap(message);
  const [kind, text] = describe(plain);
  return { kind, text, quotedId: contextOf(plain)?.stanzaId ?? null };
}

/** The file of a message, if it has one. */
export function fileOf(message: Message): FilePart | undefined {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage, stickerMessage } =
    unwrap(message);
  if (imageMessage) return { kind: "image", part: imageMessage };
  if (videoMessage) return { kind: "video", part: videoMessage };
  if (ptvMessage) return { kind: "video", part: ptvMessage };
  if (audioMessage) return { kind: "audio", part: audioMessage };
  if (documentMessage) return { kind: "document", part: documentMessage };
  if (stickerMessage) return { kind: "sticker", part: stickerMessage };
  return undefined;
}

/** As JSON: bytes in base64, long numbers as text. */
export function toJson(message: Message): unknown {
  return schema.Message.toObject(schema.Message.fromObject(message), { longs: String, bytes: String });
}

function describe(message: Message): [kind: string, text: string | null] {
  const described =
    describeText(message) ?? describeFile(message) ?? describeOther(message) ?? describeSystem(message);
  return described ?? [Object.keys(message).find((key) => key.endsWith("Message")) ?? "empty", null];
}

function describeText({ conversation, extendedTextMessage }: Message): [string, string | null] | undefined {
  if (typeof conversation === "string" && conversation !== "") return ["text", conversation];
  return extendedTextMessage ? ["text", extendedTextMessage.text ?? ""] : undefined;
}

function describeFile(message: Message): [string, string | null] | undefined {
  const { imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage, ptvMessage } = message;
  if (imageMessage) return ["image", imageMessage.caption ?? null];
  if (ptvMessage) return ["video_note", null];
  if (videoMessage) return [videoMessage.gifPlayback ? "gif" : "video", videoMessage.caption ?? null];
  if (audioMessage) return [audioMessage.ptt ? "voice" : "audio", null];
  if (documentMessage) return ["document", documentMessage.caption ?? null];
  return stickerMessage ? ["sticker", null] : undefined;
}

function describeOther(message: Message): [string, string | null] | undefined {
  const poll = message.pollCreationMessage ?? message.pollCreationMessageV2 ?? message.pollCreationMessageV3;
  if (poll) return ["poll", poll.name ?? null];
  if (message.contactMessage) return ["contact", message.contactMessage.displayName ?? null];
  if (message.contactsArrayMessage) return ["contacts", message.contactsArrayMessage.displayName ?? null];
  if (message.locationMessage) return ["location", message.locationMessage.name ?? null];
  if (message.liveLocationMessage) return ["live_location", message.liveLocationMessage.caption ?? null];
  return undefined;
}

function describeSystem(message: Message): [string, string | null] | undefined {
  if (message.reactionMessage) return ["reaction", message.reactionMessage.text ?? null];
  if (message.pollUpdateMessage) return ["poll_vote", null];
  const { protocolMessage } = message;
  if (!protocolMessage) return undefined;
  const { MESSAGE_EDIT, REVOKE } = schema.Message.ProtocolMessage.Type;
  if (protocolMessage.type === MESSAGE_EDIT)
    return ["edit", protocolMessage.editedMessage ? summarize(protocolMessage.editedMessage).text : null];
  return [protocolMessage.type === REVOKE ? "deletion" : "protocol", null];
}

function contextOf(message: Message): proto.IContextInfo | null | undefined {
  for (const part of Object.values(message) as unknown[])
    if (typeof part === "object" && part !== null && "contextInfo" in part)
      return part.contextInfo as proto.IContextInfo | null;
  return undefined;
}
