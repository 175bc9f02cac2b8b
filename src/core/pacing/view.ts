import { type Queryable, sql } from "../../database/database.ts";
import type { Pacing } from "../transport/definition.ts";
import { recentFirstContacts } from "./first-contacts.ts";
import { type Allowance, allowanceAt, changedPacing, type PacingChanges } from "./limits.ts";
import { leftOf, slotAt } from "./slots.ts";

/** A channel's pacing as shown to users. */
export interface PacingView {
  readonly limits: LimitsView;
  /** Limits that differ from the transport's. */
  readonly changed: readonly (keyof PacingChanges)[];
  readonly firstContacts: FirstContactsView;
  readonly queue: QueueView;
}

export interface LimitsView extends Required<Omit<PacingChanges, "firstContactsPerDay">> {
  readonly burst: number;
  readonly chatBurst: number;
  /** Null: limited only by the other limits. */
  readonly firstContactsPerDay: number | null;
}

export interface FirstContactsView {
  /** For 24 hours, at the present state of the warm-up; null: no limit. */
  readonly allowance: number | null;
  readonly left: number | null;
  /** When the next one may be sent; null if it need not wait, or none is allowed. */
  readonly nextAt: Date | null;
  readonly heldUntil: Date | null;
  readonly holdReason: string | null;
}

export interface QueueView {
  readonly messages: number;
  readonly chats: number;
  readonly oldestAt: Date | null;
  /** Null if nothing waits, or the end of the wait is unknown. */
  readonly nextSendAt: Date | null;
  readonly waiting: readonly WaitingChats[];
}

/**
 * Chats whose first message waits for the same reason. `turn`: none; `inactive`: the channel is not active;
 * `stopped`: an operator stopped sending; `pause`: the messenger asked the channel to wait; `pace`: the rate of the
 * channel or the chat; `allowance`: that of first contacts; `hold`: the messenger's warning; `retry`: the next
 * attempt.
 */
export const WAITING_FOR = [
  "turn",
  "inactive",
  "stopped",
  "pause",
  "pace",
  "allowance",
  "hold",
  "retry",
] as const;
export interface WaitingChats {
  readonly for: (typeof WAITING_FOR)[number];
  readonly chats: number;
  /** When the first of them continues. */
  readonly until: Date | null;
}

interface ChannelKey {
  readonly accountId: number;
  readonly channelId: string;
}

const STATE = sql(
  "channel_pacing_state",
  `select c.status, p.changes, now() as now, p.hold_reason,
     (extract(epoch from now() - coalesce(c.active_since, c.created_at)) * 1000)::float8 as active_ms,
     case when p.held_until > now() then p.held_until end as held_until,
     case when p.paused_until > now() then p.paused_until end as paused_until,
     p.stopped_at is not null as stopped
   from channels c left join channel_pacing p on p.account_id = c.account_id and p.channel_id = c.id
   where c.account_id = $1 and c.id = $2`,
);

interface State {
  readonly status: string;
  readonly changes: PacingChanges | null;
  readonly now: Date;
  readonly hold_reason: string | null;
  readonly active_ms: number;
  readonly held_until: Date | null;
  readonly paused_until: Date | null;
  readonly stopped: boolean;
}

/** Null if there is no such channel. `own`: the limits of its transport. */
export async function readPacing(
  db: Queryable,
  channel: ChannelKey,
  own: Pacing,
): Promise<PacingView | null> {
  const [state] = await db.query<State>(STATE, [channel.accountId, channel.channelId]);
  if (state === undefined) return null;
  const pacing = changedPacing(own, state.changes ?? {});
  const ages = await recentFirstContacts(db, channel);
  const made = [...ages.values()].map((ageMs) => state.now.getTime() - ageMs);
  return {
    limits: limitsView(pacing),
    changed: Object.keys(state.changes ?? {}).toSorted() as (keyof PacingChanges)[],
    firstContacts: firstContactsView(allowanceAt(pacing, state.active_ms), made, state),
    queue: await readQueue(db, channel, state),
  };
}

function limitsView({ channel, chat, jitterMs, firstContact, warmUp }: Pacing): LimitsView {
  return {
    perMinute: aMinute(channel.perSecond),
    burst: channel.burst,
    chatPerMinute: aMinute(chat.perSecond),
    chatBurst: chat.burst,
    jitterMs,
    firstContactsPerDay: firstContact?.perDay ?? null,
    warmUpDays: firstContact === undefined ? 0 : (warmUp?.days ?? 0),
  };
}

/** Rounded, without the error of the division. */
function aMinute(perSecond: number): number {
  return Math.round(perSecond * 6_000) / 100;
}

function firstContactsView(
  allowance: Allowance | null,
  made: readonly number[],
  { now, held_until: heldUntil, hold_reason: reason }: State,
): FirstContactsView {
  const hold = { heldUntil, holdReason: heldUntil === null ? null : reason };
  if (allowance === null) return { allowance: null, left: null, nextAt: heldUntil, ...hold };
  const from = Math.max(now.getTime(), heldUntil?.getTime() ?? 0);
  const slot = Math.max(from, slotAt(made, allowance, { from, ahead: 0 }));
  return {
    allowance: allowance.perDay,
    left: leftOf(made, allowance, now.getTime()),
    nextAt: slot <= now.getTime() || slot === Number.POSITIVE_INFINITY ? null : new Date(slot),
    ...hold,
  };
}

// The reason why a chat waits is stored with its first job.
const QUEUE = sql(
  "send_jobs_queue",
  `select coalesce(l.held_by, 'turn') as for, count(*)::int as chats, sum(l.jobs)::int as messages,
     min(l.oldest_at) as oldest_at, min(case when l.held_by is null then now() else l.not_before end) as until
   from (
     select case when (array_agg(not_before order by id))[1] > now() then (array_agg(held_by order by id))[1] end as held_by,
            nullif((array_agg(not_before order by id))[1], 'infinity') as not_before,
            count(*) as jobs, min(created_at) as oldest_at
     from send_jobs where account_id = $1 and channel_id = $2 group by chat) l
   group by 1`,
);

interface QueueRow extends WaitingChats {
  readonly messages: number;
  readonly oldest_at: Date;
}

async function readQueue(db: Queryable, channel: ChannelKey, state: State): Promise<QueueView> {
  const rows = await db.query<QueueRow>(QUEUE, [channel.accountId, channel.channelId]);
  const groups = rows.map(({ for: reason, chats, until }) => ({ for: reason, chats, until }));
  const waiting = (state.stopped ? together(groups) : groups)
    .map((group) => (group.for === "turn" ? turnOf(group, state) : group))
    .toSorted((a, b) => WAITING_FOR.indexOf(a.for) - WAITING_FOR.indexOf(b.for));
  const oldest = rows.map(({ oldest_at: at }) => at.getTime());
  return {
    messages: rows.reduce((sum, { messages }) => sum + messages, 0),
    chats: rows.reduce((sum, { chats }) => sum + chats, 0),
    oldestAt: oldest.length === 0 ? null : new Date(Math.min(...oldest)),
    nextSendAt: nextSend(waiting, state),
    waiting,
  };
}

/** All chats of a stopped channel wait for the same reason. */
function together(groups: readonly WaitingChats[]): WaitingChats[] {
  const chats = groups.reduce((sum, group) => sum + group.chats, 0);
  return chats === 0 ? [] : [{ for: "turn", chats, until: null }];
}

function turnOf(group: WaitingChats, { status, stopped, paused_until: pausedUntil }: State): WaitingChats {
  if (status !== "active") return { ...group, for: "inactive", until: null };
  if (stopped) return { ...group, for: "stopped", until: null };
  return pausedUntil === null ? group : { ...group, for: "pause", until: pausedUntil };
}

function nextSend(waiting: readonly WaitingChats[], state: State): Date | null {
  const times = waiting.flatMap(({ until }) => (until === null ? [] : [until.getTime()]));
  if (state.status !== "active" || state.stopped || times.length === 0) return null;
  const earliest = Math.max(state.now.getTime(), state.paused_until?.getTime() ?? 0);
  return new Date(Math.max(earliest, Math.min(...times)));
}
