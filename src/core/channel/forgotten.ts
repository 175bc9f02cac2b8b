import { type Queryable, sql } from "../../database/database.ts";
import type { Scope } from "../core.ts";
import { lockSearchIndex, removeFromSearch } from "../message/search-index.ts";

const FORGET = [
  "send_jobs",
  "group_changes",
  "group_members",
  "inbound_dead_letters",
  "early_reports",
  "chat_order",
  "chats",
];
const HAND_OVER = "insert into forgotten_channels (account_id, channel_id) values ($1, $2)";

/**
 * Within the deletion of a channel: its chats are gone. Of its messages and files there may be too many for one
 * transaction: `deleteHistoryBatch` follows.
 */
export async function deleteChannelChats(
  tx: Queryable,
  { accountId }: Scope,
  channelId: string,
): Promise<void> {
  const of = [accountId, channelId];
  for (const table of FORGET)
    await tx.query(`delete from ${table} where account_id = $1 and channel_id = $2`, of);
  await tx.query(HAND_OVER, of);
}

const SOME = 10_000;
const next = (table: string): string => `
  (select '${table}' as place, account_id, id, channel_id from ${table}
   where account_id = any(array[c.account_id]) and id > c.passed_to order by account_id, id limit ${SOME})`;
// Files become as old as can be: the next look for old files removes them, and their bytes from the store, too.
const STEP = sql(
  "forgotten_channel_step",
  `with channel as materialized (
     select * from forgotten_channels where channel_id = coalesce($1, channel_id) limit 1 for update skip locked),
   piece as materialized (
     select p.*, p.channel_id = c.channel_id as is_forgotten from channel c cross join lateral (
       ${next("messages")} union all ${next("files")} order by id limit ${SOME}) p),
   gone as (
     delete from messages m using piece p
     where p.is_forgotten and p.place = 'messages' and m.account_id = any(array[p.account_id]) and m.id = any(array[p.id])
     returning m.account_id, m.id),
   unsearched as (${removeFromSearch("gone")}),
   aged as (
     update files f set created_at = '-infinity', state = 'failed', failure = '"its chat was deleted"' from piece p
     where p.is_forgotten and p.place = 'files' and f.account_id = any(array[p.account_id]) and f.id = any(array[p.id])),
   passed as (
     update forgotten_channels f set passed_to = p.id from channel c, (select id from piece order by id desc limit 1) p
     where f.channel_id = any(array[c.channel_id])),
   done as (
     delete from forgotten_channels f using channel c
     where f.channel_id = any(array[c.channel_id]) and not exists (select from piece))
   select 1 from channel`,
);

/**
 * Looks at the next 10,000 messages and files of an account, deletes those messages of the deleted channel, or of any
 * such, and lets links to those files lead nowhere. False: there is no more to do, or another node is doing it. In a
 * transaction of its own.
 */
export async function deleteHistoryBatch(tx: Queryable, channelId: string | null = null): Promise<boolean> {
  await lockSearchIndex(tx);
  return (await tx.query(STEP, [channelId])).length > 0;
}
