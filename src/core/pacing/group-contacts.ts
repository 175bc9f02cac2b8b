import { type Queryable, sql } from "../../database/database.ts";
import { recentFirstContacts } from "./first-contacts.ts";
import type { Allowance } from "./limits.ts";
import { DAY_MS } from "./slots.ts";

interface ChannelKey {
  readonly accountId: number;
  readonly channelId: string;
}

/**
 * How many milliseconds until this many first contacts fit into the allowance of 24 hours: 0 now, null never. Several
 * people are added at once, so the allowance's burst does not count. Pure.
 */
export function contactsWaitMs(
  ages: readonly number[],
  { perDay }: Pick<Allowance, "perDay">,
  count: number,
): number | null {
  if (count === 0) return 0;
  if (count > perDay) return null;
  const made = ages.filter((age) => age < DAY_MS).toSorted((a, b) => b - a);
  const excess = made.length + count - perDay;
  return excess <= 0 ? 0 : DAY_MS - (made[excess - 1] ?? 0);
}

const ADD = sql(
  "first_contacts_add",
  `insert into first_contacts (account_id, channel_id, message_id)
   select $1, $2, id from unnest($3::uuid[]) as id on conflict do nothing`,
);
const REMOVE = sql(
  "first_contacts_remove",
  "delete from first_contacts where account_id = $1 and channel_id = $2 and message_id = any($3::uuid[])",
);

/**
 * Uses a part of the channel's allowance of first contacts (null: it has none), durably, under these ids. Returns how
 * long to wait if not enough of it is left; null: the whole allowance is too small; 0: it is taken.
 */
export async function takeGroupContacts(
  tx: Queryable,
  channel: ChannelKey,
  allowance: Allowance | null,
  ids: readonly string[],
): Promise<number | null> {
  if (allowance === null || ids.length === 0) return 0;
  const made = await recentFirstContacts(tx, channel);
  const wait = contactsWaitMs([...made.values()], allowance, ids.length);
  if (wait === 0) await tx.query(ADD, [channel.accountId, channel.channelId, ids]);
  return wait;
}

/** Gives them back: the call certainly had no effect. */
export async function returnGroupContacts(
  tx: Queryable,
  channel: ChannelKey,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await tx.query(REMOVE, [channel.accountId, channel.channelId, ids]);
}
