import type { OutboundMessage, SentMessage } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import { type Json, textIn } from "../../kit/json.ts";
import { GraphRefusal } from "../../meta/error.ts";
import { graphOf, type InstagramLink, nodeOf } from "../access.ts";
import { type Recipient, toPayload, toReply } from "../outbound.ts";
import { commentOf, igsidOf } from "../people.ts";
import { trackSend } from "./own-sends.ts";

const WINDOW_MS = 7 * 24 * 60 * 60 * 1000;

/** Throws `GraphRefusal` or `TransportError`. */
export async function sendMessage(
  link: InstagramLink,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SentMessage> {
  const { quoted } = message;
  if (quoted?.postId !== undefined) return replyPublicly(link, message, quoted.externalId, signal);
  const chatId = message.to.chatId ?? "";
  const igsid = await igsidOf(link, chatId);
  if (igsid === null)
    throw new TransportError(
      "CHATID_IGSID_MISMATCH",
      "No person with this username has written to the account",
    );
  const recipient = await recipientOf(link, message, igsid);
  const body = toPayload(message, recipient);
  return trackSend(link, igsid, async () => {
    const answer = await post(link, quotingIn(body, message, recipient), signal);
    return { chatId, externalId: idIn(answer, "message_id", message), sentAt: new Date() };
  });
}

/** A person who has only commented is addressed through the newest comment: once per comment, within seven days. */
async function recipientOf(
  link: InstagramLink,
  { quietMs = Number.POSITIVE_INFINITY }: OutboundMessage,
  igsid: string,
): Promise<Recipient> {
  const comment = quietMs <= WINDOW_MS ? null : await commentOf(link, igsid);
  return comment === null ? { id: igsid } : { comment_id: comment };
}

interface Bodies {
  readonly plain: object;
  readonly quoting: object | null;
}

function quotingIn(plain: object, { quoted }: OutboundMessage, recipient: Recipient): Bodies {
  const isPossible = quoted !== undefined && "id" in recipient;
  return { plain, quoting: isPossible ? { ...plain, reply_to: { mid: quoted.externalId } } : null };
}

/** Meta documents quotes only for Messenger. If Instagram rejects the quote, the message is sent without it. */
async function post(link: InstagramLink, { plain, quoting }: Bodies, signal: AbortSignal): Promise<Json> {
  const path = `${nodeOf(link)}/messages`;
  if (quoting !== null) {
    try {
      return await graphOf(link).call("POST", path, { body: quoting, signal });
    } catch (error) {
      if (!isQuoteRefusal(error)) throw error;
    }
  }
  return graphOf(link).call("POST", path, { body: plain, signal });
}

function isQuoteRefusal(error: unknown): boolean {
  return (
    error instanceof GraphRefusal && error.error.code === 100 && error.error.message.includes("reply_to")
  );
}

async function replyPublicly(
  link: InstagramLink,
  message: OutboundMessage,
  commentId: string,
  signal: AbortSignal,
): Promise<SentMessage> {
  const path = `${encodeURIComponent(commentId)}/replies`;
  const answer = await withUnknownOutcome(() =>
    graphOf(link).call("POST", path, { body: toReply(message), signal }),
  );
  return { chatId: message.to.chatId ?? "", externalId: idIn(answer, "id", message), sentAt: new Date() };
}

/** A repeated public reply is visible, so unlike other calls it must not be retried when the outcome is unknown. */
async function withUnknownOutcome<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TransportError) || error.retry !== "later") throw error;
    throw new TransportError(error.code, error.message, {
      retry: "unknown",
      data: error.data,
      cause: error.cause,
    });
  }
}

/** Instagram accepted the message even if the response has no id. */
function idIn(answer: Json, key: string, { id }: OutboundMessage): string {
  return textIn(answer, key) ?? `unnamed:${id}`;
}
