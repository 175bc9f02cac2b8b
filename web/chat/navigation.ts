import { signal } from "@preact/signals";
import { known, settleChat } from "./chats.ts";
import { moveDraft } from "./compose.ts";
import type { Chat } from "./model.ts";
import { announceChat } from "./parent.ts";
import type { Recipient } from "./recipient.ts";
import { ask } from "./session.ts";
import { enter, threadOf } from "./thread.ts";

/** What the page shows beside the list: a chat, or somebody to whom nothing was sent yet. */
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

/** Opens a chat, and a message of it. */
export async function openChat(id: string, messageId?: string): Promise<void> {
  const chat = known.value.get(id);
  const thread = threadOf(id);
  place.value = { kind: "chat", id };
  await enter(thread, chat?.unread ?? 0, messageId);
  // The employee may be elsewhere by now.
  if (place.value?.kind !== "chat" || place.value.id !== id) return;
  if (chat !== undefined) announceChat(chat);
  await markRead(known.value.get(id));
}

/** Says that the employee has seen a chat; only while the page is in sight. */
export async function markRead(chat: Chat | undefined): Promise<void> {
  if (chat === undefined || chat.unread === 0 || document.visibilityState !== "visible") return;
  await settleChat(chat.id, ask("markRead", { path: { id: chat.id }, body: {} }));
}

/** Opens the place of a new chat. */
export function openNew(to: Recipient, transport: string, name: string): void {
  const key = `new ${to.channel_id} ${to.phone ?? to.username ?? to.messenger_chat_id ?? ""}`;
  place.value = { kind: "new", key, to, transport, name };
}

/** The chat has come to be by the first message; what was typed meanwhile goes on there. */
export function settleNew(key: string, chat: Chat): void {
  moveDraft(key, chat.id);
  if (place.value?.kind === "new" && place.value.key === key) void openChat(chat.id);
}

/** Back to the list. */
export function leave(): void {
  place.value = null;
  showsDetails.value = false;
}
