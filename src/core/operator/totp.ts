import { createHmac, randomBytes } from "node:crypto";
import { isSame } from "../../platform/same.ts";

/** RFC 6238 with the parameters that authenticator apps expect: SHA-1, six digits, thirty seconds. */
const STEP_SECONDS = 30;
const DIGITS = 6;
const KEY_BYTES = 20;
/** Codes of the previous and the next step are accepted too: clocks differ, and typing takes time. */
const TOLERANCE = 1;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function newTotpKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** The code of a time step (RFC 4226, section 5.3). */
export function totpCode(key: Uint8Array, step: number, digits: number = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(step));
  const mac = createHmac("sha1", key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

export function totpStep(at: Date): number {
  return Math.floor(at.getTime() / 1000 / STEP_SECONDS);
}

/** The accepted time step with this code; null: there is none. */
export function matchTotp(key: Uint8Array, code: string, at: Date): number | null {
  const given = code.replaceAll(/\s/g, "");
  const now = totpStep(at);
  let found: number | null = null;
  for (let step = now - TOLERANCE; step <= now + TOLERANCE; step++) {
    if (isSame(given, totpCode(key, step))) found = step;
  }
  return found;
}

/** RFC 4648 without padding, the form in which authenticator apps accept a typed key. */
export function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((part) => ALPHABET[Number.parseInt(part.padEnd(5, "0"), 2)])
    .join("");
}

/** The URI in the QR code for an authenticator app. */
export function totpUri(key: Uint8Array, { issuer, login }: { issuer: string; login: string }): string {
  const label = [issuer, login].map(encodeURIComponent).join(":");
  return `otpauth://totp/${label}?secret=${base32(key)}&issuer=${encodeURIComponent(issuer)}`;
}
