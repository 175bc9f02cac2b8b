import { type Queryable, sql } from "../../database/database.ts";
import type { OwnedChannelKey } from "../scope.ts";

const RECENT = sql(
  "first_contacts_recent",
  `select message_id, (extract(epoch from now() - at) * 1000)::float8 as age_ms from first_contacts
   where account_id = $1 and channel_id = $2 and at > now() - interval '1 day' order by at`,
);

/** First contacts of the last 24 hours: their messages and their age in milliseconds, oldest first. */
export async function recentFirstContacts(
  db: Queryable,
  { accountId, channelId }: { readonly accountId: number; readonly channelId: string },
): Promise<Map<string, number>> {
  const rows = await db.query<{ message_id: string; age_ms: number }>(RECENT, [accountId, channelId]);
  return new Map(rows.map(({ message_id: messageId, age_ms: ageMs }) => [messageId, ageMs]));
}

const TAKE = sql(
  "first_contact_take",
  `insert into first_contacts as f (account_id, channel_id, message_id)
   select account_id, id, $5 from channels
   where account_id = $1 and id = $2 and owner = $3 and epoch = $4 and deleted_at is null
   on conflict (account_id, channel_id, message_id) do update set at = now()
   returning 1`,
);

/**
 * Uses a part of the allowance, durably, before the message is sent. Idempotent per message. False: another node owns
 * the channel.
 */
export async function takeFirstContact(
  db: Queryable,
  nodeId: string,
  { accountId, channelId, epoch }: OwnedChannelKey,
  messageId: string,
): Promise<boolean> {
  return (await db.query(TAKE, [accountId, channelId, nodeId, epoch, messageId])).length > 0;
}
