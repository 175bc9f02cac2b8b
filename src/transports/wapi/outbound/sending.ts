import type { MarkedChat, OutboundMessage, SentMessage } from "../../../core/transport/connector.ts";
import type { ChatMark } from "../../../core/transport/definition.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { MessageRef } from "../../../core/transport/events.ts";
import { type Json, objectsIn, textIn } from "../../kit/json.ts";
import { GraphRefusal } from "../../meta/error.ts";
import type { Graph } from "../../meta/graph.ts";
import type { WapiLink } from "../linking/access.ts";
import { type MediaPart, toPayload, toRecipient } from "../outbound.ts";
import { chooseForm, mayPassLink, uploadType } from "./media.ts";

interface Sending {
  readonly graph: Graph;
  readonly link: WapiLink;
  readonly signal: AbortSignal;
}

/**
 * Sends a message. A file is sent by URL if Meta can fetch it; otherwise, or after Meta refuses the URL, it is
 * uploaded. Throws `GraphRefusal` or `TransportError`.
 */
export async function sendMessage(sending: Sending, message: OutboundMessage): Promise<SentMessage> {
  const { content } = message;
  // Validates the message before anything is uploaded.
  toPayload(message, { media: mediaByLink(message), listLabel: listLabelOf(sending) });
  if (content.type !== "file") return post(sending, message, null);
  if (mayPassLink(content.file)) {
    try {
      return await post(sending, message, mediaByLink(message));
    } catch (error) {
      if (!isLinkRefusal(error)) throw error;
    }
  }
  return post(sending, message, await upload(sending, message));
}

function mediaByLink({ content }: OutboundMessage): MediaPart | null {
  if (content.type !== "file") return null;
  return { form: chooseForm(content.file), source: { link: content.file.url } };
}

async function upload(
  { graph, link, signal }: Sending,
  { content }: OutboundMessage,
): Promise<MediaPart | null> {
  if (content.type !== "file") return null;
  const file = { ...content.file, mimeType: uploadType(content.file) };
  const fields = { messaging_product: "whatsapp", type: file.mimeType };
  const path = `${link.credentials.phone_number_id}/media`;
  const answer = await graph.call("POST", path, { upload: { fields, file }, signal });
  const id = textIn(answer, "id");
  if (id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "WhatsApp returned an unreadable response", { retry: "later" });
  return { form: chooseForm(content.file), source: { id } };
}

async function post(
  sending: Sending,
  message: OutboundMessage,
  media: MediaPart | null,
): Promise<SentMessage> {
  const { graph, link, signal } = sending;
  const body = toPayload(message, { media, listLabel: listLabelOf(sending) });
  const path = `${link.credentials.phone_number_id}/messages`;
  const answer = await graph.call("POST", path, { body, signal });
  const externalId = textIn(objectsIn(answer, "messages")[0], "id");
  if (externalId === undefined && !isAnswerToSend(answer))
    throw new TransportError("UNKNOWN_ERROR", "WhatsApp returned an unreadable response", {
      retry: "unknown",
    });
  const given = message.to.chatId ?? "";
  const chatId = "to" in body ? (textIn(objectsIn(answer, "contacts")[0], "wa_id") ?? given) : given;
  // Statuses also name the message by our id.
  return { chatId, externalId: externalId ?? `unnamed:${message.id}`, sentAt: new Date() };
}

/** An empty emoji removes the reaction (page "Reaction messages"). */
export async function reactToMessage(
  { graph, link, signal }: Sending,
  { chatId, externalId }: MessageRef,
  emoji: string | null,
): Promise<void> {
  const body = {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...toRecipient(chatId),
    type: "reaction",
    reaction: { message_id: externalId, emoji: emoji ?? "" },
  };
  await graph.call("POST", `${link.credentials.phone_number_id}/messages`, { body, signal });
}

/**
 * Pages "Mark messages as read" and "Typing indicators": both name the newest message of the person, which marks all
 * earlier ones as read too; typing is shown for 25 seconds. Without a message there is nothing to mark.
 */
export async function markChat(
  { graph, link, signal }: Sending,
  { messages: [newest] }: Pick<MarkedChat, "messages">,
  mark: ChatMark,
): Promise<void> {
  if (newest === undefined) return;
  const body = {
    messaging_product: "whatsapp",
    status: "read",
    message_id: newest.externalId,
    ...(mark === "typing" && { typing_indicator: { type: "text" } }),
  };
  await graph.call("POST", `${link.credentials.phone_number_id}/messages`, { body, signal });
}

/** Meta accepted the message, although its id is missing. */
function isAnswerToSend(answer: Json): boolean {
  return ["messaging_product", "messages", "contacts"].some((key) => answer[key] != null);
}

function listLabelOf({ link }: Sending): string {
  return link.settings.listLabel;
}

/** Meta could not fetch or process the linked file; uploading it may succeed. */
function isLinkRefusal(error: unknown): boolean {
  return error instanceof GraphRefusal && [131052, 131053].includes(error.error.code);
}
