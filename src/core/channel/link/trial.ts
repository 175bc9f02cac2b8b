import { type Queryable, sql } from "../../../database/database.ts";
import type { Scope } from "../../scope.ts";

/** Whether messages have gone through a channel since a moment. Tells nothing of what they say or who wrote them. */
export interface Trial {
  /** When the first message of a client was stored; null: none was. */
  readonly receivedAt: Date | null;
  /** When the first answer in the same chat was sent; null: none was. */
  readonly answeredAt: Date | null;
}

export const NO_TRIAL: Trial = { receivedAt: null, answeredAt: null };

// By the chats that had a message since then, in the order of their minutes, and each chat's messages from its end.
const FIND = sql(
  "channel_trial",
  `select i.created_at as "receivedAt", a.sent_at as "answeredAt"
   from chat_order o
   cross join lateral (
     select m.created_at from messages m
     where m.account_id = $1 and m.chat = o.chat and m.created_at >= $3 and m.direction = 'in'
       and not coalesce(m.content ?| array['isSystem', 'isHistory'], false)
     order by m.created_at limit 1) i
   left join lateral (
     select m.sent_at from messages m
     where m.account_id = $1 and m.chat = o.chat and m.created_at >= i.created_at and m.direction = 'out'
       and m.status in ('sent', 'delivered', 'read')
     order by m.created_at limit 1) a on true
   where o.account_id = $1 and o.channel_id = $2 and o.minute >= floor(extract(epoch from $3::timestamptz) / 60)::integer
   order by o.minute limit 1`,
);

export async function findTrial(
  db: Queryable,
  { accountId }: Scope,
  channelId: string,
  since: Date,
): Promise<Trial> {
  const [found] = await db.query<{ receivedAt: Date; answeredAt: Date | null }>(FIND, [
    accountId,
    channelId,
    since,
  ]);
  return found ?? NO_TRIAL;
}
