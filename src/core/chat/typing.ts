import { sql } from "../../database/database.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { Base } from "../base.ts";
import type { Cache } from "../cache.ts";
import type { HasLive } from "../event/live-notifier.ts";
import type { TransportEvent } from "../transport/events.ts";

/** The chats whose typing open pages were told of a moment ago. */
export interface HasTyping {
  readonly caches: { readonly typing: Cache<string, true> };
}

/** Messengers repeat that somebody is typing every few seconds; open pages are told of it this often per chat. */
export const TYPING_PAUSE_MS = 3_000;
/** How long it is shown if the messenger does not say it. */
const SHOWN_SECONDS = 6;
const MAX_SHOWN_SECONDS = 30;

const FIND = sql(
  "typing_chat",
  "select id from chats where account_id = $1 and channel_id = $2 and chat_type = $3 and chat_id = $4",
);

/**
 * Tells the open pages of the account that somebody is typing in a known chat; without one, nothing is done. It is not
 * stored, and a failure does not matter.
 */
export async function tellTyping(
  core: Base & HasLive & HasTyping,
  { accountId, channelId }: { readonly accountId: number; readonly channelId: string },
  { chatType, chatId, seconds = SHOWN_SECONDS }: Extract<TransportEvent, { kind: "typing" }>,
): Promise<void> {
  const key = `${channelId} ${chatType} ${chatId}`;
  if (!core.live.follows(accountId) || core.caches.typing.get(key) === true) return;
  core.caches.typing.set(key, true);
  try {
    const [chat] = await core.db.query<{ id: string }>(FIND, [accountId, channelId, chatType, chatId]);
    if (chat === undefined) return;
    core.signals.notify("typing", `${accountId} ${chat.id} ${Math.min(MAX_SHOWN_SECONDS, seconds)}`);
  } catch (error) {
    core.log.debug(
      { channelId, reason: messageOf(error) },
      "open pages were not told that somebody is typing",
    );
  }
}

/** Somebody who is typing in a chat, by our id; shown for `seconds`. */
export interface Typing {
  readonly accountId: number;
  readonly chat: string;
  readonly seconds: number;
}

/** The detail of a `typing` notification; null if notifications may have been lost. Pure. */
export function typingOf(detail: string): Typing | null {
  const [accountId = "", chat = "", seconds = ""] = detail.split(" ");
  return detail === "" ? null : { accountId: Number(accountId), chat, seconds: Number(seconds) };
}
