import { type Queryable, sql } from "../../database/database.ts";
import type { SendJob } from "./send-jobs.ts";

interface ChannelKey {
  readonly accountId: number;
  readonly channelId: string;
}

/** How much waits to be sent through a channel. */
export interface WaitingCount {
  readonly messages: number;
  readonly oldestAt: Date | null;
}

/** Longer queues are counted up to this limit. */
const MAX_COUNTED = 10_000;
const COUNT = sql(
  "send_waiting_count",
  `select w.id, count(j.id)::int as messages, min(j.created_at) as "oldestAt"
   from unnest($1::uuid[]) as w (id)
   join channels h on h.id = any(array[w.id])
   cross join lateral (
     select id, created_at from send_jobs s where s.account_id = h.account_id and s.channel_id = h.id limit ${MAX_COUNTED}) j
   group by w.id`,
);

/** Keyed by channel id; channels without waiting messages are left out. */
export async function countWaiting(
  db: Queryable,
  channelIds: readonly string[],
): Promise<ReadonlyMap<string, WaitingCount>> {
  const rows = await db.query<WaitingCount & { id: string }>(COUNT, [channelIds]);
  return new Map(rows.map(({ id, ...count }) => [id, count]));
}

/** A job that waits to be sent through a channel. */
export interface WaitingJob {
  readonly messageId: string;
  readonly kind: SendJob["kind"];
  readonly chatType: string;
  readonly chatId: string;
  readonly name: string;
  readonly type: string;
  /** The beginning of the text. */
  readonly text: string | null;
  readonly createdAt: Date;
  readonly attempts: number;
  /** It may have been sent already and cannot be cancelled. */
  readonly underWay: boolean;
}

const LIST = sql(
  "send_waiting_list",
  `select j.message_id as "messageId", j.kind, c.chat_type as "chatType", c.chat_id as "chatId", c.name, m.type,
     left(m.text, 100) as text, j.created_at as "createdAt", j.attempts,
     j.unsure_since is not null as "underWay"
   from (select * from send_jobs where account_id = $1 and channel_id = $2 limit ${MAX_COUNTED}) j
   join messages m on m.account_id = any(array[j.account_id]) and m.id = j.message_id
   join chats c on c.account_id = any(array[j.account_id]) and c.id = j.chat
   order by j.id limit $3`,
);

/** The waiting jobs of a channel, oldest first. */
export function listWaiting(
  db: Queryable,
  { accountId, channelId }: ChannelKey,
  limit: number,
): Promise<WaitingJob[]> {
  return db.query<WaitingJob>(LIST, [accountId, channelId, limit]);
}
