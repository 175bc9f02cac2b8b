import type { InboundReply } from "../../core/transport/connector.ts";
import { isSame, isSigned } from "../kit/secret.ts";

/** Meta's signature header (page "Webhooks", "Validating payloads"); null if it is absent or malformed. */
export function signatureIn(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
  const signature = headers["x-hub-signature-256"];
  return typeof signature === "string" && /^sha256=[0-9a-f]{64}$/.test(signature) ? signature : null;
}

/** Whether an app with this secret signed the raw body. An empty secret never matches. */
export function isSignedBy(body: Uint8Array, signature: string, appSecret: string): boolean {
  return isSigned(body, signature, { key: appSecret, prefix: "sha256=" });
}

/** Answers Meta's verification request for a webhook URL (page "Webhooks", "Verification requests"). */
export function confirmAddress(query: URLSearchParams, verifyTokens: readonly string[]): InboundReply {
  const token = query.get("hub.verify_token") ?? "";
  const known = verifyTokens.filter((each) => each !== "");
  const isOurs = query.get("hub.mode") === "subscribe" && known.some((each) => isSame(token, each));
  return isOurs ? { status: 200, body: query.get("hub.challenge") ?? "" } : { status: 403 };
}
