import type { Queryable } from "../../database/database.ts";

/** A channel of any account, as the command line shows it, without the sealed columns. */
export interface OperatorChannel {
  readonly id: string;
  readonly transport: string;
  readonly status: string;
  readonly reason: string | null;
  readonly name: string;
  /** Name of the node that owns it. */
  readonly node: string | null;
  /** Number of its send jobs. */
  readonly queued: number;
  readonly accountId: number;
}

/** Identifies a channel, and the transport whose definition applies to it. */
export interface NamedChannel {
  readonly accountId: number;
  readonly channelId: string;
  readonly transport: string;
}

export interface SendQueue {
  readonly jobs: number;
  readonly chats: number;
  readonly oldest: Date | null;
}

const CHANNELS = `select c.id, c.transport, c.status, c.reason, c.name, n.name as node,
    (select count(*) from send_jobs j where j.account_id = c.account_id and j.channel_id = c.id) as queued,
    c.account_id as "accountId"
  from channels c left join nodes n on n.id = c.owner and n.lease_until > now()`;

/** The channels that are not deleted, of this account if one is given. */
export function listOperatorChannels(db: Queryable, accountId: number | null): Promise<OperatorChannel[]> {
  return db.query<OperatorChannel>(
    `${CHANNELS} where c.deleted_at is null and ($1::bigint is null or c.account_id = $1) order by c.account_id, c.created_at`,
    [accountId],
  );
}

/** The channel with this id, deleted or not, of this account if one is given. */
export async function findOperatorChannel(
  db: Queryable,
  id: string,
  accountId: number | null,
): Promise<OperatorChannel | null> {
  const [channel] = await db.query<OperatorChannel>(
    `${CHANNELS} where c.id::text = $1 and ($2::bigint is null or c.account_id = $2)`,
    [id.toLowerCase(), accountId],
  );
  return channel ?? null;
}

/** As `findOperatorChannel`, without deleted channels and without the state. */
export async function findNamedChannel(
  db: Queryable,
  id: string,
  accountId: number | null,
): Promise<NamedChannel | null> {
  const [channel] = await db.query<NamedChannel>(
    `select account_id as "accountId", id as "channelId", transport from channels
     where id::text = $1 and deleted_at is null and ($2::bigint is null or account_id = $2)`,
    [id.toLowerCase(), accountId],
  );
  return channel ?? null;
}

/** The send jobs of a channel. */
export async function readSendQueue(
  db: Queryable,
  { accountId, channelId }: { readonly accountId: number; readonly channelId: string },
): Promise<SendQueue> {
  const [queue] = await db.query<SendQueue>(
    "select count(*) as jobs, count(distinct chat) as chats, min(created_at) as oldest from send_jobs where account_id = $1 and channel_id = $2",
    [accountId, channelId],
  );
  return queue ?? { jobs: 0, chats: 0, oldest: null };
}
