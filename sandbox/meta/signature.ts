import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * The headers that authenticate a callback: https://developers.facebook.com/docs/graph-api/webhooks/getting-started
 */
export function hubSignatures(secret: string, body: string): Record<string, string> {
  const sign = (algorithm: string) => createHmac(algorithm, secret).update(body).digest("hex");
  return { "X-Hub-Signature": `sha1=${sign("sha1")}`, "X-Hub-Signature-256": `sha256=${sign("sha256")}` };
}

/** `appsecret_proof`: https://developers.facebook.com/docs/graph-api/guides/secure-requests */
export function appSecretProof(secret: string, token: string): string {
  return createHmac("sha256", secret).update(token).digest("hex");
}

/** Compares secrets in constant time. */
export function isSameSecret(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
