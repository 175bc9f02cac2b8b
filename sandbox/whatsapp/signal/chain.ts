import { decryptCbc, encryptCbc, hkdf, hmacSha256 } from "../crypto/cipher.ts";

const noSalt = Buffer.alloc(32);
/** How far a peer may be ahead, as in Signal's libraries. */
const maxAhead = 2000;

/** A symmetric chain of the double ratchet: the key of the next message, and its number. */
export interface Chain {
  readonly key: Buffer;
  readonly next: number;
}

/** The keys of one message. */
export interface MessageKeys {
  readonly cipher: Buffer;
  readonly mac: Buffer;
  readonly iv: Buffer;
}

/** The seed of the chain's next message, and the chain after it. */
export function stepChain(chain: Chain): { readonly seed: Buffer; readonly chain: Chain } {
  return {
    seed: hmacSha256(chain.key, Buffer.of(1)),
    chain: { key: hmacSha256(chain.key, Buffer.of(2)), next: chain.next + 1 },
  };
}

/** Steps until `next` is `until`; the skipped seeds are kept for late messages. */
export function skipTo(chain: Chain, until: number): { chain: Chain; skipped: Map<number, Buffer> } {
  if (until - chain.next > maxAhead) throw new Error(`over ${maxAhead} messages ahead`);
  const skipped = new Map<number, Buffer>();
  let current = chain;
  while (current.next < until) {
    const step = stepChain(current);
    skipped.set(current.next, step.seed);
    current = step.chain;
  }
  return { chain: current, skipped };
}

export function messageKeys(seed: Buffer): MessageKeys {
  const keys = hkdf(seed, 80, { salt: noSalt, info: "WhisperMessageKeys" });
  return { cipher: keys.subarray(0, 32), mac: keys.subarray(32, 64), iv: keys.subarray(64) };
}

/** Encrypts a message in a group (sender keys) with its seed. */
export function encryptGroupText(seed: Buffer, plain: Uint8Array): Buffer {
  const { iv, key } = groupKeys(seed);
  return encryptCbc(key, iv, plain);
}

/** The inverse of `encryptGroupText`. */
export function decryptGroupText(seed: Buffer, sealed: Uint8Array): Buffer {
  const { iv, key } = groupKeys(seed);
  return decryptCbc(key, iv, sealed);
}

function groupKeys(seed: Buffer): { iv: Buffer; key: Buffer } {
  const keys = hkdf(seed, 48, { salt: noSalt, info: "WhisperGroup" });
  return { iv: keys.subarray(0, 16), key: keys.subarray(16) };
}
