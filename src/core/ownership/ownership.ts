import { type Queryable, sql } from "../../database/database.ts";
import { isLeftByDeadNode, LIVE_NODES } from "../dead-nodes.ts";
import { jsonRows } from "../json-rows.ts";
import { STORED_PACING_COLUMNS, type StoredPacingRow } from "../pacing/stored.ts";

/** Deleted channels taken over per poll: each may have to connect to its messenger. */
const LOGOUTS_PER_POLL = 10;

const IS_OPEN = "c.deleted_at is null and c.status <> 'disabled'";
/** Subquery: the live nodes that work on channels. */
const SESSION_NODES = `${LIVE_NODES} and 'sessions' = any(n.roles)`;

/** Expression: how many live nodes share the channels. */
export const SESSION_NODE_COUNT = `(select count(*)::int from (${SESSION_NODES}) n)`;

/** Expression: whether a channel waits for an owner. It reads no channels of live nodes. */
export const HAS_UNOWNED_CHANNELS = `coalesce(
  (select true from channels c where c.owner is null and ${IS_OPEN} limit 1),
  ${isLeftByDeadNode("channels", "owner", "t.deleted_at is null and t.status <> 'disabled'")},
  (select true from channels c where c.leaving_until is not null and (c.owner is null or c.owner not in (${LIVE_NODES})) limit 1))`;

const LOOK = sql(
  "channels_unowned",
  `select ${HAS_UNOWNED_CHANNELS} is true as "unownedChannels", ${SESSION_NODE_COUNT} as "sessionNodes"`,
);

/** What decides whether a node has to acquire channels, or to release some. */
export interface ChannelShares {
  /** Channels wait for an owner. */
  readonly unownedChannels: boolean;
  /** How many live nodes share the channels. */
  readonly sessionNodes: number;
}

/** The state of the channels of all nodes, at a cost that does not grow with their number. */
export async function findShares(db: Queryable): Promise<ChannelShares> {
  const [row] = await db.query<ChannelShares>(LOOK, []);
  if (row === undefined) throw new Error("A select of one row returned none");
  return row;
}

const ACQUIRE = sql(
  "channels_acquire",
  `with live as (
     ${SESSION_NODES}
   ), open as (
     select c.id, c.owner from channels c where ${IS_OPEN}
   ), share as (
     select ceil((select count(*) from open)::numeric / greatest(1, (select count(*) from live))) as share
   ), taken as (
     select c.id from channels c
     where ${IS_OPEN} and (c.owner is null or c.owner not in (select id from live))
       and c.account_id <> all($2::bigint[])
     order by c.id limit (
       select greatest(0, share - (select count(*) from open where owner = $1)) from share) for update skip locked
   ), departing as (
     select c.id from channels c
     where c.leaving_until is not null and (c.owner is null or c.owner not in (select id from live))
       and c.account_id <> all($2::bigint[])
     order by c.id limit ${LOGOUTS_PER_POLL} for update skip locked
   ), acquired as (
     update channels set owner = $1, epoch = next_epoch(epoch)
     where id in (select id from taken union all select id from departing) returning id
   )
   select array(select id from acquired) as acquired, share::int, ${SESSION_NODE_COUNT} as "sessionNodes" from share`,
);
const OWNED_COLUMNS = `select c.account_id, c.id, c.transport, c.status, c.owner, c.epoch, c.credentials, c.proxy, c.exit_key, c.deleted_at is not null as deleted,
     c.verified_id is not null and c.verified_id is distinct from c.messenger_id as unclaimed, c.link_claim is null as unlisted,
     extract(epoch from c.leaving_until - now())::float8 * 1000 as left_ms, ${STORED_PACING_COLUMNS}
   from channels c left join channel_pacing p on p.account_id = c.account_id and p.channel_id = c.id`;
const OWNED = sql("channels_owned", `${OWNED_COLUMNS} where c.owner = $1 order by c.id`);
const OWNED_OF = sql("channels_owned_of", `${OWNED_COLUMNS} where c.owner = $1 and c.id = any($2::uuid[])`);
const RELEASE = sql(
  "channels_release",
  `update channels c set owner = null from json_to_recordset($1::json) as r(id uuid, owner uuid, epoch bigint)
   where c.id = r.id and c.owner = r.owner and c.epoch = r.epoch`,
);

/** Part of a statement: releases the channels of the nodes whose ids `nodes` selects. */
export const releaseOwnedBy = (nodes: string): string =>
  `update channels set owner = null where owner = any(array(${nodes}))`;

/** Releases the channels of all nodes. */
export async function releaseAllChannels(db: Queryable): Promise<void> {
  await db.query("update channels set owner = null where owner is not null");
}

/** A channel that a node owns. */
export interface OwnedRow extends StoredPacingRow {
  readonly account_id: number;
  readonly id: string;
  readonly transport: string;
  readonly status: string;
  readonly owner: string;
  readonly epoch: number;
  readonly credentials: Buffer;
  readonly proxy: Buffer | null;
  readonly exit_key: string | null;
  readonly deleted: boolean;
  /** The messenger account of its credentials has to be reserved before a session opens. */
  readonly unclaimed: boolean;
  /** It has no claim in the directory. */
  readonly unlisted: boolean;
  /** For a deleted channel: how much longer its logout at the messenger may be retried. */
  readonly left_ms: number | null;
}

export interface Acquired extends Pick<ChannelShares, "sessionNodes"> {
  readonly acquired: readonly string[];
  readonly share: number;
}

/**
 * Claims channels that no live node owns, up to this node's share, and some deleted ones that still have to be logged
 * out. Each gets a new epoch. Concurrent callers get different channels. Returns which were claimed, how many channels
 * the node may keep, and how many nodes there are. It counts all channels: call it if `findShares` has found a reason.
 * `without`: accounts whose channels are left alone.
 */
export async function acquireChannels(
  db: Queryable,
  nodeId: string,
  without: readonly number[] = [],
): Promise<Acquired> {
  const [row] = await db.query<Acquired>(ACQUIRE, [nodeId, without]);
  return row ?? { acquired: [], share: 0, sessionNodes: 0 };
}

/** The channels of this node, ordered by id. */
export function ownedChannels(db: Queryable, nodeId: string): Promise<readonly OwnedRow[]> {
  return db.query<OwnedRow>(OWNED, [nodeId]);
}

/** Those of these channels that this node owns, in any order. */
export function ownedAmong(
  db: Queryable,
  nodeId: string,
  ids: readonly string[],
): Promise<readonly OwnedRow[]> {
  return db.query<OwnedRow>(OWNED_OF, [nodeId, ids]);
}

/** A channel, and the node and epoch that owned it when it was read. */
export interface Ownership {
  readonly id: string;
  readonly owner: string;
  readonly epoch: number;
}

/** Gives channels up, except those that have another owner by now. */
export async function releaseChannels(db: Queryable, channels: readonly Ownership[]): Promise<void> {
  await db.query(RELEASE, [jsonRows(channels.toSorted((a, b) => (a.id < b.id ? -1 : 1)))]);
}
