import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Hashes first, so that neither the length nor the first wrong character shows in the time. */
export function isSame(given: string | string[] | undefined, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return typeof given === "string" && timingSafeEqual(digest(given), digest(expected));
}

/**
 * Whether the signature is the HMAC of these bytes in hex, after `prefix`. Give the body as it came. Without a key
 * nothing is signed.
 */
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
