import { isDeepStrictEqual } from "node:util";
import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { HasChannelLog } from "../channel-log/channel-log.ts";
import { isSameForClients, restrictionsAfter, type StoredRestriction } from "../channel-restrictions.ts";
import { asStatus } from "../channel-status.ts";
import { notifyReceivers, publish } from "../event/publish.ts";
import type { AccountRestriction, RestrictionKind } from "../transport/errors.ts";
import { isWritable } from "../writable-accounts.ts";
import { CHANNEL_COLUMNS, type ChannelRow, channelOf, type HasChannels } from "./channel.ts";
import { channelFact } from "./channel-fact.ts";

interface ChannelKey {
  readonly accountId: number;
  readonly channelId: string;
}

const LOCK = sql(
  "channel_lock_restrictions",
  `select ${CHANNEL_COLUMNS}, now() as now from channels
   where account_id = $1 and id = $2 and deleted_at is null for no key update`,
);
const UPDATE = sql(
  "channel_restrictions",
  `update channels set restrictions = $3::jsonb, restriction_ends_at = $4
   where account_id = $1 and id = $2 returning ${CHANNEL_COLUMNS}`,
);

type Changed = { readonly [Kind in "stored" | "published"]: boolean };
const UNCHANGED: Changed = { stored: false, published: false };

/** The next list of restrictions. `now` is the database's time. */
type Change = (known: readonly StoredRestriction[], now: Date) => readonly StoredRestriction[];

/**
 * Stores what the messenger allows the channel's account, and publishes it in the same transaction if clients see a
 * difference. Any node may call it, repeatedly. `null`: the messenger reports that this restriction has ended.
 */
export async function recordRestriction(
  core: Base & HasChannels & HasChannelLog,
  channel: ChannelKey,
  kind: RestrictionKind,
  restriction: AccountRestriction | null,
): Promise<void> {
  // Sessions report regularly that there is none.
  if (restriction === null && !(await isKnown(core.db, channel, kind))) return;
  const changed = await core.db.tx((tx) =>
    changeRestrictions(core, tx, channel, (known, now) => restrictionsAfter(known, kind, restriction, now)),
  );
  afterRestriction(core, channel, changed);
  if (!changed.published) return;
  core.channelLog.add({
    ...channel,
    at: core.clock.now(),
    level: restriction === null ? "info" : "warn",
    message:
      restriction === null
        ? "the messenger ended a restriction of the account"
        : "the messenger restricts the account",
    details: { kind, ...(restriction === null ? {} : detailsOf(restriction)) },
  });
}

const KNOWN = sql(
  "channel_restriction_known",
  `select 1 from channels where account_id = $1 and id = $2 and restrictions @> jsonb_build_array(jsonb_build_object('kind', $3::text))`,
);

async function isKnown(
  db: Queryable,
  { accountId, channelId }: ChannelKey,
  kind: RestrictionKind,
): Promise<boolean> {
  return (await db.query(KNOWN, [accountId, channelId, kind])).length > 0;
}

function detailsOf({ reason, until, isEstimate }: AccountRestriction): Readonly<Record<string, string>> {
  return { reason, until: until === null || isEstimate === true ? "unknown" : until.toISOString() };
}

/** To be called after the transaction of `changeRestrictions`. */
export function afterRestriction(
  core: Base & HasChannels,
  { accountId, channelId }: ChannelKey,
  { stored, published }: Changed,
): void {
  if (!stored) return;
  core.caches.channels.delete(channelId);
  core.signals.notify("channels", channelId);
  if (published) notifyReceivers(core, [accountId]);
}

/** Part of a transaction that has not locked anything of the channel yet. Publishes last. */
export async function changeRestrictions(
  core: Base,
  tx: Queryable,
  { accountId, channelId }: ChannelKey,
  change: Change,
): Promise<Changed> {
  const [row] = await tx.query<ChannelRow & { readonly now: Date }>(LOCK, [accountId, channelId]);
  if (row === undefined) return UNCHANGED;
  const next = change(row.restrictions, row.now);
  if (isDeepStrictEqual(next, row.restrictions)) return UNCHANGED;
  const [updated] = await tx.query<ChannelRow>(UPDATE, [
    accountId,
    channelId,
    JSON.stringify(next),
    firstEnd(next),
  ]);
  if (updated === undefined || isSameForClients(row.restrictions, next))
    return { stored: true, published: false };
  const after = channelOf(updated);
  const fact = channelFact(core, after, asStatus(after.status, after.reason));
  const channel = { ...fact, restrictions: after.restrictions };
  await publish(tx, [{ kind: "channel", change: "restrictions", channel }]);
  return { stored: true, published: true };
}

function firstEnd(restrictions: readonly StoredRestriction[]): Date | null {
  const ends = restrictions.flatMap(({ endsAt }) => (endsAt === null ? [] : [Date.parse(endsAt)]));
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

const ENDED = sql(
  "channel_restrictions_ended",
  `select account_id as "accountId", id as "channelId" from channels c
   where restriction_ends_at <= now() and deleted_at is null and ${isWritable("c.account_id")}
   order by restriction_ends_at limit $1`,
);

/** Ends and publishes restrictions whose time is over. Returns how many channels were changed. */
export async function endRestrictions(core: Base & HasChannels, limit: number): Promise<number> {
  const channels = await core.db.query<ChannelKey>(ENDED, [limit]);
  for (const channel of channels) {
    const changed = await core.db.tx((tx) =>
      changeRestrictions(core, tx, channel, (known, now) =>
        known.filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > now.getTime()),
      ),
    );
    afterRestriction(core, channel, changed);
  }
  return channels.length;
}
