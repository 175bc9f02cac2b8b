import type {
  Contact,
  InboundMessage,
  MessageBody,
  MessageRef,
  TransportEvent,
} from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { parsed, required } from "../kit/json.ts";
import { referralFrom, startText } from "../kit/referral.ts";
import { toBodies } from "./body.ts";
import { reactedBy } from "./reactions.ts";
import type { VkEvent, VkMessage, VkPerson } from "./update.ts";

/** The event types to subscribe to (dev.vk.com, "Community events"). */
export const EVENT_TYPES = [
  "message_new",
  "message_reply",
  "message_edit",
  "message_read",
  "message_event",
  "message_reaction_event",
  "message_allow",
  "message_deny",
  "message_typing_state",
] as const;

/** Group chats have ids above this (dev.vk.com, "peer_id"). */
export const CHAT_OFFSET = 2_000_000_000;

export interface InboundContext {
  readonly now: Date;
  readonly personOf: (userId: string) => VkPerson | undefined;
  /** The title of a group chat; "" if it is unknown. */
  readonly titleOf: (peerId: string) => string;
}

/** Maps an event, in order. Unknown types map to nothing. Throws `Unreadable`. */
export function toEvents(event: VkEvent, context: InboundContext): TransportEvent[] {
  switch (event.type) {
    case "message_new":
      return fromMessage(event.message, "in", context);
    case "message_reply":
      return isFromPerson(event.message) ? fromMessage(event.message, "echo", context) : [];
    case "message_edit":
      return fromEdited(event.message, context);
    case "message_read":
      return fromRead(event, context);
    case "message_typing_state":
      return fromTyping(event);
    case "message_event":
      return fromPress(event, context);
    case "message_reaction_event":
      return reactedBy(event, context);
    default:
      return [];
  }
}

/**
 * Whether a person wrote the message on VK's own page. VK also reports messages sent by the API, which carry the
 * sender's `random_id` and must be ignored.
 */
function isFromPerson({ admin_author_id, random_id = 0 }: VkMessage): boolean {
  return admin_author_id !== undefined || random_id === 0;
}

/** The new title of a group chat, if the message tells one (dev.vk.com, "Message object", `action`). */
export function newTitleOf({ action, peer_id }: VkMessage): string | undefined {
  const isRenamed = action?.type === "chat_title_update" && peer_id !== undefined && isGroupChat(peer_id);
  return isRenamed ? action.text : undefined;
}

function renamed(message: VkMessage, ref: MessageRef, { now, personOf }: InboundContext): TransportEvent[] {
  const title = newTitleOf(message);
  if (title === undefined) return [];
  const id = message.from_id;
  const by = id === undefined ? {} : { by: { id, name: contactOf(personOf(id)).name || id } };
  return [{ kind: "group", ref, at: dateFromUnix(message.date, now), ...by, title }];
}

export function isGroupChat(peerId: string): boolean {
  return Number(peerId) > CHAT_OFFSET;
}

/** Maps several attachments to one message each; all but the first have derived ids. */
export function fromMessage(
  message: VkMessage,
  direction: "in" | "echo",
  context: InboundContext,
): TransportEvent[] {
  const ref = refOf(message);
  // A service message about the conversation ("joined", "renamed").
  if (message.action) return renamed(message, ref, context);
  const quoted = quotedOf(message);
  const pressed = pressedOf(message);
  const common = {
    ...ref,
    direction,
    sentAt: dateFromUnix(message.date, context.now),
    ...peopleOf(ref.chatId, message.from_id, context),
  };
  const referral = referralFrom("link", { ref: message.ref, sourceId: message.ref_source });
  return bodiesOf(message, pressed, direction).map((body, index) => ({
    kind: "message",
    message: {
      ...common,
      externalId: partId(ref, index),
      body,
      ...(index === 0 && quoted && { quoted }),
      ...(index === 0 && referral),
      ...(index === 0 && direction === "in" && pressed && { pressed }),
    },
  }));
}

/** What stands for a message without words: the link that opened the chat, or the button that was pressed. */
function bodiesOf(
  message: VkMessage,
  pressed: InboundMessage["pressed"],
  direction: "in" | "echo",
): readonly MessageBody[] {
  const bodies = toBodies(message);
  if (bodies.length > 0 || direction === "echo") return bodies;
  if (message.ref !== undefined) return [{ type: "text", text: startText(message.ref) }];
  return pressed?.payload === undefined ? [] : [{ type: "text", text: pressed.payload }];
}

function partId({ externalId }: MessageRef, index: number): string {
  return index === 0 ? externalId : `${externalId}#${index + 1}`;
}

/** `conversation_message_id` is unique per conversation; `id` is 0 in group chats. */
function refOf({ peer_id, conversation_message_id }: VkMessage): MessageRef {
  return {
    chatType: "vk",
    chatId: required(peer_id, "peer_id"),
    externalId: required(conversation_message_id, "conversation_message_id"),
  };
}

function fromEdited(message: VkMessage, context: InboundContext): TransportEvent[] {
  const ref = refOf(message);
  const isOurs = message.out === 1 || message.from_id?.startsWith("-");
  // VK also reports our own edits.
  if (message.action || (isOurs && message.admin_author_id === undefined)) return [];
  const at = dateFromUnix(message.update_time ?? message.date, context.now);
  const edits = toBodies(message).map(
    (body, index): TransportEvent => ({
      kind: "edited",
      ref: { ...ref, externalId: partId(ref, index) },
      body,
      at,
    }),
  );
  // A file that the edit adds is a message that is not stored yet.
  const [, ...others] = fromMessage(message, isOurs ? "echo" : "in", context);
  return [...others, ...edits];
}

function fromRead({ object }: VkEvent, { now }: InboundContext): TransportEvent[] {
  const chatId = required(object.peer_id ?? object.from_id, "peer_id");
  const externalId = required(object.conversation_message_id, "conversation_message_id");
  return [{ kind: "readUpTo", chatType: "vk", chatId, upTo: { externalId }, at: now }];
}

/** VK repeats it while the person goes on (dev.vk.com, `message_typing_state`). */
function fromTyping({ object: { from_id: chatId, state } }: VkEvent): TransportEvent[] {
  return state === "typing" && chatId !== undefined && /^[1-9]\d*$/.test(chatId)
    ? [{ kind: "typing", chatType: "vk", chatId, seconds: 10 }]
    : [];
}

/** The press of a `callback` button, which another program may have sent. */
function fromPress({ object, payload }: VkEvent, context: InboundContext): TransportEvent[] {
  const chatId = required(object.peer_id, "peer_id");
  const text = payloadData(payload) ?? "";
  const quotedId = object.conversation_message_id;
  return [
    {
      kind: "message",
      message: {
        chatType: "vk",
        chatId,
        externalId: `press:${required(object.event_id, "event_id")}`,
        direction: "in",
        sentAt: context.now,
        ...peopleOf(chatId, object.user_id, context),
        body: { type: "text", text },
        pressed: { text, payload: text },
        ...(quotedId !== undefined && { quoted: { externalId: quotedId } }),
      },
    },
  ];
}

/**
 * The press of a `text` button arrives as a message with the button's JSON payload. Our payloads have the text under
 * `data`.
 */
function pressedOf({ payload, text = "" }: VkMessage): InboundMessage["pressed"] {
  const data = payloadData(payload);
  return data === undefined ? undefined : { text, payload: data };
}

/** A payload is JSON, or its text; a text that is not an object's is its own data. */
function payloadData(payload: unknown): string | undefined {
  const value = typeof payload === "string" ? (parsed(payload) ?? payload) : payload;
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return typeof payload === "string" ? payload : undefined;
  return "data" in value && typeof value.data === "string" ? value.data : JSON.stringify(value);
}

function peopleOf(
  peerId: string,
  fromId: string | undefined,
  { personOf, titleOf }: InboundContext,
): Pick<InboundMessage, "contact" | "sender"> {
  if (!isGroupChat(peerId)) return { contact: contactOf(personOf(peerId)) };
  const sender =
    fromId === undefined ? {} : { sender: { id: fromId, name: contactOf(personOf(fromId)).name || fromId } };
  return { contact: { name: titleOf(peerId) }, ...sender };
}

/** Without a name if none could be fetched, so that the stored name stays. */
function contactOf(person: VkPerson = {}): Contact {
  const { first_name, last_name, screen_name, photo_200 } = person;
  const name = [first_name, last_name].filter((part) => part !== undefined).join(" ");
  return {
    name: name || screen_name || "",
    ...(screen_name !== undefined && { username: screen_name }),
    ...(photo_200 !== undefined && { avatar: { token: photo_200 } }),
  };
}

function quotedOf({ reply_message }: VkMessage): InboundMessage["quoted"] {
  if (reply_message?.conversation_message_id === undefined) return undefined;
  const [body] = toBodies(reply_message);
  return { externalId: reply_message.conversation_message_id, ...(body && { body }) };
}
