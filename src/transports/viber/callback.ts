import type { InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import type { TransportEvent } from "../../core/transport/events.ts";
import { messageOf } from "../../platform/message-of.ts";
import { type CallBody, readCall } from "../kit/call-body.ts";
import { emitAll } from "../kit/emit-all.ts";
import { isSigned } from "../kit/secret.ts";
import type { ViberLink } from "./account.ts";
import { toEvents, unknownIn } from "./inbound.ts";
import { toWelcome } from "./outbound.ts";
import { readUpdate, type ViberUpdate } from "./update.ts";

/** Limit of values per callback; Viber's have about thirty. Anyone who knows the token could sign larger ones. */
const MAX_VALUES = 5_000;

/** The body of a callback that is signed with the bot's token; otherwise the response for the caller. */
export function openCall(
  request: InboundRequest,
  token: string,
): CallBody | { readonly refusal: InboundReply } {
  if (request.method !== "POST") return { refusal: { status: 405 } };
  const signature = request.headers["x-viber-content-signature"];
  if (!isSigned(request.body, signature, { key: token })) return { refusal: { status: 401 } };
  return readCall(request.body, { maxValues: MAX_VALUES });
}

/** Receives one callback of a channel's own bot. Viber retries a call that is not answered with 200, for an hour. */
export async function receive(request: InboundRequest, link: ViberLink): Promise<InboundReply> {
  const call = openCall(request, link.credentials.viber_token ?? "");
  if ("refusal" in call) return call.refusal;
  if ("reason" in call) {
    await link.deadLetter(call.text, call.reason);
    return { status: 200 };
  }
  const update = await deliver(call.json, link);
  const { welcome, name = "" } = link.credentials;
  return update?.event === "conversation_started" ? answerStart(welcome, name) : { status: 200 };
}

/** The response to `conversation_started` is the only message that can be sent to a person before they write. */
export function answerStart(text: string | undefined, senderName: string): InboundReply {
  if (text === undefined) return { status: 200 };
  return { status: 200, body: JSON.stringify(toWelcome(text, senderName)), contentType: "application/json" };
}

/**
 * Emits the events of a callback. A callback that cannot be parsed becomes a dead letter, and null is returned.
 * Resolves when all events are stored; rejects if one is not.
 */
export async function deliver(raw: unknown, link: ViberLink): Promise<ViberUpdate | null> {
  const read = tryRead(raw, link);
  if ("reason" in read) {
    await link.deadLetter(raw, read.reason);
    return null;
  }
  await emitAll(link, read.events, raw);
  for (const kind of unknownIn(read.update)) await link.reportUnknown(kind, raw);
  if (read.update.event === "unsubscribed")
    link.log("info", "Viber: a person unsubscribed from the bot", {
      chatId: read.update.user_id,
    });
  return read.update;
}

type ReadCall =
  | { readonly update: ViberUpdate; readonly events: readonly TransportEvent[] }
  | { readonly reason: string };

function tryRead(raw: unknown, { settings }: Pick<ViberLink, "settings">): ReadCall {
  try {
    const update = readUpdate(raw);
    return { update, events: toEvents(update, { now: new Date(), apiUrl: settings.apiUrl }) };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}
