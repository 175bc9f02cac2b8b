import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { announce, publish } from "../event/publish.ts";
import { allowanceAt, changedPacing, type PacingChanges } from "../pacing/limits.ts";
import { slotAt } from "../pacing/slots.ts";
import type { CheckedPhone, PhonesFact } from "../payload/facts.ts";
import type { OwnedChannelKey } from "../scope.ts";
import type { FoundPerson } from "../transport/connector.ts";
import type { Pacing } from "../transport/definition.ts";
import { definitionOf } from "../transport/registry.ts";
import { isWritable } from "../writable-accounts.ts";
import { privateTypeOf } from "./phone-checks.ts";

/** After this many attempts without a response, a number's result is unknown. */
export const MAX_LOOKUP_ATTEMPTS = 5;

/** Expression: whether any number is due. */
export const HAS_PHONE_CHECKS = "(select true from phone_checks where due <= now() limit 1)";

/** A number to look up through a channel. */
export interface DuePhone {
  readonly channelId: string;
  readonly phone: string;
  readonly attempts: number;
}

const DUE = sql(
  "phones_due",
  `select d.channel_id as "channelId", d.phone, d.attempts from unnest($1::uuid[]) as c (id)
   cross join lateral (
     select channel_id, phone, attempts from phone_checks
     where channel_id = any(array[c.id]) and due <= now() order by channel_id, id limit 1) d`,
);

/** The first due number of each of these channels. */
export function duePhones(db: Queryable, channelIds: readonly string[]): Promise<DuePhone[]> {
  return db.query<DuePhone>(DUE, [channelIds]);
}

const STATE = sql(
  "phone_pace_state",
  `select coalesce(p.changes, '{}') as changes, p.stopped_at is not null as stopped,
     (extract(epoch from now() - coalesce(c.active_since, c.created_at)) * 1000)::float8 as "activeMs",
     coalesce((extract(epoch from p.held_until - now()) * 1000)::float8, 0) as "heldMs",
     array(select (extract(epoch from now() - a.at) * 1000)::float8 from phone_lookups l
       cross join lateral unnest(l.earlier || l.at) as a (at)
       where l.account_id = $1 and l.channel_id = $2 and l.at > now() - interval '1 day'
         and a.at > now() - interval '1 day' order by a.at) as ages
   from channels c left join channel_pacing p on p.account_id = c.account_id and p.channel_id = c.id
   where c.account_id = $1 and c.id = $2`,
);
interface PaceState {
  readonly changes: PacingChanges;
  readonly stopped: boolean;
  readonly activeMs: number;
  readonly heldMs: number;
  readonly ages: readonly number[];
}
const STOPPED_MS = 60_000;
/** More than any allowance of a day. */
const MAX_EARLIER = 500;
const TAKE = sql(
  "phone_lookup_take",
  `insert into phone_lookups as l (account_id, channel_id, phone)
   select account_id, id, $5 from channels
   where account_id = $1 and id = $2 and owner = $3 and epoch = $4 and deleted_at is null
   on conflict (account_id, channel_id, phone) do update set at = now(), is_found = null, chat_id = null, username = null,
     earlier = array(select a.at from unnest(l.earlier || l.at) as a (at) where a.at > now() - interval '1 day'
                     order by a.at desc limit ${MAX_EARLIER})
   returning 1`,
);

/**
 * Uses a part of the channel's allowance of lookups, durably, before the request. Returns the milliseconds to wait
 * instead, 0: the number may be looked up now, or null: another node owns the channel. `own`: the transport's pacing;
 * `isPaced: false` lifts the allowance, but not the messenger's cooldown.
 */
export async function takeLookup(
  db: Queryable,
  channel: OwnedChannelKey & { readonly nodeId: string },
  phone: string,
  { own, isPaced }: { readonly own: Pacing; readonly isPaced: boolean },
): Promise<number | null> {
  const { accountId, channelId, epoch, nodeId } = channel;
  const [state] = await db.query<PaceState>(STATE, [accountId, channelId]);
  if (state === undefined) return null;
  const wait = waitOf(state, own, isPaced);
  if (wait > 0) return wait;
  const taken = await db.query(TAKE, [accountId, channelId, nodeId, epoch, phone]);
  return taken.length === 0 ? null : 0;
}

/** Milliseconds until the next lookup. Pure. */
export function waitOf(state: PaceState, own: Pacing, isPaced: boolean): number {
  if (state.stopped) return STOPPED_MS;
  const held = Math.max(0, state.heldMs);
  const { warmUp } = changedPacing(own, state.changes);
  const limits = {
    ...(own.phoneChecks === undefined ? {} : { firstContact: own.phoneChecks }),
    ...(warmUp === undefined ? {} : { warmUp }),
  };
  const allowance = isPaced ? allowanceAt(limits, state.activeMs) : null;
  if (allowance === null) return Math.ceil(held);
  const made = state.ages.map((age) => -age);
  return Math.ceil(Math.max(held, slotAt(made, allowance, { from: held, ahead: 0 }), 0));
}

const REST = sql(
  "phones_rest",
  `update phone_checks set due = now() + $3 * interval '1 millisecond'
   where account_id = $1 and channel_id = $2 and due < now() + $3 * interval '1 millisecond'`,
);

/** All numbers of the channel wait for this long, at least. */
export async function restLookups(
  db: Queryable,
  { accountId, channelId }: { readonly accountId: number; readonly channelId: string },
  ms: number,
): Promise<void> {
  await db.query(REST, [accountId, channelId, ms]);
}

const COUNT = sql(
  "phone_attempt",
  "update phone_checks set attempts = attempts + 1 where account_id = $1 and channel_id = $2 and phone = $3",
);

/** The messenger did not respond; the number is looked up again. */
export async function countAttempt(db: Queryable, accountId: number, phone: DuePhone): Promise<void> {
  await db.query(COUNT, [accountId, phone.channelId, phone.phone]);
}

const RESULT = sql(
  "phone_lookup_result",
  `update phone_lookups set is_found = $4, chat_id = $5, username = $6
   where account_id = $1 and channel_id = $2 and phone = $3`,
);
const DONE = sql(
  "phones_done",
  `with gone as (
     delete from phone_checks where account_id = $1 and channel_id = $2 and phone = $3 returning check_id
   )
   select g.check_id as "checkId", (
     select count(*)::int from phone_checks p
     where p.account_id = $1 and p.channel_id = $2 and p.check_id = g.check_id and p.phone <> $3) as waiting
   from gone g order by g.check_id`,
);

/** Stores a result and publishes it to each request for it. `unknown`: the messenger did not tell. */
export async function recordLookup(
  core: Base,
  { accountId, channelId, transport }: { accountId: number; channelId: string; transport: string },
  phone: string,
  result: FoundPerson | null | "unknown",
): Promise<void> {
  const person = result === "unknown" ? null : result;
  const checked: CheckedPhone = {
    phone,
    exists: result === "unknown" ? null : result !== null,
    chatType: privateTypeOf(definitionOf(core.transports, transport)),
    chatId: person?.chatId ?? null,
    username: person?.username ?? null,
  };
  const { exists, chatId, username } = checked;
  const published = await core.db.tx(async (tx) => {
    await tx.query(RESULT, [accountId, channelId, phone, exists, chatId, username]);
    const requests = await tx.query<{ checkId: string; waiting: number }>(DONE, [
      accountId,
      channelId,
      phone,
    ]);
    const at = core.clock.now();
    const facts = requests.map(
      ({ checkId, waiting }): PhonesFact => ({
        ...{ accountId, channelId, transport, checkId, waiting, at },
        phones: [checked],
      }),
    );
    return publish(
      tx,
      facts.map((phones) => ({ kind: "phones", phones })),
    );
  });
  announce(core, published);
}

const EXPIRED = sql(
  "phones_expired",
  `select p.account_id as "accountId", p.channel_id as "channelId", p.phone, c.transport, c.deleted_at is not null as deleted
   from (
     select p.account_id, p.channel_id, p.phone from phone_checks p
     where requested_at < now() - interval '7 days' and ${isWritable("p.account_id")}
     union
     select p.account_id, p.channel_id, p.phone from phone_checks p
     where exists (select 1 from channels d where d.account_id = p.account_id and d.id = p.channel_id and d.deleted_at is not null)
       and ${isWritable("p.account_id")}
     limit $1) p
   join channels c on c.account_id = p.account_id and c.id = p.channel_id`,
);
const FORGET = sql(
  "phones_forget",
  "delete from phone_checks where account_id = $1 and channel_id = $2 and phone = $3",
);

/** Ends what could not be looked up for a week as unknown, and forgets what deleted channels were asked. */
export async function endOldPhoneChecks(core: Base, limit: number): Promise<number> {
  const rows = await core.db.query<{
    accountId: number;
    channelId: string;
    phone: string;
    transport: string;
    deleted: boolean;
  }>(EXPIRED, [limit]);
  for (const { phone, deleted, ...channel } of rows)
    if (deleted) await core.db.query(FORGET, [channel.accountId, channel.channelId, phone]);
    else await recordLookup(core, channel, phone, "unknown");
  return rows.length;
}
