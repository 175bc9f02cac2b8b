import { createHash } from "node:crypto";

export function sha1(...parts: readonly Uint8Array[]): Buffer {
  return digest("sha1", parts);
}

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  return digest("sha256", parts);
}

export function md5(...parts: readonly Uint8Array[]): Buffer {
  return digest("md5", parts);
}

export function xor(one: Uint8Array, other: Uint8Array): Buffer {
  return Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)));
}

function digest(algorithm: string, parts: readonly Uint8Array[]): Buffer {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
}
