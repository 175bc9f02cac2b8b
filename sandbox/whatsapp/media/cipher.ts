import { randomBytes } from "node:crypto";
import { decryptCbc, encryptCbc, hkdf, hmacSha256, sha256 } from "../crypto/cipher.ts";

/** Each kind of file has its own key derivation. */
const keyInfo = {
  image: "WhatsApp Image Keys",
  sticker: "WhatsApp Image Keys",
  video: "WhatsApp Video Keys",
  audio: "WhatsApp Audio Keys",
  document: "WhatsApp Document Keys",
  history: "WhatsApp History Keys",
} as const;

export type MediaKind = keyof typeof keyInfo;

/** A file in stored form, and the fields that its message needs for decryption. */
export interface SealedMedia {
  readonly sealed: Buffer;
  readonly mediaKey: Buffer;
  readonly fileSha256: Buffer;
  readonly fileEncSha256: Buffer;
}

const macBytes = 10;

export function sealMedia(kind: MediaKind, plain: Uint8Array): SealedMedia {
  const mediaKey = randomBytes(32);
  const { iv, cipherKey, macKey } = keysOf(kind, mediaKey);
  const ciphertext = encryptCbc(cipherKey, iv, plain);
  const mac = hmacSha256(macKey, iv, ciphertext).subarray(0, macBytes);
  const sealed = Buffer.concat([ciphertext, mac]);
  return { sealed, mediaKey, fileSha256: sha256(plain), fileEncSha256: sha256(sealed) };
}

/** The plain file; throws if a byte of the file, its MAC or its hashes is wrong. */
export function openMedia(
  kind: MediaKind,
  media: { readonly sealed: Buffer; readonly mediaKey: Uint8Array; readonly fileSha256: Uint8Array },
): Buffer {
  const { iv, cipherKey, macKey } = keysOf(kind, media.mediaKey);
  const ciphertext = media.sealed.subarray(0, -macBytes);
  const mac = hmacSha256(macKey, iv, ciphertext).subarray(0, macBytes);
  if (!mac.equals(media.sealed.subarray(-macBytes))) throw new Error("bad MAC of a file");
  const plain = decryptCbc(cipherKey, iv, ciphertext);
  if (!sha256(plain).equals(Buffer.from(media.fileSha256))) throw new Error("the hash of a file differs");
  return plain;
}

function keysOf(kind: MediaKind, mediaKey: Uint8Array) {
  const keys = hkdf(mediaKey, 112, { info: keyInfo[kind] });
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) };
}
