import { createHmac, timingSafeEqual } from "node:crypto";

/** How old a webhook may be: longer, and it may be one that somebody recorded. */
const MAX_AGE_SECONDS = 300;

export interface SignedWebhook {
  readonly headers: Readonly<Record<string, unknown>>;
  /** As received, byte by byte. */
  readonly body: Buffer;
}

/** Whether a webhook is signed with this secret, after Standard Webhooks. Pure but for the clock. */
export function isGenuine(secret: string, { headers, body }: SignedWebhook): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (key.length === 0 || !(age <= MAX_AGE_SECONDS)) return false;
  const expected = createHmac("sha256", key)
    .update(`${String(id)}.${String(timestamp)}.`)
    .update(body)
    .digest();
  return String(signatures)
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .map((each) => Buffer.from(each.slice("v1,".length), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
