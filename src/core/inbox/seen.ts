import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { forgetUnanswered } from "../crm/unanswered-rows.ts";
import { AppError } from "../errors.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { getChat, MAX_PINNED, reachChat } from "./chat-list.ts";
import type { ChatView } from "./chat-view.ts";
import type { InboxSession } from "./reach.ts";

const READ = sql(
  "inbox_read",
  `with unmarked as (
     delete from chat_marks where account_id = $1 and user_id = $2 and chat = $3 and pinned_at is null
   ), cleared as (
     update chat_marks set unread_at = null
     where account_id = $1 and user_id = $2 and chat = $3 and pinned_at is not null and unread_at is not null)
   insert into chat_reads as r (account_id, user_id, chat, at) values ($1, $2, $3, now())
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

const UNREAD = sql(
  "inbox_mark_unread",
  `insert into chat_marks as k (account_id, user_id, chat, unread_at) values ($1, $2, $3, now())
   on conflict (account_id, user_id, chat) do update set unread_at = now() where k.unread_at is null`,
);

/** Marks the chat as unread for the employee, until they open it again. Idempotent. Throws CHAT_NOT_FOUND. */
export async function markUnread(
  core: Base & HasLive,
  session: InboxSession,
  chat: string,
): Promise<ChatView> {
  const { scope, opening } = session;
  await reachChat(core, session, chat);
  await core.db.query(UNREAD, [scope.accountId, opening.userId, chat]);
  core.live.notify({ accountId: scope.accountId, about: "chat", chat, subject: chat });
  return getChat(core, session, chat);
}

const PIN = sql(
  "inbox_pin",
  `insert into chat_marks as k (account_id, user_id, chat, pinned_at)
   select $1, $2, $3, now() where (
     select count(*) from chat_marks o
     where o.account_id = $1 and o.user_id = $2 and o.pinned_at is not null and o.chat <> $3) < ${MAX_PINNED}
   on conflict (account_id, user_id, chat) do update set pinned_at = coalesce(k.pinned_at, now()) returning 1`,
);
const UNPIN = sql(
  "inbox_unpin",
  `with unmarked as (
     delete from chat_marks where account_id = $1 and user_id = $2 and chat = $3 and unread_at is null)
   update chat_marks set pinned_at = null
   where account_id = $1 and user_id = $2 and chat = $3 and unread_at is not null returning 1`,
);

/**
 * Keeps the chat at the top of the employee's list, or no longer. Idempotent. Throws CHAT_NOT_FOUND, and VALIDATION_ERROR
 * if too many are pinned.
 */
export async function pinChat(
  core: Base & HasLive,
  session: InboxSession,
  chat: string,
  isPinned: boolean,
): Promise<ChatView> {
  const { scope, opening } = session;
  await reachChat(core, session, chat);
  const done = await core.db.query(isPinned ? PIN : UNPIN, [scope.accountId, opening.userId, chat]);
  if (isPinned && done.length === 0)
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field: "pinned", message: `at most ${MAX_PINNED} chats can be pinned` }] },
    });
  core.live.notify({ accountId: scope.accountId, about: "chat", chat, subject: chat });
  return getChat(core, session, chat);
}
