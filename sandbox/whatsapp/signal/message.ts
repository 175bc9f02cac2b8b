import { timingSafeEqual } from "node:crypto";
import { decryptCbc, encryptCbc, hmacSha256 } from "../crypto/cipher.ts";
import { bareKey, typedKey } from "../crypto/x25519.ts";
import type { MessageKeys } from "./chain.ts";
import { encodeFields, FieldReader } from "./fields.ts";

/** Version 3, in both halves: used and highest supported. */
export const versionByte = Buffer.of(0x33);
const macBytes = 8;

/** A message of the double ratchet ("msg"). Public keys are 32 bytes here, 33 on the wire. */
export interface RatchetMessage {
  readonly ratchetKey: Buffer;
  readonly counter: number;
  readonly previousCounter: number;
  readonly ciphertext: Buffer;
  /** Version and fields, as the authentication code covers them. */
  readonly signed: Buffer;
  readonly mac: Buffer;
}

/** The first messages of a session ("pkmsg"): the keys of the agreement, and the message itself. */
export interface PreKeyMessage {
  readonly registrationId: number;
  readonly preKeyId: number | undefined;
  readonly signedPreKeyId: number;
  readonly baseKey: Buffer;
  readonly identityKey: Buffer;
  readonly message: RatchetMessage;
}

interface Parties {
  readonly keys: MessageKeys;
  readonly sender: Buffer;
  readonly receiver: Buffer;
}

export function sealMessage(
  head: Pick<RatchetMessage, "ratchetKey" | "counter" | "previousCounter">,
  { plain, ...parties }: Parties & { readonly plain: Uint8Array },
): Buffer {
  const ciphertext = encryptCbc(parties.keys.cipher, parties.keys.iv, plain);
  const fields = encodeFields([
    [1, typedKey(head.ratchetKey)],
    [2, head.counter],
    [3, head.previousCounter],
    [4, ciphertext],
  ]);
  const signed = Buffer.concat([versionByte, fields]);
  return Buffer.concat([signed, macOf(signed, parties)]);
}

/** The plain text; throws if the MAC does not match these keys and parties. */
export function openMessage(message: RatchetMessage, parties: Parties): Buffer {
  if (!timingSafeEqual(macOf(message.signed, parties), message.mac)) throw new Error("bad MAC");
  return decryptCbc(parties.keys.cipher, parties.keys.iv, message.ciphertext);
}

export function parseMessage(wire: Uint8Array): RatchetMessage {
  const bytes = checkVersion(wire);
  if (bytes.length <= macBytes + 1) throw new Error("the message is too short");
  const signed = bytes.subarray(0, -macBytes);
  const fields = new FieldReader(signed.subarray(1));
  return {
    ratchetKey: bareKey(fields.bytes(1)),
    counter: fields.number(2) ?? 0,
    previousCounter: fields.number(3) ?? 0,
    ciphertext: fields.bytes(4),
    signed,
    mac: bytes.subarray(-macBytes),
  };
}

export function encodePreKeyMessage(head: Omit<PreKeyMessage, "message">, message: Buffer): Buffer {
  const fields = encodeFields([
    ...(head.preKeyId === undefined ? [] : [[1, head.preKeyId] as const]),
    [2, typedKey(head.baseKey)],
    [3, typedKey(head.identityKey)],
    [4, message],
    [5, head.registrationId],
    [6, head.signedPreKeyId],
  ]);
  return Buffer.concat([versionByte, fields]);
}

export function parsePreKeyMessage(wire: Uint8Array): PreKeyMessage {
  const fields = new FieldReader(checkVersion(wire).subarray(1));
  return {
    registrationId: fields.number(5) ?? 0,
    preKeyId: fields.number(1),
    signedPreKeyId: fields.number(6) ?? 0,
    baseKey: bareKey(fields.bytes(2)),
    identityKey: bareKey(fields.bytes(3)),
    message: parseMessage(fields.bytes(4)),
  };
}

/** Throws for a version other than 3. */
export function checkVersion(wire: Uint8Array): Buffer {
  const bytes = Buffer.from(wire);
  if (bytes[0] !== versionByte[0]) throw new Error(`version byte ${bytes[0]}`);
  return bytes;
}

function macOf(signed: Buffer, { keys, sender, receiver }: Parties): Buffer {
  return hmacSha256(keys.mac, typedKey(sender), typedKey(receiver), signed).subarray(0, macBytes);
}
