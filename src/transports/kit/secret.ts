import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Compares digests in constant time, so that neither the length nor the position of the first difference leaks. */
export function isSame(given: string | string[] | undefined, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return typeof given === "string" && timingSafeEqual(digest(given), digest(expected));
}

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
