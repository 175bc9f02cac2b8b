import { createHash } from "node:crypto";

/**
 * The id of a message of ours, the same at every attempt: WhatsApp and the receiving phones deduplicate by it. It has
 * the format of WhatsApp Web's ids: `3EB0` and 18 hex digits.
 */
export function messageIdOf(...parts: readonly string[]): string {
  const digest = createHash("sha256").update(parts.join("\0")).digest("hex");
  return `3EB0${digest.slice(0, 18).toUpperCase()}`;
}
