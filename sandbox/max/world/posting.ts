import { Novelty } from "../../trouble/novelty.ts";
import type { Attach } from "../attach/attach.ts";
import { opcode } from "../opcode.ts";
import { chatShape, messageShape, reactionShape } from "../shape.ts";
import type { Account, InboxItem, Session } from "./account.ts";
import type { Chat, Element, Link, Message } from "./chat.ts";
import type { World } from "./world.ts";

/** A message to write. */
export interface Draft {
  readonly sender: Account;
  readonly cid?: number | undefined;
  readonly text: string;
  readonly elements?: readonly Element[];
  readonly attaches?: readonly Attach[];
  readonly link?: Link | undefined;
  /** Unix milliseconds, default now; never before existing messages. */
  readonly time?: number | undefined;
}

/** The chat of an action, and the client that acts; undefined: the person's own phone. */
export interface Place {
  readonly world: World;
  readonly chat: Chat;
  readonly from?: Session | undefined;
}

/** Adds the message to the chat and notifies everyone in it, except the client that sent it. */
export function post(place: Place, draft: Draft): Message {
  const { world, chat } = place;
  const message = write(place, draft);
  const own = chat.participants.get(draft.sender.id);
  if (own) own.mark = message.time;
  tellMessage(place, message);
  world.changed();
  return message;
}

/** The same without notifications: clients find it in the history later. */
export function write({ world, chat }: Place, draft: Draft): Message {
  const time = Math.max(draft.time ?? world.nowMs(), (chat.messages.at(-1)?.time ?? 0) + 1);
  const message: Message = {
    id: world.newMessageId(time),
    time,
    sender: draft.sender.id,
    cid: draft.cid,
    text: draft.text,
    elements: draft.elements ?? [],
    attaches: draft.attaches ?? [],
    link: draft.link,
    status: undefined,
    updateTime: undefined,
    hiddenFor: new Set(),
    reactions: new Map(),
  };
  chat.add(message);
  chat.modifiedMs = time;
  return message;
}

function tellMessage(place: Place, message: Message): void {
  const { world, chat } = place;
  const event = message.status === "EDITED" ? "edit" : message.status === "REMOVED" ? "deletion" : "message";
  note(place, message.sender, { event, message });
  const prevMessageId = chat.messages.at(-2)?.id;
  const novelty = new Novelty(world.settings.novelty, chat.messages.length);
  const added = novelty.happens() ? { [`new_${novelty.number()}`]: { kind: "novelty" } } : {};
  if (novelty.happens()) tell(place, 1000 + novelty.number(), () => ({ chatId: chat.id, kind: "novelty" }));
  tell(place, opcode.notifMessage, (viewer) => ({
    chatId: chat.id,
    message: { ...messageShape(world, message, viewer), ...added },
    unread: chat.unread(viewer.id),
    mark: chat.participants.get(viewer.id)?.mark ?? 0,
    ...(prevMessageId !== undefined && event === "message" && { prevMessageId }),
    ttl: false,
  }));
}

/** Changes text and, where they are given, attachments. */
export function edit(
  place: Place,
  message: Message,
  change: { text: string; elements: readonly Element[]; attaches: readonly Attach[] | undefined },
): void {
  message.text = change.text;
  message.elements = change.elements;
  message.attaches = change.attaches ?? message.attaches;
  message.status = "EDITED";
  touch(place, message);
  tellMessage(place, message);
}

/** Deletes messages for everyone. */
export function remove(place: Place, messages: readonly Message[]): void {
  const { world, chat } = place;
  for (const message of messages) {
    message.status = "REMOVED";
    touch(place, message);
    if (world.settings.deletions === "removed") tellMessage(place, message);
    else note(place, message.sender, { event: "deletion", message });
  }
  if (world.settings.deletions === "removed") return;
  const messageIds = messages.map(({ id }) => id);
  tell(place, opcode.notifMsgDelete, () => ({ chatId: chat.id, messageIds, ttl: false }));
}

function touch({ world, chat }: Place, message: Message): void {
  message.updateTime = world.nowMs();
  chat.modifiedMs = Math.max(world.nowMs(), chat.modifiedMs + 1);
  world.changed();
}

/** `emoji` undefined removes the reaction. */
export function react(
  place: Place,
  message: Message,
  by: { account: Account; emoji: string | undefined },
): void {
  const { chat, world } = place;
  if (by.emoji === undefined) message.reactions.delete(by.account.id);
  else message.reactions.set(by.account.id, by.emoji);
  note(place, by.account.id, { event: "reaction", message, text: by.emoji ?? null });
  const where = { chatId: chat.id, messageId: message.id };
  // Others get the counts alone; the person's own devices another push, with their reaction.
  const { yourReaction: _own, ...counts } = reactionShape(message, by.account) as Readonly<
    Record<string, unknown>
  >;
  tell(place, opcode.notifReactions, (viewer) =>
    viewer.id === by.account.id ? undefined : { ...where, ...counts },
  );
  tell(place, opcode.notifYouReacted, (viewer) =>
    viewer.id === by.account.id ? { ...where, ...(reactionShape(message, viewer) as object) } : undefined,
  );
  world.changed();
}

/** This person has read up to `mark`. */
export function read(place: Place, account: Account, mark: number): void {
  const { chat, world } = place;
  const own = chat.participants.get(account.id);
  if (!own) return;
  own.mark = Math.max(own.mark, Math.min(mark, world.nowMs()));
  note(place, account.id, { event: "read" });
  tell(place, opcode.notifMark, () => ({
    chatId: chat.id,
    userId: account.id,
    mark: own.mark,
    unread: chat.unread(account.id),
    setAsUnread: false,
  }));
  world.changed();
}

/** Reported to clients that have subscribed to the chat. `type`: `TEXT`, `AUDIO`, `FILE`, … */
export function type(place: Place, account: Account, kind: string): void {
  const { chat, world } = place;
  note(place, account.id, { event: "typing" });
  const payload = { chatId: chat.id, userId: account.id, type: kind };
  tell(place, opcode.notifTyping, (viewer, session) => {
    const isDue = !world.settings.typingNeedsSubscription || isSubscribed(world, session, chat.id);
    return viewer.id !== account.id && isDue ? payload : undefined;
  });
}

function isSubscribed(world: World, session: Session, chatId: number): boolean {
  return (session.subscriptions.get(chatId) ?? 0) > world.nowMs();
}

/** Reported to everyone who has a dialogue with this person. */
export function tellPresence(world: World, account: Account, isOnline: boolean): void {
  const presence = { seen: Math.floor(world.nowMs() / 1000), ...(isOnline && { status: 1 }) };
  const own = account.sessions;
  for (const chat of world.chatsOf(account))
    if (chat.type === "DIALOG")
      tell({ world, chat }, opcode.notifPresence, (_, session) =>
        own.get(session.number) === session ? undefined : { userId: account.id, presence },
      );
}

/** Reports a new title, members or rights. `also`: people who are no longer in the group. */
export function tellChat(place: Place, also: readonly Account[] = []): void {
  const { chat, world } = place;
  chat.modifiedMs = Math.max(world.nowMs(), chat.modifiedMs + 1);
  tell(place, opcode.notifChat, (viewer) => ({ chat: chatShape(world, chat, viewer) }), also);
  world.changed();
}

/** Sends a push to every connected client of everyone in the chat, except the one that acted. */
function tell(
  { world, chat, from }: Place,
  operation: number,
  payloadFor: (viewer: Account, session: Session) => unknown,
  also: readonly Account[] = [],
): void {
  const members = [...chat.participants.keys()].flatMap((id) => world.accounts.get(id) ?? []);
  for (const viewer of [...members, ...also])
    for (const session of viewer.sessions.values()) {
      if (!session.connection || (session === from && !world.settings.echoOwn)) continue;
      const payload = payloadFor(viewer, session);
      if (payload !== undefined) session.connection.push(operation, payload);
    }
}

/** Shows it to everyone in the chat except the person who acted. */
function note(
  { world, chat }: Place,
  by: number,
  { event, message, text }: { event: string; message?: Message; text?: string | null },
): void {
  const item: InboxItem = {
    at: world.stamp(),
    event,
    chat_id: String(chat.id),
    message_id: message === undefined ? null : String(message.id),
    from: world.accounts.get(by)?.phone ?? "",
    kind: message ? kindOf(message) : null,
    text: text ?? message?.text ?? null,
  };
  for (const id of chat.participants.keys()) if (id !== by) world.accounts.get(id)?.inbox.append({ ...item });
}

/** `text`, or the kind of its first attachment. */
export function kindOf({ attaches }: Message): string {
  return attaches[0]?.type.toLowerCase() ?? "text";
}
