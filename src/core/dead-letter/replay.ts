import { type Queryable, sql } from "../../database/database.ts";
import { messageOf } from "../../platform/message-of.ts";

/** A dead letter marked for a replay. */
export interface LetterToReplay {
  readonly accountId: number;
  readonly id: number;
  readonly channelId: string;
  readonly stage: "payload" | "event";
  readonly payload: string;
}

/** Expression: whether any dead letter is marked for a replay. The first condition is true for each of them. */
export const HAS_LETTERS_TO_REPLAY = `(select true from inbound_dead_letters
  where channel_id >= '00000000-0000-0000-0000-000000000000' and replay_requested_at is not null limit 1)`;

const NEXT = sql(
  "dead_letters_to_replay",
  `select l.account_id as "accountId", l.id, l.channel_id as "channelId", l.stage, l.payload
   from unnest($1::uuid[]) as c(id) cross join lateral (
     select * from inbound_dead_letters where channel_id = any(array[c.id]) and replay_requested_at is not null
     order by channel_id, id limit 1) l
   limit $2`,
);

/** The first letter of each of these channels, of up to `limit` channels. */
export async function lettersToReplay(
  db: Queryable,
  channelIds: readonly string[],
  limit: number,
): Promise<LetterToReplay[]> {
  return db.query<LetterToReplay>(NEXT, [channelIds, limit]);
}

const BEGIN = sql(
  "dead_letter_replay_begin",
  `update inbound_dead_letters set replay_requested_at = null where account_id = $1 and id = $2 returning times`,
);
const DONE = sql(
  "dead_letter_replay_done",
  "delete from inbound_dead_letters where account_id = $1 and id = $2 and times = $3",
);
const FAILED = sql(
  "dead_letter_replay_failed",
  "update inbound_dead_letters set last_at = now(), times = times + 1, reason = $3 where account_id = $1 and id = $2",
);

/**
 * Processes a letter again with `attempt` and removes it on success. A letter that fails again stays, with the new
 * reason: `attempt` throws, or adds the same payload to the dead letters.
 */
export async function replayLetter(
  db: Queryable,
  { accountId, id }: LetterToReplay,
  attempt: () => Promise<void>,
): Promise<void> {
  const [row] = await db.query<{ times: number }>(BEGIN, [accountId, id]);
  if (row === undefined) return;
  try {
    await attempt();
  } catch (error) {
    await db.query(FAILED, [accountId, id, messageOf(error)]);
    return;
  }
  // If it failed again, its count is higher than the one read.
  await db.query(DONE, [accountId, id, row.times]);
}
