import { type Queryable, sql } from "../../database/database.ts";
import type { DeadLetterStage } from "./dead-letters.ts";

/** A dead letter as operators see it. */
export interface ListedDeadLetter {
  readonly id: number;
  readonly accountId: number;
  readonly channelId: string;
  readonly transport: string;
  readonly stage: DeadLetterStage;
  readonly reason: string;
  readonly bytes: number;
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly isToReplay: boolean;
}

/** A letter must meet all conditions that are set. */
export interface DeadLetterFilter {
  readonly accountId?: number | undefined;
  readonly channelId?: string | undefined;
  readonly ids?: readonly number[] | undefined;
}

const CHOSEN = `($1::bigint is null or d.account_id = $1) and ($2::uuid is null or d.channel_id = $2)
  and ($3::bigint[] is null or d.id = any($3))`;

const LIST = sql(
  "dead_letters_list",
  `select d.id, d.account_id as "accountId", d.channel_id as "channelId", coalesce(c.transport, '') as transport,
          d.stage, d.reason, octet_length(d.payload) as bytes, d.times, d.first_at as "firstAt", d.last_at as "lastAt",
          d.replay_requested_at is not null as "isToReplay"
   from inbound_dead_letters d left join channels c on c.account_id = d.account_id and c.id = d.channel_id
   where ${CHOSEN} order by d.last_at desc, d.id desc limit $4`,
);

/** Newest first. */
export async function listDeadLetters(
  db: Queryable,
  filter: DeadLetterFilter,
  limit: number,
): Promise<ListedDeadLetter[]> {
  return db.query<ListedDeadLetter>(LIST, [...valuesOf(filter), limit]);
}

const PAYLOAD = sql("dead_letter_payload", "select payload from inbound_dead_letters where id = $1");

/** The letter's JSON text; null if there is no letter with this id. */
export async function deadLetterPayload(db: Queryable, id: number): Promise<string | null> {
  const [row] = await db.query<{ payload: string }>(PAYLOAD, [id]);
  return row?.payload ?? null;
}

export type DeadLetterKey = Pick<ListedDeadLetter, "id" | "accountId" | "channelId">;

const KEY = 'd.id, d.account_id as "accountId", d.channel_id as "channelId"';
const REQUEST = sql(
  "dead_letters_request_replay",
  `update inbound_dead_letters d set replay_requested_at = now() where ${CHOSEN} and d.stage <> 'unknown'
   returning ${KEY}`,
);

/** Marks the letters for one replay by the nodes that own the channels; samples of `unknown` are not replayed. */
export function markForReplay(db: Queryable, filter: DeadLetterFilter): Promise<DeadLetterKey[]> {
  return db.query<DeadLetterKey>(REQUEST, valuesOf(filter));
}

const WAITING = sql(
  "dead_letters_waiting",
  "select id, replay_requested_at is not null as waits from inbound_dead_letters where id = any($1)",
);

/** How many of these letters still wait for their replay, and which failed again. */
export async function replayProgress(
  db: Queryable,
  ids: readonly number[],
): Promise<{ readonly waiting: number; readonly refused: readonly number[] }> {
  const rows = await db.query<{ id: number; waits: boolean }>(WAITING, [ids]);
  return {
    waiting: rows.filter(({ waits }) => waits).length,
    refused: rows.filter(({ waits }) => !waits).map(({ id }) => id),
  };
}

const REMOVE = sql(
  "dead_letters_remove",
  `delete from inbound_dead_letters d where ${CHOSEN} returning ${KEY}`,
);

export function deleteDeadLetters(db: Queryable, filter: DeadLetterFilter): Promise<DeadLetterKey[]> {
  return db.query<DeadLetterKey>(REMOVE, valuesOf(filter));
}

function valuesOf({ accountId, channelId, ids }: DeadLetterFilter): unknown[] {
  return [accountId ?? null, channelId ?? null, ids ?? null];
}
