import { createHash } from "node:crypto";

/**
 * The id under which a message of ours leaves, the same at every attempt: WhatsApp and the phones that get it know a
 * repetition by it. In the form of WhatsApp Web's own ids, `3EB0` and 18 hex digits.
 */
export function messageIdOf(...parts: readonly string[]): string {
  const digest = createHash("sha256").update(parts.join("\0")).digest("hex");
  return `3EB0${digest.slice(0, 18).toUpperCase()}`;
}
