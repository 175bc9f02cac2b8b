import { type Queryable, sql } from "../../database/database.ts";
import { firstIdAtSql } from "../../platform/ids.ts";
import type { Scope } from "../scope.ts";
import { lockSearchIndex, removeFromSearch } from "./search-index.ts";

const HAND_OVER = "insert into forgotten_channels (account_id, channel_id) values ($1, $2)";

/**
 * Part of deleting a channel: deletes its waiting sends. Its chats, messages and files may be too many for one
 * transaction, in which sends under way would wait for their jobs; `deleteHistoryBatch` deletes them afterwards.
 */
export async function forgetChannel(tx: Queryable, { accountId }: Scope, channelId: string): Promise<void> {
  const of = [accountId, channelId];
  await tx.query("delete from send_jobs where account_id = $1 and channel_id = $2", of);
  await tx.query(HAND_OVER, of);
}

const SOME = 10_000;
/** By then, every transaction that was storing data of the channel at its deletion has ended. */
const SECOND_PASS_AFTER = "1 hour";
/**
 * The second pass starts with messages this much older than the deletion, because their ids come from other clocks, and
 * those of an `Idempotency-Key` start with the hour.
 */
const CLOCK_DIFFERENCE = "70 minutes";
const SECOND_PASS_FROM = firstIdAtSql(`f.deleted_at - interval '${CLOCK_DIFFERENCE}'`);
const next = (table: string): string => `
  (select '${table}' as place, account_id, id, channel_id from ${table}
   where account_id = any(array[c.account_id]) and id > c.passed_to order by account_id, id limit ${SOME})`;
const CHANNEL = `
  channel as materialized (
     select * from forgotten_channels where channel_id = coalesce($1, channel_id) and due <= now()
     limit 1 for update skip locked)`;
const some = (table: string): string => `
  delete from ${table} where ctid = any(array(
    select r.ctid from channel c cross join lateral (
      select ctid from ${table} r where r.account_id = c.account_id and r.channel_id = c.channel_id limit ${SOME}) r))`;
const CHATS = sql(
  "forgotten_channel_chats",
  `with ${CHANNEL},
   chat as (
     delete from chats where ctid = any(array(
       select r.ctid from channel c cross join lateral (
         select ctid from chats r where r.channel_id = c.channel_id limit ${SOME}) r))
     returning account_id, id),
   unlisted as (
     delete from chat_order o using chat c where o.account_id = any(array[c.account_id]) and o.chat = c.id),
   unmarked as (
     delete from chat_marks k using chat c where k.account_id = any(array[c.account_id]) and k.chat = c.id),
   unassigned as (
     delete from chat_work w using chat c where w.account_id = any(array[c.account_id]) and w.chat = c.id),
   entry as (
     delete from chat_entries n using chat c
     where n.account_id = any(array[c.account_id]) and n.chat = any(array[c.id])),
   change as (${some("group_changes")} returning 1),
   member as (${some("group_members")} returning 1),
   letter as (${some("inbound_dead_letters")} returning 1),
   report as (${some("early_reports")} returning 1)
   select account_id, channel_id, is_second_pass,
     exists (select from chat) or exists (select from change) or exists (select from member)
     or exists (select from letter) or exists (select from report) as has_more
   from channel`,
);
// Only a message that was being accepted during the deletion leaves such a row without its chat.
const UNLIST = "delete from chat_order where account_id = $1 and channel_id = $2";
const UNASSIGN = "delete from chat_work where account_id = $1 and channel_id = $2";
const FORGET_ENTRIES = "delete from chat_entries where account_id = $1 and channel_id = $2";
// Files get the greatest possible age, so that the next removal of old files deletes them, together with their
// content.
const STEP = sql(
  "forgotten_channel_step",
  `with ${CHANNEL},
   piece as materialized (
     select p.*, p.channel_id = c.channel_id as is_forgotten from channel c cross join lateral (
       ${next("messages")} union all ${next("files")} order by id limit ${SOME}) p),
   gone as (
     delete from messages m using piece p
     where p.is_forgotten and p.place = 'messages' and m.account_id = any(array[p.account_id]) and m.id = p.id
     returning m.account_id, m.id),
   unsearched as (${removeFromSearch("gone")}),
   aged as (
     update files f set created_at = '-infinity', state = 'failed', failure = '"its chat was deleted"' from piece p
     where p.is_forgotten and p.place = 'files' and f.account_id = any(array[p.account_id]) and f.id = p.id),
   passed as (
     update forgotten_channels f set passed_to = p.id from channel c, (select id from piece order by id desc limit 1) p
     where f.account_id = any(array[c.account_id]) and f.channel_id = any(array[c.channel_id])),
   again as (
     update forgotten_channels f
     set is_second_pass = true, due = now() + interval '${SECOND_PASS_AFTER}', passed_to = ${SECOND_PASS_FROM}
     from channel c
     where f.account_id = any(array[c.account_id]) and f.channel_id = any(array[c.channel_id]) and not c.is_second_pass and not exists (select from piece)),
   done as (
     delete from forgotten_channels f using channel c
     where f.account_id = any(array[c.account_id]) and f.channel_id = any(array[c.channel_id]) and c.is_second_pass and not exists (select from piece))
   select from channel`,
);

interface ChatsRow {
  readonly account_id: number;
  readonly channel_id: string;
  readonly is_second_pass: boolean;
  readonly has_more: boolean;
}

/**
 * Deletes the next 10,000 chats of the given deleted channel, or of any, with what belongs to them; when none is left,
 * checks the next 10,000 messages and files of its account: deletes its messages, and invalidates links to its files. An
 * hour later, a second pass deletes what requests and reports under way stored after the first pass had gone by. False:
 * nothing is due, or another node is doing it. Needs a transaction of its own.
 */
export async function deleteHistoryBatch(tx: Queryable, channelId: string | null = null): Promise<boolean> {
  await lockSearchIndex(tx);
  const [row] = await tx.query<ChatsRow>(CHATS, [channelId]);
  if (row === undefined || row.has_more) return row !== undefined;
  await tx.query(STEP, [row.channel_id]);
  if (row.is_second_pass)
    for (const rest of [UNLIST, UNASSIGN, FORGET_ENTRIES])
      await tx.query(rest, [row.account_id, row.channel_id]);
  return true;
}
