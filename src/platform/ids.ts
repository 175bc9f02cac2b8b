import { createHash, randomBytes, randomFillSync } from "node:crypto";

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

// Random bytes are drawn in bulk: one system call serves some hundred ids.
const pool = new Uint8Array(4096);
let used = pool.length;

/**
 * A new uuid. It reads as version 4, as the interface promises, but begins with the Unix time in milliseconds
 * (48 bits), so that primary keys grow at one end; 74 bits are random.
 */
export function newId(): string {
  const bytes = randomSlice(16);
  let time = Date.now();
  for (let index = 5; index >= 0; index--) {
    bytes[index] = time % 256;
    time = Math.floor(time / 256);
  }
  return formatUuid4(bytes);
}

/** No id that is made at this time (Unix, milliseconds) or later is smaller. */
export function firstIdAt(ms: number): string {
  const time = Math.max(0, Math.min(Math.floor(ms), 2 ** 48 - 1))
    .toString(16)
    .padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The same uuid for the same parts, always and everywhere; for what must be harmless to repeat. */
export function derivedId(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  // Lengths go in too: ("ab", "c") and ("a", "bc") are different.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return formatUuid4(hash.digest().subarray(0, 16));
}

/** An unguessable string of that many random bytes, in base64url. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString("base64url");
}

function randomSlice(length: number): Uint8Array {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return pool.slice(used - length, used);
}

function formatUuid4(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < 16; index++) {
    const byte = bytes[index] ?? 0;
    const marked = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte;
    if (index === 4 || index === 6 || index === 8 || index === 10) text += "-";
    text += HEX[marked];
  }
  return text;
}
