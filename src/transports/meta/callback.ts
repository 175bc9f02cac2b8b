import type { InboundReply } from "../../core/transport/connector.ts";
import { isSame, isSigned } from "../kit/secret.ts";

/** The header that Meta signs its calls in (page "Webhooks", "Validating payloads"); null where it has another form. */
export function signatureIn(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
  const signature = headers["x-hub-signature-256"];
  return typeof signature === "string" && /^sha256=[0-9a-f]{64}$/.test(signature) ? signature : null;
}

/** Whether an app with this secret signed the body, over the bytes as they came; without a secret nothing is trusted. */
export function isSignedBy(body: Uint8Array, signature: string, appSecret: string): boolean {
  return isSigned(body, signature, { key: appSecret, prefix: "sha256=" });
}

/** Meta asks whether the address is ours before it calls it (page "Webhooks", "Verification requests"). */
export function confirmAddress(query: URLSearchParams, verifyTokens: readonly string[]): InboundReply {
  const token = query.get("hub.verify_token") ?? "";
  const known = verifyTokens.filter((each) => each !== "");
  const isOurs = query.get("hub.mode") === "subscribe" && known.some((each) => isSame(token, each));
  return isOurs ? { status: 200, body: query.get("hub.challenge") ?? "" } : { status: 403 };
}
