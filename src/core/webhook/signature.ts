import { createHmac } from "node:crypto";

/** Headers of the Standard Webhooks specification (version v1, HMAC-SHA256 over "id.timestamp.body"). */
export function signatureHeaders(
  secret: Uint8Array,
  deliveryId: string,
  at: Date,
  body: string,
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const mac = createHmac("sha256", secret).update(`${deliveryId}.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": deliveryId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${mac}`,
  };
}

/** The secret as receivers' libraries take it. */
export function printableSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString("base64")}`;
}
