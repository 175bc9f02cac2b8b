import { createHmac } from "node:crypto";
import type { InboundRequest } from "../../core/transport/connector.ts";

/** A webhook request signed as Meta signs it. */
export function signedBy(appSecret: string, body: unknown): InboundRequest {
  const bytes = Buffer.from(JSON.stringify(body));
  const signature = createHmac("sha256", appSecret).update(bytes).digest("hex");
  return {
    method: "POST",
    path: "",
    query: new URLSearchParams(),
    headers: { "x-hub-signature-256": `sha256=${signature}` },
    body: bytes,
  };
}
