import type { AppChannel, AppLink, ChannelLink, InboundReply } from "../../core/transport/connector.ts";
import { isSame } from "../../platform/same.ts";
import { isSigned } from "../kit/secret.ts";

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

const NAMED_ID = /"(phone_number_id|waba_id|id)"\s*:\s*"?(\d{1,32})/g;
/**
 * Meta puts the id of the business first, and that of its number soon after. A hostile body may contain a million
 * ids.
 */
const MAX_NAMED = 50;
const MAX_MATCHES = 200;

/** The ids in the text of a call that is not parsed: it may be megabytes of hostile JSON. */
export function idsNamedIn(text: string): { messengerIds: string[]; businessIds: string[] } {
  const [messengerIds, businessIds] = [new Set<string>(), new Set<string>()];
  for (const [, key, id = ""] of text.matchAll(NAMED_ID).take(MAX_MATCHES)) {
    (key === "phone_number_id" ? messengerIds : businessIds).add(id);
    if (messengerIds.size + businessIds.size === MAX_NAMED) break;
  }
  return { messengerIds: [...messengerIds], businessIds: [...businessIds] };
}

/**
 * The response to a signed call that cannot be handled: it is kept as a dead letter of the first of these channels, and
 * acknowledged, because Meta would repeat it for days. Without a channel, Meta keeps it.
 */
export async function keepCall<Link extends Pick<ChannelLink, "deadLetter">>(
  { text, reason }: { readonly text: string; readonly reason: string },
  [channel]: readonly AppChannel<Link>[],
  app: Pick<AppLink<Link>, "mayTake">,
): Promise<InboundReply> {
  if (channel === undefined) return { status: 400 };
  if (!app.mayTake(channel)) return { status: 429 };
  await channel.link.deadLetter(text, reason);
  return { status: 200 };
}
