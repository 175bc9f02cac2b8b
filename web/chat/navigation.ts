import { signal } from "@preact/signals";
import { known, settleChat } from "./list/chats.ts";
import type { Recipient } from "./list/recipient.ts";
import type { Chat } from "./model.ts";
import { announceChat } from "./parent.ts";
import { ask } from "./session.ts";
import { enter, threadOf } from "./thread/thread.ts";

/** What is shown beside the list: a chat, or a person without one. */
export type Place =
  | { readonly kind: "chat"; readonly id: string }
  | {
      readonly kind: "new";
      readonly key: string;
      readonly to: Recipient;
      readonly transport: string;
      readonly name: string;
    };

export const place = signal<Place | null>(null);
export const showsDetails = signal(false);
export const showsHelp = signal(false);

/** Opens a chat, optionally at a message. */
export async function openChat(id: string, messageId?: string): Promise<void> {
  const chat = known.value.get(id);
  const thread = threadOf(id);
  place.value = { kind: "chat", id };
  await enter(thread, chat?.unread ?? 0, messageId);
  // The employee may have moved on by now.
  if (place.value?.kind !== "chat" || place.value.id !== id) return;
  if (chat !== undefined) announceChat(chat);
  await markRead(known.value.get(id));
}

/** Chats that were unread here; that they were read is shown to their people when the newest message is visible. */
export const unshown = new Set<string>();

/** Marks a chat as seen by the employee; only while the page is visible. */
export async function markRead(chat: Chat | undefined): Promise<void> {
  if (
    chat === undefined ||
    (chat.unread === 0 && !chat.marked_unread) ||
    document.visibilityState !== "visible"
  )
    return;
  if (chat.unread > 0) unshown.add(chat.id);
  await settleChat(chat.id, ask("markRead", { path: { id: chat.id }, body: {} }));
}

/** Opens the form of a new chat. */
export function openNew(to: Recipient, transport: string, name: string): void {
  const key = `new ${to.channel_id} ${to.phone ?? to.username ?? to.messenger_chat_id ?? ""}`;
  place.value = { kind: "new", key, to, transport, name };
}

/** Whether this place is shown: our id of a chat, or the key of a new one. */
export function isShown(of: string): boolean {
  return place.value !== null && (place.value.kind === "new" ? place.value.key : place.value.id) === of;
}

/** Returns to the list. */
export function leave(): void {
  place.value = null;
  showsDetails.value = false;
}
