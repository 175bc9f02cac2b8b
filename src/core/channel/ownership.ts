import { type Queryable, sql } from "../../database/database.ts";
import { STORED_PACING_COLUMNS, type StoredPacingRow } from "../pacing/stored.ts";

/** Taken from other nodes at a time: they may have to connect to their messengers. */
const DEPARTURES_PER_LOOK = 10;

const ACQUIRE = sql(
  "channels_acquire",
  `with live as (
     select id from nodes where lease_until > now() and 'sessions' = any(roles)
   ), open as (
     select id, owner from channels where deleted_at is null and status <> 'disabled'
   ), share as (
     select ceil((select count(*) from open)::numeric / greatest(1, (select count(*) from live)))
            - (select count(*) from open where owner = $1) as free
   ), taken as (
     select c.id from channels c
     where c.deleted_at is null and c.status <> 'disabled' and (c.owner is null or c.owner not in (select id from live))
     order by c.id limit (select greatest(0, free) from share) for update skip locked
   ), departing as (
     select c.id from channels c
     where c.leaving_until is not null and (c.owner is null or c.owner not in (select id from live))
     order by c.id limit ${DEPARTURES_PER_LOOK} for update skip locked
   )
   update channels set owner = $1, epoch = epoch + 1
   where id in (select id from taken union all select id from departing)`,
);
const OWNED = sql(
  "channels_owned",
  `select c.account_id, c.id, c.transport, c.status, c.epoch, c.credentials, c.deleted_at is not null as deleted,
     extract(epoch from c.leaving_until - now())::float8 * 1000 as left_ms, ${STORED_PACING_COLUMNS},
     ceil((select count(*) from channels where deleted_at is null and status <> 'disabled')::numeric
       / greatest(1, (select count(*) from nodes where lease_until > now() and 'sessions' = any(roles)))) as share
   from channels c left join channel_pacing p on p.account_id = c.account_id and p.channel_id = c.id
   where c.owner = $1 order by c.id`,
);
const RELEASE = sql(
  "channel_release",
  "update channels set owner = null where id = $1 and owner = $2 and epoch = $3",
);

/** A channel that a node owns, as its row is. */
export interface OwnedRow extends StoredPacingRow {
  readonly account_id: number;
  readonly id: string;
  readonly transport: string;
  readonly status: string;
  readonly epoch: number;
  readonly credentials: Buffer;
  readonly deleted: boolean;
  /** Of a deleted channel, how long its messenger may still be asked to let it go. */
  readonly left_ms: number | null;
  readonly share: string;
}

/**
 * Takes the channels that no live node owns, up to this node's share of all, and some deleted ones that are still to be
 * unlinked. Each gets a new epoch. Nodes that ask at the same time get different channels.
 */
export async function acquireChannels(db: Queryable, nodeId: string): Promise<void> {
  await db.query(ACQUIRE, [nodeId]);
}

/** The channels of this node, in the order of their ids. `share`: how many it may keep. */
export function ownedChannels(db: Queryable, nodeId: string): Promise<readonly OwnedRow[]> {
  return db.query<OwnedRow>(OWNED, [nodeId]);
}

/** Gives a channel back, unless another node has it by now. */
export async function releaseChannel(
  db: Queryable,
  { id, nodeId, epoch }: { readonly id: string; readonly nodeId: string; readonly epoch: number },
): Promise<void> {
  await db.query(RELEASE, [id, nodeId, epoch]);
}
