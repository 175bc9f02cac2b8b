import { createHmac, createSecretKey } from "node:crypto";

/**
 * Headers of the Standard Webhooks specification (version v1, HMAC-SHA256 over "id.timestamp.body"), with a
 * signature by each of the secrets.
 */
export function signatureHeaders(
  secrets: readonly Uint8Array[],
  deliveryId: string,
  at: Date,
  body: string | Uint8Array,
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const signatures = secrets.map((secret) =>
    createHmac("sha256", createSecretKey(secret))
      .update(`${deliveryId}.${timestamp}.`)
      .update(body)
      .digest("base64"),
  );
  return {
    "webhook-id": deliveryId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.map((signature) => `v1,${signature}`).join(" "),
  };
}

/** The secret in the format of receivers' libraries. */
export function printableSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString("base64")}`;
}
