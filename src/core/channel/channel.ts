import { type Statement, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Cache } from "../cache.ts";
import { type Restriction, restrictionOf, type StoredRestriction } from "../channel-restrictions.ts";
import { asStatus, type ChannelStatus, stateOf } from "../channel-status.ts";
import { AppError } from "../errors.ts";
import { retryOnLostConnection } from "../retry.ts";
import type { Scope } from "../scope.ts";
import type { Tier } from "../transport/definition.ts";

/** A channel as clients see it; its credentials stay sealed in the table. */
export interface Channel {
  readonly accountId: number;
  readonly id: string;
  readonly transport: string;
  readonly status: ChannelStatus["status"];
  readonly reason: ChannelStatus["reason"];
  /** The deprecated field, derived from status and reason. */
  readonly state: string;
  /** The phone has been offline for long, and the messenger will soon unlink the channel; false unless active. */
  readonly phoneUnavailable: boolean;
  readonly unpaid: boolean;
  /** What the messenger does not allow its account, in the order of their beginning. */
  readonly restrictions: readonly Restriction[];
  readonly name: string;
  readonly phone: string;
  readonly username: string;
  readonly messengerId: string;
  readonly businessId: string | null;
  readonly url: string | null;
  /** Scheme, host and port of its own proxy; null: it has none. */
  readonly proxyAddress: string | null;
  readonly tier: Tier;
  readonly tariff: string | null;
  readonly createdAt: Date;
}

export interface HasChannels {
  readonly caches: {
    /** Short-lived, and invalidated when a channel changes: a request may see a status that is at most a second old. */
    readonly channels: Cache<string, Channel>;
    /** Reads under way, by account and channel. */
    readonly channelReads: Map<string, Promise<Channel>>;
  };
}

export interface ChannelRow {
  readonly account_id: number;
  readonly id: string;
  readonly transport: string;
  readonly status: string;
  readonly reason: string | null;
  readonly phone_unavailable: boolean;
  readonly unpaid: boolean;
  readonly restrictions: readonly StoredRestriction[];
  readonly messenger_id: string | null;
  readonly business_id: string | null;
  readonly name: string;
  readonly phone: string;
  readonly username: string;
  readonly url: string | null;
  readonly proxy_address: string | null;
  readonly tier: Tier;
  readonly tariff: string | null;
  readonly created_at: Date;
}

export const CHANNEL_COLUMNS =
  "account_id, id, transport, status, reason, phone_unavailable, unpaid, restrictions, messenger_id, business_id, name, phone, username, url, proxy_address, tier, tariff, created_at";

/**
 * The messenger account of a restarted channel, for the `set` of an update of `channels`: null if it is now linked to
 * another live channel. The actual account is known once the channel is linked.
 */
export const MESSENGER_ID_AT_START = `case when exists (
    select 1 from channels o where o.transport = channels.transport and o.messenger_id = channels.messenger_id
      and o.id <> channels.id and o.deleted_at is null and o.status <> 'disabled')
  then null else messenger_id end`;

export function channelOf(row: ChannelRow): Channel {
  const status = asStatus(row.status, row.reason);
  const phoneUnavailable = row.phone_unavailable && status.status === "active";
  return {
    accountId: row.account_id,
    id: row.id,
    transport: row.transport,
    status: status.status,
    reason: status.reason,
    state: stateOf(status, phoneUnavailable),
    phoneUnavailable,
    unpaid: row.unpaid,
    restrictions: row.restrictions.map(restrictionOf),
    name: row.name,
    phone: row.phone,
    username: row.username,
    messengerId: row.messenger_id ?? "",
    businessId: row.business_id,
    url: row.url,
    proxyAddress: row.proxy_address,
    tier: row.tier,
    tariff: row.tariff,
    createdAt: row.created_at,
  };
}

const FIND: Statement = sql(
  "channel_find",
  `select ${CHANNEL_COLUMNS} from channels where account_id = $1 and id = $2 and deleted_at is null`,
);

/** Throws CHANNEL_NOT_FOUND for an unknown id or another account's channel. */
export async function getChannel(core: Base, scope: Scope, channelId: string): Promise<Channel> {
  const [row] = await core.db.query<ChannelRow>(FIND, [scope.accountId, channelId]);
  if (row === undefined) throw new AppError("CHANNEL_NOT_FOUND");
  return channelOf(row);
}

/**
 * The same for the hot path of messages, at most a second old. Requests that come while it is read share the read: many
 * connections would otherwise read it at the same moment, each second.
 */
export async function getChannelCached(
  core: Base & HasChannels,
  scope: Scope,
  channelId: string,
): Promise<Channel> {
  const { channels, channelReads } = core.caches;
  const cached = channels.get(channelId);
  if (cached !== undefined && cached.accountId === scope.accountId) return cached;
  const key = `${scope.accountId} ${channelId}`;
  const pending = channelReads.get(key);
  if (pending !== undefined) return pending;
  const reading = retryOnLostConnection(() => getChannel(core, scope, channelId)).finally(() =>
    channelReads.delete(key),
  );
  channelReads.set(key, reading);
  const channel = await reading;
  channels.set(channelId, channel);
  return channel;
}
