import { createCipheriv, createDecipheriv } from "node:crypto";

const block = 16;

/** Key and initialization vector of AES-256-IGE, 32 bytes each. */
export interface IgeKey {
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
}

/**
 * Encrypts whole blocks with AES-256-IGE. With y(i) = c(i) ^ p(i-1), the mode is CBC over p(i) ^ p(i-2), so one call
 * of the native cipher suffices.
 */
export function encryptIge(plain: Uint8Array, { key, iv }: IgeKey): Buffer {
  const cipher = createCipheriv("aes-256-cbc", key, iv.subarray(0, block)).setAutoPadding(false);
  const before = Buffer.concat([Buffer.alloc(block), iv.subarray(block), plain]);
  const input = Buffer.from(plain);
  for (let at = 0; at < input.length; at++) input[at] = byte(input, at) ^ byte(before, at);
  const out = cipher.update(input);
  for (let at = 0; at < out.length; at++) out[at] = byte(out, at) ^ byte(before, at + block);
  return out;
}

/** Decrypts whole blocks of AES-256-IGE. Each block depends on the previous one, so the cipher is called for each. */
export function decryptIge(sealed: Uint8Array, { key, iv }: IgeKey): Buffer {
  const cipher = createDecipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  const out = Buffer.alloc(sealed.length);
  const input = Buffer.alloc(block);
  for (let at = 0; at < sealed.length; at += block) {
    for (let i = 0; i < block; i++)
      input[i] = byte(sealed, at + i) ^ (at === 0 ? byte(iv, block + i) : byte(out, at - block + i));
    const open = cipher.update(input);
    for (let i = 0; i < block; i++)
      out[at + i] = byte(open, i) ^ (at === 0 ? byte(iv, i) : byte(sealed, at - block + i));
  }
  return out;
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}
