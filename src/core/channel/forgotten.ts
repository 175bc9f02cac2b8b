import { type Queryable, sql } from "../../database/database.ts";
import type { Scope } from "../core.ts";

const FORGET = ["send_jobs", "send_lanes", "group_changes", "group_members", "chats"];
const HAND_OVER = "insert into forgotten_channels (account_id, channel_id) values ($1, $2)";
// As old as can be: removed at the next look for old files, which takes their bytes from the store, too.
const AGE_FILES = `
  update files set created_at = '-infinity', state = 'failed', failure = '"its chat was deleted"'
  where account_id = $1 and channel_id = $2`;

/**
 * Within the deletion of a channel: its chats are gone, links to its files lead nowhere. Its messages, and what is stored
 * of its files, there may be too many of for one transaction: `forgetSomeMessages` and the removal of old files follow.
 */
export async function forgetChannel(tx: Queryable, { accountId }: Scope, channelId: string): Promise<void> {
  const of = [accountId, channelId];
  for (const table of FORGET)
    await tx.query(`delete from ${table} where account_id = $1 and channel_id = $2`, of);
  await tx.query(AGE_FILES, of);
  await tx.query(HAND_OVER, of);
}

const SOME = 10_000;
const STEP = sql(
  "forgotten_channel_step",
  `with channel as materialized (
     select * from forgotten_channels where channel_id = coalesce($1, channel_id) limit 1 for update skip locked),
   piece as materialized (
     select m.*, m.channel_id = c.channel_id as is_forgotten from channel c cross join lateral (
       select account_id, id, channel_id from messages where account_id = any(array[c.account_id]) and id > c.passed_to
       order by account_id, id limit ${SOME}) m),
   gone as (
     delete from messages m using piece p
     where p.is_forgotten and m.account_id = any(array[p.account_id]) and m.id = any(array[p.id])),
   passed as (
     update forgotten_channels f set passed_to = p.id from channel c, (select id from piece order by id desc limit 1) p
     where f.channel_id = any(array[c.channel_id])),
   done as (
     delete from forgotten_channels f using channel c
     where f.channel_id = any(array[c.channel_id]) and not exists (select from piece))
   select 1 from channel`,
);

/**
 * Looks at the next 10,000 messages of an account and deletes those of the deleted channel, or of any such. False: there
 * is no more to do, or another node is doing it.
 */
export async function forgetSomeMessages(db: Queryable, channelId: string | null = null): Promise<boolean> {
  return (await db.query(STEP, [channelId])).length > 0;
}
