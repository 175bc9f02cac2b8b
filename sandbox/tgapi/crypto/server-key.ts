import { constants, createPrivateKey, createPublicKey, privateDecrypt } from "node:crypto";
import Long from "long";
import { currentSchema } from "../tl/schema.ts";
import { TlWriter } from "../tl/writer.ts";
import { fixtureKeyPem } from "./fixture-key.ts";
import { sha1, sha256, xor } from "./hash.ts";
import { decryptIge } from "./ige.ts";

/** The key with which clients encrypt their part of the key exchange. */
const privateKey = createPrivateKey(fixtureKeyPem);

/** PEM in PKCS #1 form, as clients expect it. */
export const serverPublicKeyPem = createPublicKey(privateKey)
  .export({ type: "pkcs1", format: "pem" })
  .toString();

/** The low 64 bits of the SHA-1 of modulus and exponent (core.telegram.org/mtproto/auth_key). */
export const serverKeyFingerprint: Long = fingerprint();

/** Data that a client encrypted for the server. */
interface OpenedRsa {
  /** The data, followed by padding. */
  readonly data: Buffer;
  /** With the older padding: the SHA-1 of the data without padding. */
  readonly hash: Buffer | undefined;
}

/** The content of an `encrypted_data` of 256 bytes; undefined if neither padding is valid. */
export function openRsa(encrypted: Uint8Array): OpenedRsa | undefined {
  if (encrypted.length !== 256) return undefined;
  const padded = decryptRaw(encrypted);
  return padded && (openRsaPad(padded) ?? openSha1Padding(padded));
}

function decryptRaw(encrypted: Uint8Array): Buffer | undefined {
  try {
    return privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, encrypted);
  } catch {
    return undefined;
  }
}

/** RSA_PAD: 32 bytes of masked key, then 192 reversed bytes of data and their hash under AES-256-IGE. */
function openRsaPad(padded: Buffer): OpenedRsa | undefined {
  const sealed = padded.subarray(32);
  const key = xor(padded.subarray(0, 32), sha256(sealed));
  const open = decryptIge(sealed, { key, iv: Buffer.alloc(32) });
  const data = Buffer.from(open.subarray(0, 192)).reverse();
  return sha256(key, data).equals(open.subarray(192)) ? { data, hash: undefined } : undefined;
}

/** Before 2021: a zero byte, the SHA-1 of the data, the data, random bytes. */
function openSha1Padding(padded: Buffer): OpenedRsa | undefined {
  return padded[0] === 0 ? { data: padded.subarray(21), hash: padded.subarray(1, 21) } : undefined;
}

function fingerprint(): Long {
  const { n = "", e = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const writer = new TlWriter(currentSchema);
  for (const part of [n, e]) writer.bytes(Buffer.from(part, "base64url"));
  return Long.fromBytesLE([...sha1(writer.finish()).subarray(12)]);
}
