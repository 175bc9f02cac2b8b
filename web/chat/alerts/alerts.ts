import { signal } from "@preact/signals";
import { unreadCount } from "../list/chats.ts";
import type { Chat, Item } from "../model.ts";
import { words } from "../texts/texts.ts";

/** Whether the employee is asked if the browser may show messages. */
export const asksNotifications = signal(false);

/** Shows the number of unread messages in the page's title. Call it as an effect, once the texts are loaded. */
export function showUnread(): void {
  const { title } = words.value;
  document.title = unreadCount.value === 0 ? title : `(${unreadCount.value}) ${title}`;
}

/** Tells the employee of what the stream brings, if it is for them; see `ring`. */
export function alertOf(item: Item, chat: Chat | undefined): void {
  import("./ring.ts").then(({ ring }) => ring(item, chat)).catch(() => undefined);
}
