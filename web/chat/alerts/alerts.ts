import { signal } from "@preact/signals";
import { unreadCount } from "../list/chats.ts";
import type { Chat, WireMessage } from "../model.ts";
import { isShown } from "../navigation.ts";
import { notifications } from "../preference.ts";
import { words } from "../texts/texts.ts";

/** Older messages are reported after a gap, and nobody waits for their sound. */
const FRESH_MS = 60_000;

/** Whether the employee is asked if the browser may show messages. */
export const asksNotifications = signal(false);

/** Shows the number of unread messages in the page's title. Call it as an effect, once the texts are loaded. */
export function showUnread(): void {
  const { title } = words.value;
  document.title = unreadCount.value === 0 ? title : `(${unreadCount.value}) ${title}`;
}

/** Tells the employee of a message of the stream, unless it is in view. */
export function alertOf(message: WireMessage, chat: Chat): void {
  const isFresh = Date.now() - Date.parse(message.at) < FRESH_MS;
  if (message.direction !== "in" || message.is_history === true || !isFresh) return;
  const isLookedAt = document.visibilityState === "visible" && document.hasFocus();
  if (isLookedAt && isShown(chat.id)) return;
  // The employee has missed a message: now the question makes sense.
  if (!isLookedAt && mayAsk()) asksNotifications.value = true;
  import("./ring.ts").then(({ ring }) => ring(message, chat, isLookedAt)).catch(() => undefined);
}

/** In frames of other sites, browsers refuse without a question. */
function mayAsk(): boolean {
  return notifications.value === null && "Notification" in window && Notification.permission === "default";
}
