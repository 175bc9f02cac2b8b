import { isDataFault, type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { ChatName } from "../chat/chats.ts";
import { touchChats } from "../chat/order.ts";
import { retryUntilStored } from "../retry.ts";
import type { SendOutcome } from "./outcome.ts";
import { queueForSearch } from "./search-index.ts";

/** A sent message that was addressed by username or phone. */
interface Resolved {
  readonly outcome: SendOutcome;
  readonly nickname: string;
  readonly chatId: string;
  readonly externalId: string;
}

/**
 * Makes the messages that were addressed by username or phone belong to the chats that the messenger reported in its
 * responses. Call it before storing the outcomes. Returns our ids of these chats. A job without an outcome is
 * required, so that a stale outcome changes nothing.
 *
 * Each change commits by itself. Therefore none waits for a lock while it holds another one, and none can deadlock
 * with the storing of reports. If the process dies before it stores the outcome, the message is in the right chat, and
 * its outcome is unknown.
 */
export async function settleResolvedChats(core: Base, outcomes: readonly SendOutcome[]): Promise<string[]> {
  const chats: string[] = [];
  for (const resolved of outcomes.flatMap(resolvedOf))
    chats.push(
      await retryUntilStored(
        () => settle(core, resolved),
        () => false,
      ),
    );
  return chats;
}

function resolvedOf(outcome: SendOutcome): Resolved[] {
  const { nickname, result } = outcome;
  if (nickname === undefined || result.kind === "failed" || result.chatId === "") return [];
  return [{ outcome, nickname, ...result }];
}

async function settle(core: Base, resolved: Resolved): Promise<string> {
  const { channelId, chat, messageId } = resolved.outcome;
  try {
    return (await renameChat(core, resolved)) ? chat : await moveMessage(core, resolved);
  } catch (error) {
    if (!isDataFault(error)) throw error;
    core.log.error({ err: error, channelId, messageId }, "the chat of a sent message cannot be stored");
    return chat;
  }
}

// The name is kept in its own column, so that the chat is still found by it.
const RENAME = sql(
  "chat_resolved",
  `update chats c set chat_id = $6, username = coalesce(c.username, $7), phone = coalesce(c.phone, $8)
   where c.account_id = $1 and c.id = $3 and c.chat_id = $5
     and (select true from chats o
          where o.channel_id = $2 and o.chat_type = c.chat_type and o.chat_id = $6 limit 1) is null
     and (select true from send_jobs j
          where j.account_id = $1 and j.channel_id = $2 and j.chat = $3 and j.id = $4) is not null
   returning c.id`,
);

/** If no chat has the messenger's id, the chat gets it and keeps its history. */
async function renameChat(core: Base, { outcome, nickname, chatId }: Resolved): Promise<boolean> {
  const { accountId, channelId, chat, jobId } = outcome;
  const values = [accountId, channelId, chat, jobId, nickname, chatId, ...namesOf(nickname)];
  // A transaction repeats itself if a report creates the other chat at this moment.
  return (await core.db.tx((tx) => tx.query(RENAME, values))).length > 0;
}

function namesOf(nickname: string): [username: string | null, phone: string | null] {
  const name = nickname.slice(1);
  return nickname.startsWith("@") ? [name, null] : [null, name];
}

const FIND_TARGET = sql(
  "chat_resolved_target",
  `select o.id from chats c join chats o on o.channel_id = $2 and o.chat_type = c.chat_type and o.chat_id = $5
   where c.account_id = $1 and c.id = $3 and o.account_id = $1 and o.id <> c.id
     and (select true from send_jobs j
          where j.account_id = $1 and j.channel_id = $2 and j.chat = $3 and j.id = $4) is not null`,
);
const KNOW_PERSON = sql(
  "chat_person_known",
  `update chats set username = coalesce(username, $3), phone = coalesce(phone, $4)
   where account_id = $1 and id = $2
     and ((username is null and $3::text is not null) or (phone is null and $4::text is not null))`,
);
const TOUCH = sql(
  "chat_resolved_touch",
  `with ${touchChats("select $1::bigint as account_id, $2::uuid as chat, $3::uuid as channel_id")} select 1`,
);
// The message answers what the person wrote before. An indexer that has just read the message's former chat is
// corrected by the queued entry.
const MOVE = sql(
  "message_resolved",
  `with moved as (
     update messages m set chat = $4
     where m.account_id = $1 and m.id = $2 and m.chat = $3
       and (select true from messages e
            where e.account_id = $1 and e.chat = $4 and e.external_id = $5 limit 1) is null
     returning m.account_id, m.id, m.created_at, m.text is not null as has_text,
               m.content -> 'leavesUnanswered' is null as answers
   ), searched as (
     ${queueForSearch("select account_id, id from moved where has_text")}
   ), answered as (
     delete from unanswered where ctid = any(array(
       select u.ctid from moved d cross join lateral (
         select w.ctid from unanswered w
         where d.answers and w.account_id = d.account_id and w.chat = $4 and w.at <= d.created_at
         for update skip locked) u))
   ), emptied as (
     delete from chat_order where ctid = any(array(
       select o.ctid from moved d cross join lateral (
         select w.ctid from chat_order w
         where w.account_id = d.account_id and w.chat = $3
           and (select true from messages m
                where m.account_id = w.account_id and m.chat = w.chat and m.id <> $2 limit 1) is null
         for update skip locked) o))
   )
   select id from moved`,
);

// What employees did with a chat that has no messages any more belongs to the chat of the same person.
const MOVE_ENTRIES = sql(
  "chat_resolved_entries",
  `with emptied as materialized (
     select $1::bigint as account_id, $2::uuid as chat where (
       select true from messages m where m.account_id = $1 and m.chat = $2 limit 1) is null
   ), work as (
     update chat_work w set chat = $3 from emptied e
     where w.account_id = any(array[e.account_id]) and w.chat = e.chat and (
       select true from chat_work o where o.account_id = $1 and o.chat = $3) is null
   ), card as (
     update chat_work o set card = w.card || coalesce(o.card, '{}')
     from emptied e join chat_work w on w.account_id = any(array[e.account_id]) and w.chat = e.chat
     where o.account_id = $1 and o.chat = $3 and w.card is not null)
   update chat_entries n set chat = $3 from emptied e where n.account_id = any(array[e.account_id]) and n.chat = e.chat`,
);

// What employees called the person, unless the person's chat was given a name later.
const MOVE_NAME = sql(
  "chat_resolved_name",
  `update chats t set contact_name = f.contact_name, contact_name_at = f.contact_name_at, name = f.contact_name
   from chats f
   where f.account_id = $1 and f.id = $2 and f.contact_name is not null and t.account_id = $1 and t.id = $3
     and (t.contact_name_at is null or t.contact_name_at < f.contact_name_at)`,
);

/**
 * If another chat has the messenger's id, the message moves there, unless the messenger has reported it there already.
 * Returns our id of the chat that contains the message then.
 */
async function moveMessage(core: Base, resolved: Resolved): Promise<string> {
  const { nickname, chatId, externalId } = resolved;
  const { accountId, channelId, chat, messageId, jobId } = resolved.outcome;
  const [target] = await core.db.query<{ id: string }>(FIND_TARGET, [
    accountId,
    channelId,
    chat,
    jobId,
    chatId,
  ]);
  if (target === undefined) return chat;
  await core.db.query(KNOW_PERSON, [accountId, target.id, ...namesOf(nickname)]);
  await core.db.query(TOUCH, [accountId, target.id, channelId]);
  await core.db.tx(async (tx) => {
    await tx.query(MOVE, [accountId, messageId, chat, target.id, externalId]);
    await tx.query(MOVE_ENTRIES, [accountId, chat, target.id]);
    await tx.query(MOVE_NAME, [accountId, chat, target.id]);
  });
  return target.id;
}

const WAITS = sql(
  "chat_nickname_waits",
  `select true from chats c
   where c.channel_id = $2 and c.chat_type = $3 and c.chat_id = $4 and c.account_id = $1
     and (select true from send_jobs j where j.account_id = $1 and j.channel_id = $2 and j.chat = c.id limit 1) is not null`,
);

/**
 * Whether messages still wait in the chat that is stored under this username or phone, although the person's own chat
 * is known by now. The next message to this name is queued behind them, because in the person's chat it could overtake
 * them. A message that was accepted before, on any node, has either been sent or is found here. So the messages of a
 * client to one name are sent in order.
 *
 * The order is not kept between two names of a person, between a name and the chat's id, and for messages with a
 * quote. Nor is it kept for a message that follows two concurrent ones, if the person became known between them: one
 * waits under the name and the other in the person's chat, and the third is queued behind the former alone.
 */
export async function waitsUnderNickname(
  db: Queryable,
  { accountId, channelId, chatType, chatId }: ChatName,
): Promise<boolean> {
  return (await db.query(WAITS, [accountId, channelId, chatType, chatId])).length > 0;
}
