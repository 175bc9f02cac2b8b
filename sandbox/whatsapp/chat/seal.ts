import { randomInt } from "node:crypto";
import { proto } from "baileys/WAProto/index.js";
import { Novelty } from "../../trouble/novelty.ts";
import { takeBundle } from "../person/bundle.ts";
import type { Companion, Person } from "../person/person.ts";
import { type Node, node } from "../wire/node.ts";
import type { World } from "../world.ts";

/** Encodes and pads a message: 1 to 16 bytes, each with their number. `more`: fields that the schema lacks. */
export function encodeMessage(message: proto.IMessage, more: Uint8Array = new Uint8Array()): Buffer {
  const size = randomInt(1, 17);
  return Buffer.concat([proto.Message.encode(message).finish(), more, Buffer.alloc(size, size)]);
}

/** A field of two bytes that no client knows yet, with a number from 200. */
function newField(world: World): Uint8Array {
  const novelty = new Novelty(world.settings.novelty, world.sealed++);
  if (!novelty.happens()) return new Uint8Array();
  const tag = ((200 + (novelty.number() % 100)) << 3) | 2;
  return Uint8Array.of((tag & 127) | 128, tag >> 7, 2, 8, 1);
}

/** The inverse of `encodeMessage`; throws if the padding is invalid. */
export function decodeMessage(padded: Buffer): proto.Message {
  const size = padded.at(-1) ?? 0;
  if (size < 1 || size > 16 || size > padded.length) throw new Error("bad padding");
  return proto.Message.decode(padded.subarray(0, -size));
}

/** Options of an encrypted part of a stanza. */
export interface SealOptions {
  /** The number of this attempt, after the device requested a retry. */
  readonly count?: number | undefined;
  /** Corrupts it, so that the device cannot decrypt it. */
  readonly corrupt?: boolean | undefined;
}

/** Encrypts a phone's message for a linked device; starts a session if there is none. */
export function sealFor(
  world: World,
  { from, to, message }: { from: Person; to: Companion; message: proto.IMessage },
  options: SealOptions = {},
): Node {
  if (!from.device.hasSession(to.address)) from.device.begin(to.address, takeBundle(world, to));
  const { type, ciphertext } = from.device.encrypt(to.address, encodeMessage(message, newField(world)));
  world.changed();
  return encNode(type, ciphertext, message, options);
}

export function encNode(
  type: string,
  ciphertext: Buffer,
  message: proto.IMessage,
  { count, corrupt }: SealOptions = {},
): Node {
  if (corrupt) spoil(ciphertext);
  const attributes = {
    v: "2",
    type,
    mediatype: mediaTypeOf(message),
    count: count === undefined ? undefined : String(count),
    "decrypt-fail": isAboutAnother(message) ? "hide" : undefined,
  };
  return node("enc", attributes, ciphertext);
}

function isAboutAnother(message: proto.IMessage): boolean {
  return (message.reactionMessage ?? message.protocolMessage ?? message.secretEncryptedMessage) != null;
}

/** Ten bytes before the end is data that every form authenticates: MAC, ciphertext or signature. */
function spoil(ciphertext: Buffer): void {
  const at = ciphertext.length - 10;
  ciphertext[at] = (ciphertext[at] ?? 0) ^ 1;
}

/** `text`, `media`, `poll` or `reaction`, as in stanzas. */
export function stanzaTypeOf(message: proto.IMessage): string {
  if (message.reactionMessage) return "reaction";
  if (message.pollCreationMessage ?? message.pollCreationMessageV2 ?? message.pollCreationMessageV3)
    return "poll";
  return mediaTypeOf(message) === undefined ? "text" : "media";
}

function mediaTypeOf(message: proto.IMessage): string | undefined {
  if (message.imageMessage) return "image";
  if (message.videoMessage) return message.videoMessage.gifPlayback ? "gif" : "video";
  if (message.ptvMessage) return "ptv";
  if (message.audioMessage) return message.audioMessage.ptt ? "ptt" : "audio";
  if (message.documentMessage ?? message.documentWithCaptionMessage) return "document";
  if (message.stickerMessage ?? message.lottieStickerMessage) return "sticker";
  if (message.contactMessage) return "vcard";
  if (message.contactsArrayMessage) return "contact_array";
  return message.liveLocationMessage ? "livelocation" : undefined;
}
