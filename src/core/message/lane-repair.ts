import { type Queryable, sql } from "../../database/database.ts";

/** Chats with jobs that one step looks at. */
const CHATS_PER_STEP = 2_000;

// The chats that have jobs, one look into the index for each; of these the ones whose lane is missing, or rests.
const REPAIR = sql(
  "send_lanes_repair",
  `with recursive chats as (
     (select chat, 1 as place from send_jobs where chat > $1 order by chat limit 1)
     union all
     select (select j.chat from send_jobs j where j.chat > c.chat order by j.chat limit 1), c.place + 1
     from chats c where c.chat is not null and c.place < ${CHATS_PER_STEP}
   ), forgotten as (
     select j.account_id, j.channel_id, c.chat from chats c
     cross join lateral (select account_id, channel_id from send_jobs where chat = c.chat order by id limit 1) j
     left join send_lanes l on l.chat = any(array[c.chat])
     where l.chat is null or l.due = 'infinity'
   ), repaired as (
     insert into send_lanes (account_id, channel_id, chat, due)
     select account_id, channel_id, chat, now() from forgotten order by chat
     on conflict (chat) do update set due = now(), ver = excluded.ver where send_lanes.due = 'infinity'
     returning chat
   )
   select array(select chat from repaired) as repaired,
          (select chat from chats where place = ${CHATS_PER_STEP}) as last`,
);

const FIRST = "00000000-0000-0000-0000-000000000000";

export interface Repair {
  /** Chats whose messages nobody would have looked at; they are due now. */
  readonly repaired: readonly string[];
  /** Where the next step goes on; null: all were looked at. */
  readonly next: string | null;
}

/**
 * Makes the lanes due of some chats that have jobs although their lane rests, or is missing. There should be none. Safe
 * beside everything else: a lane that is due without jobs is looked at once and rests again.
 */
export async function repairLanes(db: Queryable, after: string | null): Promise<Repair> {
  const [row] = await db.query<{ repaired: string[]; last: string | null }>(REPAIR, [after ?? FIRST]);
  return { repaired: row?.repaired ?? [], next: row?.last ?? null };
}
