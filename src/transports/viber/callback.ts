import type { InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import type { TransportEvent } from "../../core/transport/events.ts";
import { messageOf } from "../../platform/message-of.ts";
import { parseLossless, TooManyValues } from "../kit/lossless-json.ts";
import { isSigned } from "../kit/secret.ts";
import type { ViberLink } from "./account.ts";
import { toEvents } from "./inbound.ts";
import { toWelcome } from "./outbound.ts";
import { readUpdate, type ViberUpdate } from "./update.ts";

/** Of one callback; Viber's have some thirty. Whoever knows the token could sign more. */
const MAX_VALUES = 5_000;

/** The callback that Viber has signed with the bot's token, unread, or what to answer to anybody else. */
export function openCall(
  request: InboundRequest,
  token: string,
): { readonly raw: unknown } | { readonly refusal: InboundReply } {
  if (request.method !== "POST") return { refusal: { status: 405 } };
  const signature = request.headers["x-viber-content-signature"];
  if (!isSigned(request.body, signature, { key: token })) return { refusal: { status: 401 } };
  const words = new TextDecoder().decode(request.body);
  try {
    return { raw: parseLossless(words, MAX_VALUES) };
  } catch (error) {
    // What is no JSON is kept as the text that it is.
    return error instanceof TooManyValues ? { refusal: { status: 413 } } : { raw: words };
  }
}

/** Takes one callback of a channel's own bot. Anything but 200 makes Viber repeat it, for an hour. */
export async function receive(request: InboundRequest, link: ViberLink): Promise<InboundReply> {
  const call = openCall(request, link.credentials.viber_token ?? "");
  if ("refusal" in call) return call.refusal;
  const update = await deliver(call.raw, link);
  const { welcome, name = "" } = link.credentials;
  return update?.event === "conversation_started" ? answerStart(welcome, name) : { status: 200 };
}

/** The answer to `conversation_started` is the one message that a person may get before they write. */
export function answerStart(text: string | undefined, senderName: string): InboundReply {
  if (text === undefined) return { status: 200 };
  return { status: 200, body: JSON.stringify(toWelcome(text, senderName)), contentType: "application/json" };
}

/**
 * Emits what a callback tells; one that cannot be read becomes a dead letter, and null is answered. Resolves when all is
 * stored; rejects when it is not.
 */
export async function deliver(raw: unknown, link: ViberLink): Promise<ViberUpdate | null> {
  const read = tryRead(raw);
  if ("reason" in read) {
    await link.deadLetter(raw, read.reason);
    return null;
  }
  await Promise.all(read.events.map((event) => link.emit(event)));
  if (read.update.event === "unsubscribed")
    link.log("info", "Viber: a person does not want the bot's messages any more", {
      chatId: read.update.user_id,
    });
  return read.update;
}

type ReadCall =
  | { readonly update: ViberUpdate; readonly events: readonly TransportEvent[] }
  | { readonly reason: string };

function tryRead(raw: unknown): ReadCall {
  try {
    const update = readUpdate(raw);
    return { update, events: toEvents(update, new Date()) };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}
