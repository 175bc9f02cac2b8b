import type { InboundReply, InboundRequest } from "../../../core/transport/connector.ts";
import { messageOf } from "../../../platform/message-of.ts";
import { isSame } from "../../../platform/same.ts";
import { readCall as readCallBody } from "../../kit/call-body.ts";
import { required } from "../../kit/json.ts";
import type { AvitoChannel } from "../channel.ts";
import { type AvitoClient, createClient, oneToken } from "../client.ts";
import { type ChatFacts, isOwn, toEvent, unknownIn } from "../inbound.ts";
import type { AvitoLink } from "../linking/tokens.ts";
import { findFacts } from "../people.ts";
import { notifySession } from "./live.ts";
import { type AvitoMessage, readCall, readSubscriptions } from "./update.ts";

/** State key: the webhook URL registered last. It is unsubscribed when the URL changes. */
const WEBHOOK_KEY = "hook";

/** Avito documents no signature for webhooks, so the URL itself contains the secret. */
export function webhookUrl({
  callbackUrl,
  callbackSecret,
}: Pick<AvitoLink, "callbackUrl" | "callbackSecret">) {
  return callbackUrl === null ? null : `${callbackUrl}/${callbackSecret}`;
}

/** Registers the webhook if it is missing (`POST /messenger/v3/webhook`, `/messenger/v1/subscriptions`). */
export async function keepWebhook({ link, client, signal }: AvitoChannel, url: string): Promise<void> {
  const known = readSubscriptions(await client.call("POST", "/messenger/v1/subscriptions", { signal }));
  const urls = (known?.subscriptions ?? []).map((each) => each.url);
  const former = await link.state.get(WEBHOOK_KEY);
  if (former !== null && former !== url && urls.includes(former))
    await client.call("POST", "/messenger/v1/webhook/unsubscribe", { body: { url: former }, signal });
  if (!urls.includes(url)) {
    if (former === url) link.log("warn", "Avito: the webhook was missing and has been registered again");
    await client.call("POST", "/messenger/v3/webhook", { body: { url }, signal });
  }
  if (former !== url) await link.state.set(WEBHOOK_KEY, url);
}

/** Unsubscribes the webhook of a deleted channel. The access token stays valid; the owner can revoke it on Avito. */
export async function removeWebhook({ link, client }: AvitoChannel, signal: AbortSignal): Promise<void> {
  const url = webhookUrl(link);
  if (url === null) return;
  try {
    await client.call("POST", "/messenger/v1/webhook/unsubscribe", { body: { url }, signal });
  } catch (error) {
    link.log("info", "Avito: the webhook could not be unsubscribed", { detail: messageOf(error) });
  }
}

/**
 * Receives one message by webhook. Avito does not retry a failed call; the session later finds the message in its
 * chat.
 */
export async function receive(request: InboundRequest, link: AvitoLink): Promise<InboundReply> {
  if (!isSame(request.path.replace(/^\//, ""), link.callbackSecret)) return { status: 404 };
  if (request.method !== "POST") return { status: 405 };
  const call = readCallBody(request.body);
  if ("reason" in call) {
    await link.deadLetter(call.text, call.reason);
    return { status: 200 };
  }
  const client = createClient(link, oneToken(link.credentials.access_token));
  return { status: (await deliver(call.json, link, client)) === "foreign" ? 403 : 200 };
}

/**
 * Emits the event of a webhook call, or stores a dead letter if it cannot be parsed. The account's own messages are
 * left to the session: only the session knows which messages it is currently sending. `foreign`: the call is about
 * another account, and has no effect.
 */
export async function deliver(
  raw: unknown,
  link: AvitoLink,
  client: AvitoClient,
): Promise<"foreign" | undefined> {
  const userId = link.credentials.user_id;
  const read = attempt(() => readOne(raw));
  if ("reason" in read) return void (await link.deadLetter(raw, read.reason));
  const { message, chatId } = read;
  if (message === null) return void (await link.reportUnknown(`payload.${read.type}`, raw));
  if (message.user_id !== undefined && message.user_id !== userId) {
    await link.reportUnknown("foreign.user_id", { user_id: message.user_id });
    return "foreign";
  }
  if (message.type !== "deleted" && isOwn(message, userId))
    return void notifySession(link.channelId, message);
  const facts = await findFacts(link, client, chatId);
  const about = facts.advert === undefined ? { ...facts, ...advertOf(message) } : facts;
  const event = toEvent(message, { chatId, userId, about, now: new Date() });
  if (event !== null) await link.emit(event);
  const unknown = unknownIn(message);
  if (event === null && unknown.length === 0) await link.reportUnknown("message.empty", raw);
  await Promise.all(unknown.map(({ kind, sample }) => link.reportUnknown(kind, sample)));
  return undefined;
}

/** The listing, if the chat could not be queried for it. */
function advertOf({ item_id: id }: AvitoMessage): Pick<ChatFacts, "advert"> {
  return id === undefined ? {} : { advert: { id } };
}

function readOne(raw: unknown) {
  const { type, message } = readCall(raw);
  if (message === null) return { type, message, chatId: "" };
  required(message.id, "payload.value.id");
  return { type, message, chatId: required(message.chat_id, "payload.value.chat_id") };
}

function attempt<T>(read: () => T): T | { readonly reason: string } {
  try {
    return read();
  } catch (error) {
    return { reason: messageOf(error) };
  }
}
