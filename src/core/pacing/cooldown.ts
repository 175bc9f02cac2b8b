import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { HasChannels } from "../channel/channel.ts";
import { afterRestriction, changeRestrictions } from "../channel/restriction.ts";
import type { HasChannelLog } from "../channel-log/channel-log.ts";
import { restrictionsAfter } from "../channel-restrictions.ts";
import type { AccountRestriction, Cooldown } from "../transport/errors.ts";
import { addChannelNotice } from "./notices.ts";

interface ChannelKey {
  readonly accountId: number;
  readonly channelId: string;
}

const SET = sql(
  "channel_hold",
  `insert into channel_pacing as p (account_id, channel_id, held_until, hold_reason) values ($1, $2, $3, $4)
   on conflict (account_id, channel_id) do update set held_until = excluded.held_until, hold_reason = excluded.hold_reason
   where p.held_until is distinct from excluded.held_until
     and ($5 or p.held_until is null or p.held_until < excluded.held_until)
   returning 1`,
);
const END = sql(
  "channel_hold_end",
  `update channel_pacing set held_until = null, hold_reason = null
   where account_id = $1 and channel_id = $2 and held_until > now() returning 1`,
);

/**
 * Stores the messenger's warning about first contacts, with a log entry and a notice if it is new, and publishes it as a
 * restriction of the channel. `null`: they are allowed again. `exactly: false` keeps an earlier cooldown that lasts
 * longer.
 */
export async function recordCooldown(
  core: Base & HasChannels & HasChannelLog,
  channel: ChannelKey,
  cooldown: Cooldown | null,
  { exactly }: { readonly exactly: boolean },
): Promise<void> {
  const { isChange, published } = await core.db.tx(async (tx) => {
    await lockChannel(tx, channel);
    const isChange = await (cooldown === null
      ? removeCooldown(tx, channel)
      : setCooldown(tx, channel, cooldown, exactly));
    return { isChange, published: await publishCooldown(core, tx, channel, cooldown) };
  });
  afterRestriction(core, channel, published);
  if (!isChange) return;
  core.channelLog.add({
    ...channel,
    at: core.clock.now(),
    level: cooldown === null ? "info" : "warn",
    message: cooldown === null ? "first contacts are allowed again" : "the messenger paused first contacts",
    ...(cooldown === null
      ? {}
      : { details: { until: cooldown.until.toISOString(), reason: cooldown.reason } }),
  });
  core.signals.notify("channels", channel.channelId);
}

/** Transactions that change a channel and its pacing lock the channel first. */
const LOCK = sql(
  "channel_lock_pacing",
  "select 1 from channels where account_id = $1 and id = $2 for no key update",
);

async function lockChannel(tx: Queryable, { accountId, channelId }: ChannelKey): Promise<void> {
  await tx.query(LOCK, [accountId, channelId]);
}

function publishCooldown(core: Base, tx: Queryable, channel: ChannelKey, cooldown: Cooldown | null) {
  return changeRestrictions(core, tx, channel, (known, now) =>
    cooldown?.basis === "precaution"
      ? known
      : restrictionsAfter(known, "new_chats", cooldown === null ? null : restrictionOf(cooldown), now),
  );
}

function restrictionOf({ until, reason, basis }: Cooldown): AccountRestriction {
  return basis === "estimate" ? { until, reason, isEstimate: true } : { until, reason };
}

async function setCooldown(
  tx: Queryable,
  channel: ChannelKey,
  cooldown: Cooldown,
  exactly: boolean,
): Promise<boolean> {
  const { accountId, channelId } = channel;
  const changed = await tx.query(SET, [accountId, channelId, cooldown.until, cooldown.reason, exactly]);
  if (changed.length === 0) return false;
  const text = `First contacts are paused until ${cooldown.until.toISOString()}: ${cooldown.reason}`;
  await addChannelNotice(tx, { ...channel, kind: "held", text });
  return true;
}

const END_ESTIMATE = sql(
  "channel_restriction_estimate_end",
  `update channels set restriction_ends_at = now(), restrictions = (
     select jsonb_agg(case when r ->> 'kind' = 'new_chats' and (r ->> 'isEstimate')::boolean
       then jsonb_set(r, '{endsAt}', to_jsonb(to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) else r end
       order by place)
     from jsonb_array_elements(restrictions) with ordinality as each (r, place))
   where account_id = $1 and id = $2 and restrictions @> '[{"kind": "new_chats", "isEstimate": true}]'`,
);

/**
 * Ends the cooldown despite the messenger's warning. If the messenger did not state its end, upkeep also ends the
 * published restriction; otherwise that stays. Returns whether there was a cooldown.
 */
export async function endCooldown(tx: Queryable, channel: ChannelKey): Promise<boolean> {
  await tx.query(END_ESTIMATE, [channel.accountId, channel.channelId]);
  return removeCooldown(tx, channel);
}

/** Returns whether there was a cooldown. */
async function removeCooldown(tx: Queryable, channel: ChannelKey): Promise<boolean> {
  if ((await tx.query(END, [channel.accountId, channel.channelId])).length === 0) return false;
  await addChannelNotice(tx, {
    ...channel,
    kind: "released",
    text: "First contacts are allowed again",
  });
  return true;
}

const PAUSE = sql(
  "channel_pause",
  `insert into channel_pacing as p (account_id, channel_id, paused_until)
   values ($1, $2, now() + $3 * interval '1 millisecond')
   on conflict (account_id, channel_id) do update set paused_until = greatest(p.paused_until, excluded.paused_until)`,
);

/** The messenger asked the whole channel to wait. Stored, so that the next owner knows. */
export async function recordPause(db: Queryable, channel: ChannelKey, ms: number): Promise<void> {
  await db.query(PAUSE, [channel.accountId, channel.channelId, ms]);
}
