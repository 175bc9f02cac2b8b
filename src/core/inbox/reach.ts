import { type ChatIdentity, matcherOf } from "../chat/by-name.ts";
import type { ChatsOpening } from "../page-ticket/opening.ts";
import type { PageSession } from "../page-ticket/sessions.ts";

/** An open chat page. */
export interface InboxSession extends PageSession {
  readonly opening: ChatsOpening;
}

/** Whether the page may show the chat. For many chats use `reachOf`. Pure. */
export function isReachable(opening: ChatsOpening, chat: ChatIdentity): boolean {
  return reachOf(opening)(chat);
}

/** Returns a function that tests whether the page may show a chat. Pure. */
export function reachOf({ scope, chats }: ChatsOpening): (chat: ChatIdentity) => boolean {
  return scope === "global" ? () => true : matcherOf(chats);
}
