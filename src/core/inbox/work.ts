import { sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { moveUp } from "../chat/order.ts";
import { AppError } from "../errors.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { jsonValue } from "../json-rows.ts";
import { isWritable } from "../writable-accounts.ts";
import { authorNameOf } from "./author.ts";
import { getChat, reachChat } from "./chat-list.ts";
import type { ChatView } from "./chat-view.ts";
import { findColleague } from "./colleagues.ts";
import { type EntryDetails, notifyEntry } from "./entries.ts";
import type { InboxSession } from "./reach.ts";

/** Part of a statement: the entry `$4` about what `change` did, by the employee `$5` with the name `$6`. */
const entryOf = (kind: "assigned" | "snoozed"): string => `
  insert into chat_entries (account_id, id, chat, channel_id, kind, author_id, author_name, details)
  select $1, $4, $2, $3, '${kind}', $5, $6, $7 from change`;

// The one who comes second does not match the assignment that the page showed.
const ASSIGN = sql(
  "chat_assign",
  `with change as (
     insert into chat_work as w (account_id, chat, channel_id, assigned_at, assignee, assignee_name)
     values ($1, $2, $3, now(), $8, $9)
     on conflict (account_id, chat) do update
       set assigned_at = now(), assignee = excluded.assignee, assignee_name = excluded.assignee_name
       where w.assigned_at is null
         or (w.assignee is not distinct from $10 and w.assignee is distinct from excluded.assignee)
     returning 1
   ), entry as (${entryOf("assigned")})
   select from change`,
);

/** What the page showed, and what is to become of it; null: nobody. */
export interface Assignment {
  readonly before: string | null;
  readonly assignee: string | null;
}

/**
 * Assigns the chat to an employee or to nobody, if it is still assigned as the page showed; the conversation shows the
 * change. Idempotent. `assigned` is false if somebody else was first: `chat` says who. Throws CHAT_NOT_FOUND,
 * USER_NOT_FOUND.
 */
export async function assignChat(
  core: Base & HasLive,
  session: InboxSession,
  chat: string,
  { before, assignee }: Assignment,
): Promise<{ readonly assigned: boolean; readonly chat: ChatView }> {
  const { channel_id: channelId, assignee: from } = await getChat(core, session, chat);
  const to = assignee === null ? null : await findColleague(core, session, assignee);
  if (to === undefined) throw new AppError("USER_NOT_FOUND");
  const changed = await note(core, session, { chat, channelId, details: { from, to } }, [
    to?.id ?? null,
    to?.name ?? null,
    before,
  ]);
  const present = await getChat(core, session, chat);
  return { assigned: changed || (present.assignee?.id ?? null) === assignee, chat: present };
}

interface Noted {
  readonly chat: string;
  readonly channelId: string;
  readonly details: EntryDetails;
}

/** Runs the assignment or, with one more value, the snooze. False: nothing changed. */
async function note(
  core: Base & HasLive,
  session: InboxSession,
  { chat, channelId, details }: Noted,
  more: readonly unknown[],
): Promise<boolean> {
  const { scope, opening } = session;
  const id = newId();
  const name = await authorNameOf(core, session);
  const values = [scope.accountId, chat, channelId, id, opening.userId, name, jsonValue(details), ...more];
  const changed = await core.db.query("until" in details ? SNOOZE : ASSIGN, values);
  if (changed.length === 0) return false;
  notifyEntry(core, scope.accountId, { id, chat_id: chat });
  notifyChat(core, scope.accountId, chat);
  return true;
}

/** Open pages show the chat anew. */
export function notifyChat({ live }: HasLive, accountId: number, chat: string): void {
  live.notify({ accountId, about: "chat", chat, subject: chat });
}

const SNOOZE = sql(
  "chat_snooze",
  `with change as (
     insert into chat_work as w (account_id, chat, channel_id, snoozed_until, snoozed_at)
     select $1, $2, $3, $8::timestamptz, now() where $8::timestamptz is not null
       or (select o.snoozed_until is not null from chat_work o where o.account_id = $1 and o.chat = $2)
     on conflict (account_id, chat) do update
       set snoozed_until = excluded.snoozed_until, snoozed_at = now(), returned_at = null
       where w.snoozed_until is distinct from excluded.snoozed_until
     returning 1
   ), entry as (${entryOf("snoozed")})
   select from change`,
);

const MAX_SNOOZE_DAYS = 366;

/**
 * Takes the chat out of everybody's lists until that time, or until its customer writes; null ends it now. The conversation
 * shows the change. Idempotent. Throws CHAT_NOT_FOUND, VALIDATION_ERROR.
 */
export async function snoozeChat(
  core: Base & HasLive,
  session: InboxSession,
  chat: string,
  until: Date | null,
): Promise<ChatView> {
  const { channel_id: channelId } = await reachChat(core, session, chat);
  const now = core.clock.now().getTime();
  if (until !== null && (until.getTime() <= now || until.getTime() > now + MAX_SNOOZE_DAYS * 86_400_000))
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field: "until", message: "must be in the future, at most a year ahead" }] },
    });
  const details = { until: until?.toISOString() ?? null };
  await note(core, session, { chat, channelId, details }, [until]);
  return getChat(core, session, chat);
}

/** Condition on `chat_work`, as of its index. */
const HAS_ENDED = "snoozed_until <= now() and snoozed_until < 'infinity'";
/** Expression: whether a snooze is over. */
export const HAS_ENDED_SNOOZES = `(select true from chat_work where ${HAS_ENDED} limit 1)`;

// Two nodes, or a node that repeats it after a crash, take different chats. A chat whose customer has written meanwhile is
// in the lists already.
const END = sql(
  "chat_snoozes_end",
  `with ended as (
     update chat_work w set snoozed_until = null, returned_at = case when (
         select true from messages m where m.account_id = w.account_id and m.chat = w.chat
           and m.created_at > w.snoozed_at and m.direction = 'in' limit 1) is null then now() end
     where w.ctid = any(array(
       select e.ctid from chat_work e where ${HAS_ENDED} and ${isWritable("e.account_id")}
       order by snoozed_until limit $1 for update skip locked))
     returning w.account_id, w.chat, w.returned_at
   ), ${moveUp("select account_id, chat from ended where returned_at is not null")}
   select account_id, chat from ended`,
);

/** Brings back up to `limit` chats whose snooze is over: unread, and at the top of the lists. Returns how many. */
export async function endSnoozes(core: Base & HasLive, limit: number): Promise<number> {
  const ended = await core.db.query<{ account_id: number; chat: string }>(END, [limit]);
  for (const { account_id: accountId, chat } of ended) notifyChat(core, accountId, chat);
  return ended.length;
}
