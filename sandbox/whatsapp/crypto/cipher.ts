import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from "node:crypto";

const nothing = Buffer.alloc(0);

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  return hashOf("sha256", parts);
}

export function sha1(...parts: readonly Uint8Array[]): Buffer {
  return hashOf("sha1", parts);
}

function hashOf(algorithm: string, parts: readonly Uint8Array[]): Buffer {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const hmac = createHmac("sha256", key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** HKDF with SHA-256 (RFC 5869). */
export function hkdf(key: Uint8Array, bytes: number, options: { salt?: Uint8Array; info?: string }): Buffer {
  return Buffer.from(hkdfSync("sha256", key, options.salt ?? nothing, options.info ?? "", bytes));
}

/** The ciphertext followed by its tag of 16 bytes. */
export function sealGcm(
  key: Uint8Array,
  iv: Uint8Array,
  plain: Uint8Array,
  extra: Uint8Array = nothing,
): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  cipher.setAAD(extra);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The inverse of `sealGcm`; throws if a byte differs. */
export function openGcm(
  key: Uint8Array,
  iv: Uint8Array,
  sealed: Uint8Array,
  extra: Uint8Array = nothing,
): Buffer {
  if (sealed.length < 16) throw new Error("too short to be sealed");
  const decipher = createDecipheriv("aes-256-gcm", key, iv);
  decipher.setAAD(extra);
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
}

export function encryptCbc(key: Uint8Array, iv: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

export function decryptCbc(key: Uint8Array, iv: Uint8Array, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv("aes-256-cbc", key, iv);
  return Buffer.concat([decipher.update(sealed), decipher.final()]);
}

/** AES in counter mode is its own inverse. */
export function applyCtr(key: Uint8Array, iv: Uint8Array, bytes: Uint8Array): Buffer {
  const cipher = createCipheriv("aes-256-ctr", key, iv);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}
