import { hash, timingSafeEqual } from "node:crypto";

/**
 * Compares secrets in constant time. Compares their digests, so that neither the length nor the position of the first
 * difference leaks. False unless one text, or bytes, are given.
 */
export function isSame(
  given: string | readonly string[] | Uint8Array | undefined,
  expected: string | Uint8Array,
): boolean {
  const isOne = typeof given === "string" || given instanceof Uint8Array;
  return isOne && timingSafeEqual(digestOf(given), digestOf(expected));
}

function digestOf(secret: string | Uint8Array): Buffer {
  return hash("sha256", secret, "buffer");
}
