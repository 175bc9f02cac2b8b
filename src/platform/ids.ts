import { createHash, randomBytes, randomUUID } from "node:crypto";

/**
 * A new uuid. It reads as version 4, as the interface promises, but begins with the Unix time in milliseconds
 * (48 bits), so that primary keys grow at one end; 74 bits are random.
 */
export function newId(): string {
  return timePrefix(Date.now()) + randomUUID().slice(TIME_LENGTH);
}

/** The first 12 digits of an id, and the dash between them. */
const TIME_LENGTH = 13;
let prefix = { ms: -1, text: "" };

function timePrefix(ms: number): string {
  if (prefix.ms !== ms) {
    const time = ms.toString(16).padStart(12, "0");
    prefix = { ms, text: `${time.slice(0, 8)}-${time.slice(8)}` };
  }
  return prefix.text;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text is a uuid, in capitals or not; the database would not take anything else for one. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** No id that is made at this time (Unix, milliseconds) or later is smaller. */
export function firstIdAt(ms: number): string {
  return `${timePrefix(Math.max(0, Math.min(Math.floor(ms), 2 ** 48 - 1)))}-0000-0000-000000000000`;
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

function formatUuid4(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
