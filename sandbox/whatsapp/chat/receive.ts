import { proto } from "baileys/WAProto/index.js";
import type { Person } from "../person/person.ts";
import type { World } from "../world.ts";
import { summarize, toJson, unwrap } from "./content.ts";
import type { Conversation, StoredMessage } from "./conversation.ts";
import type { InboxItem } from "./inbox-item.ts";

/** A message that was decrypted on a phone. */
export interface Incoming {
  readonly id: string;
  readonly from: Person;
  readonly device: number;
  /** The conversation on this phone: a phone number or a group's id. */
  readonly chat: string;
  readonly message: proto.IMessage;
  readonly encryption: InboxItem["encryption"];
}

/** How long a message can be edited. */
const editWindowMs = 15 * 60 * 1000;

type Effect = Pick<InboxItem, "problem" | "duplicate" | "target_id">;

/**
 * Processes a message on a phone: shows it, edits or deletes another, or ignores it. Recorded in the inbox, unless it
 * was written on this phone.
 */
export function receive(world: World, person: Person, incoming: Incoming): InboxItem {
  const { kind, text, quotedId } = summarize(incoming.message);
  const effect = take(world, person.chat(incoming.chat), incoming);
  world.changed();
  const item: InboxItem = {
    at: world.stamp(),
    message_id: incoming.id,
    from: incoming.from.phone,
    device: incoming.device,
    chat: incoming.chat,
    kind,
    text,
    quoted_id: quotedId,
    encryption: incoming.encryption,
    message: toJson(incoming.message),
    ...effect,
  };
  const isOwn = incoming.from === person && incoming.device === 0;
  return isOwn ? item : person.inbox.append(item);
}

/** A text that the phone could not decrypt. */
export function noteUnreadable(
  world: World,
  person: Person,
  incoming: Omit<Incoming, "message"> & { readonly problem: string },
): void {
  const { id, from, device, chat, encryption, problem } = incoming;
  person.inbox.append({
    at: world.stamp(),
    message_id: id,
    from: from.phone,
    device,
    chat,
    kind: "unreadable",
    text: null,
    target_id: null,
    quoted_id: null,
    encryption,
    duplicate: false,
    problem,
    message: null,
  });
}

function take(world: World, chat: Conversation, incoming: Incoming): Effect {
  const message = unwrap(incoming.message);
  const { protocolMessage, reactionMessage } = message;
  if (protocolMessage) return takeProtocol(world, chat, { ...incoming, message });
  if (reactionMessage) return react(chat, incoming, reactionMessage);
  const { kind, text } = summarize(message);
  const isNew = chat.put({
    id: incoming.id,
    from: incoming.from.phone,
    atMs: world.nowMs(),
    kind,
    text: text ?? "",
    edited: false,
    deleted: false,
    reactions: new Map(),
    readBy: new Set(),
    content: message,
  });
  return { target_id: null, duplicate: !isNew, problem: null };
}

function takeProtocol(world: World, chat: Conversation, incoming: Incoming): Effect {
  const { type, key, editedMessage } = incoming.message.protocolMessage ?? {};
  const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
  if (type !== MESSAGE_EDIT && type !== REVOKE) return { target_id: null, duplicate: false, problem: null };
  const id = key?.id ?? "";
  const target = chat.get(id);
  const problem = whyUnchangeable(world, incoming, { target, isEdit: type === MESSAGE_EDIT });
  if (target && problem === null) {
    if (type === REVOKE) target.deleted = true;
    else edit(target, editedMessage ?? {});
  }
  return { target_id: id, duplicate: false, problem };
}

function whyUnchangeable(
  world: World,
  { from, chat }: Incoming,
  { target, isEdit }: { target: StoredMessage | undefined; isEdit: boolean },
): string | null {
  if (!target) return "there is no such message";
  const isAdmin = world.groups.get(chat)?.members.get(from.phone) !== undefined;
  if (target.from !== from.phone && (isEdit || !isAdmin)) return "the message is somebody else's";
  if (target.deleted) return "the message was deleted";
  if (isEdit && world.nowMs() - target.atMs > editWindowMs) return "the message is older than 15 minutes";
  return null;
}

function edit(target: StoredMessage, edited: proto.IMessage): void {
  target.text = summarize(edited).text ?? "";
  target.edited = true;
}

function react(chat: Conversation, { from }: Incoming, reaction: proto.Message.IReactionMessage): Effect {
  const id = reaction.key?.id ?? "";
  const target = chat.get(id);
  if (!target) return { target_id: id, duplicate: false, problem: "there is no such message" };
  if (reaction.text) target.reactions.set(from.phone, reaction.text);
  else target.reactions.delete(from.phone);
  return { target_id: id, duplicate: false, problem: null };
}
