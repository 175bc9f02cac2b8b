import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { forgetUnanswered } from "../crm/unanswered-rows.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { getChat, reachChat } from "./chat-list.ts";
import type { ChatView } from "./chat-view.ts";
import type { InboxSession } from "./reach.ts";

const READ = sql(
  "inbox_read",
  `insert into chat_reads as r (account_id, user_id, chat, at) values ($1, $2, $3, now())
   on conflict (account_id, user_id, chat) do update set at = excluded.at where r.at < excluded.at`,
);

/** Records that the session's employee has seen everything in the chat. Throws CHAT_NOT_FOUND. */
export async function markRead(core: Base & HasLive, session: InboxSession, chat: string): Promise<ChatView> {
  const { scope, opening } = session;
  await reachChat(core, session, chat);
  await core.db.query(READ, [scope.accountId, opening.userId, chat]);
  core.live.notify({ accountId: scope.accountId, about: "chat", chat, subject: chat });
  return getChat(core, session, chat);
}

const ANSWERED = sql("inbox_answered", forgetUnanswered("select $1::bigint as account_id, $2::uuid as chat"));
// Counts from now on, however old the message is: the employee wants to be reminded of it.
const WAITS = sql(
  "inbox_waits",
  `with waiting as (
     insert into unanswered (account_id, chat, message_id, channel_id, at)
     select m.account_id, m.chat, m.id, m.channel_id, now() from (
       select * from messages where account_id = $1 and chat = $2 and direction = 'in'
       order by created_at desc, id desc limit 1) m
     on conflict (account_id, chat, message_id) do nothing)
   delete from chat_reads where account_id = $1 and user_id = $3 and chat = $2`,
);

/**
 * Marks the chat as answered, or its client's last message as unanswered and not seen by the employee. Throws
 * CHAT_NOT_FOUND.
 */
export async function markUnanswered(
  core: Base & HasLive,
  session: InboxSession,
  chat: string,
  isUnanswered: boolean,
): Promise<ChatView> {
  const { scope, opening } = session;
  await reachChat(core, session, chat);
  const of = [scope.accountId, chat];
  if (isUnanswered) await core.db.query(WAITS, [...of, opening.userId]);
  else await core.db.query(ANSWERED, of);
  core.live.notify({ accountId: scope.accountId, about: "chat", chat, subject: chat });
  return getChat(core, session, chat);
}
