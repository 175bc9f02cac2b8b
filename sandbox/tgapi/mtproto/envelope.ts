import { randomBytes } from "node:crypto";
import type Long from "long";
import { sha256 } from "../crypto/hash.ts";
import { decryptIge, encryptIge, type IgeKey } from "../crypto/ige.ts";
import { TlReader } from "../tl/reader.ts";
import { currentSchema } from "../tl/schema.ts";
import { TlWriter } from "../tl/writer.ts";

/** A decrypted message (core.telegram.org/mtproto/description). */
export interface Envelope {
  readonly salt: Long;
  readonly sessionId: Long;
  readonly messageId: Long;
  readonly seqNo: number;
  readonly body: Buffer;
}

type Direction = "fromClient" | "fromServer";

/** The offset of the key's part for each direction. */
const offsets: Readonly<Record<Direction, number>> = { fromClient: 0, fromServer: 8 };
const headerBytes = 32;

/** Decrypts the data after the key's id: message key, then ciphertext. Throws if the message key is wrong. */
export function openEnvelope(key: Buffer, packet: Buffer): Envelope {
  const messageKey = packet.subarray(8, 24);
  const sealed = packet.subarray(24, 24 + Math.floor((packet.length - 24) / 16) * 16);
  const plain = decryptIge(sealed, igeKey(key, messageKey, "fromClient"));
  if (!messageKeyOf(key, plain, "fromClient").equals(messageKey)) throw new Error("a wrong message key");
  const reader = new TlReader(currentSchema, plain);
  const [salt, sessionId, messageId] = [reader.long(), reader.long(), reader.long()];
  const [seqNo, length] = [reader.int(), reader.int()];
  const padding = plain.length - headerBytes - length;
  if (length < 0 || length % 4 !== 0 || padding < 12 || padding > 1024) throw new Error("a wrong padding");
  return { salt, sessionId, messageId, seqNo, body: reader.raw(length) };
}

/** The packet for a message of the server. `spoil` makes the message key wrong. */
export function sealEnvelope(key: Buffer, keyId: string, message: Envelope, spoil = false): Buffer {
  const head = new TlWriter(currentSchema)
    .long(message.salt)
    .long(message.sessionId)
    .long(message.messageId)
    .int(message.seqNo)
    .int(message.body.length)
    .finish();
  const padding = 12 + ((16 - ((headerBytes + message.body.length + 12) % 16)) % 16);
  const plain = Buffer.concat([head, message.body, randomBytes(padding)]);
  const messageKey = messageKeyOf(key, plain, "fromServer");
  const sealed = encryptIge(plain, igeKey(key, messageKey, "fromServer"));
  if (spoil) sealed[0] = (sealed[0] ?? 0) ^ 1;
  return Buffer.concat([Buffer.from(keyId, "hex"), messageKey, sealed]);
}

/** The middle 128 bits of the SHA-256 of part of the key and the plaintext. */
function messageKeyOf(key: Buffer, plain: Uint8Array, direction: Direction): Buffer {
  const x = offsets[direction];
  return sha256(key.subarray(88 + x, 120 + x), plain).subarray(8, 24);
}

function igeKey(key: Buffer, messageKey: Uint8Array, direction: Direction): IgeKey {
  const x = offsets[direction];
  const a = sha256(messageKey, key.subarray(x, x + 36));
  const b = sha256(key.subarray(40 + x, 76 + x), messageKey);
  return {
    key: Buffer.concat([a.subarray(0, 8), b.subarray(8, 24), a.subarray(24, 32)]),
    iv: Buffer.concat([b.subarray(0, 8), a.subarray(8, 24), b.subarray(24, 32)]),
  };
}
