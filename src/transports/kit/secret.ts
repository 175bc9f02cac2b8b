import { createHmac } from "node:crypto";
import { isSame } from "../../platform/same.ts";

/** Whether the signature is the hex HMAC of the raw body, after `prefix`. An empty key never matches. */
export function isSigned(
  body: Uint8Array,
  signature: string | string[] | undefined,
  {
    key,
    prefix = "",
    hash = "sha256",
  }: { readonly key: string; readonly prefix?: string; readonly hash?: string },
): boolean {
  return key !== "" && isSame(signature, prefix + createHmac(hash, key).update(body).digest("hex"));
}

/** Members that are looked at from either end of the body: a messenger sends one. */
const MAX_MEMBERS = 4;
/** How far after its name a member's value may end. */
const MAX_MEMBER = 200;

/**
 * Whether a member of this name in the JSON body has the secret as its value, for messengers that send it inside the
 * body. Nothing is parsed, because the caller is not verified yet and a body of 4 MB may be costly to parse; text within
 * strings is not taken for a member. The caller must compare the parsed value as well, because the member may be at any
 * depth.
 */
export function holdsSecret(body: Uint8Array, name: string, secret: string): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const key = `"${name}"`;
  const places = new Set<number>();
  for (let at = bytes.indexOf(key); at >= 0 && places.size < MAX_MEMBERS; at = bytes.indexOf(key, at + 1))
    places.add(at);
  let at = bytes.length;
  for (let count = 0; count < MAX_MEMBERS && at > 0; count++) {
    at = bytes.lastIndexOf(key, at - 1);
    if (at < 0) break;
    places.add(at);
  }
  return [...places].some((place) => isSame(valueAt(bytes, place + key.length), secret));
}

function valueAt(bytes: Buffer, start: number): string | undefined {
  return /^\s*:\s*"([^"\\]*)"/.exec(bytes.toString("latin1", start, start + MAX_MEMBER))?.[1];
}
