import { createHash } from "node:crypto";
import { type Database, movedAccountOf, type Queryable, sql } from "../../database/database.ts";
import type { Log } from "../../platform/log.ts";
import { createBatcher } from "../../platform/queue/batcher.ts";
import { jsonRows } from "../json-rows.ts";
import { retryUntilStored } from "../retry.ts";

/**
 * `payload`: a messenger's report that could not be parsed; `event`: one that could not be stored after that;
 * `unknown`: a sample of what no connector knows (`unknown-reports.ts`), whose reason is its kind.
 */
export const DEAD_LETTER_STAGES = ["payload", "event", "unknown"] as const;
export type DeadLetterStage = (typeof DEAD_LETTER_STAGES)[number];

export interface DeadLetter {
  readonly accountId: number;
  readonly channelId: string;
  readonly stage: DeadLetterStage;
  /** JSON text: the messenger's own, or `encodeEvent`. */
  readonly payload: string;
  readonly reason: string;
  /** How often it was reported. Default: once. */
  readonly times?: number;
}

export interface DeadLetterQueue {
  /**
   * Resolves when the letter is stored. Adding the same payload again counts it and updates the reason. Of `unknown`,
   * a channel keeps one letter per reason: adding another one counts it and replaces the payload.
   */
  add(letter: DeadLetter): Promise<void>;
  close(): Promise<void>;
}

/** A part of a messenger's report that the connector does not know. */
export interface UnknownReport {
  readonly transport: string;
  /** For people and metrics, such as `changes.mentions`. Foreign characters are replaced. */
  readonly kind: string;
  readonly sample: unknown;
  /** Without it, the report is only counted and logged. */
  readonly channel?: { readonly accountId: number; readonly channelId: string };
  /** Masks secrets in the sample. */
  redact(text: string): string;
}

export interface UnknownReports {
  /**
   * Counts the report. Of each channel and kind, the newest sample of every ten minutes is kept as a dead letter of the
   * stage `unknown`. Resolves when that is stored, at once if the report is not sampled.
   */
  add(report: UnknownReport): Promise<void>;
  /** Stores the counts since the last samples. */
  close(): Promise<void>;
}

export interface HasDeadLetters {
  readonly deadLetters: DeadLetterQueue;
  readonly unknownReports: UnknownReports;
}

/** Per channel, so that a hostile sender cannot fill the disk; the oldest are deleted. */
const MAX_ROWS = 1_000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_REASON = 1_000;
/** Characters of the payloads that one transaction stores, unless a single one is longer. */
const MAX_TEXT = 4 * 1024 * 1024;

const INSERT = sql(
  "dead_letters_insert",
  `insert into inbound_dead_letters as d (account_id, channel_id, digest, stage, payload, reason, times)
   select account_id, channel_id, decode(digest, 'hex'), stage, payload, reason, times from json_to_recordset($1::json)
     as r(account_id bigint, channel_id uuid, digest text, stage text, payload text, reason text, times int)
   on conflict (account_id, channel_id, digest) do update
     set last_at = now(), times = least(d.times::bigint + excluded.times, 2147483647), reason = excluded.reason,
       payload = case when d.stage = 'unknown' then excluded.payload else d.payload end, replay_requested_at = null`,
);
const EVICT = sql(
  "dead_letters_evict",
  `delete from inbound_dead_letters where account_id = $1 and id = any(array(
     select id from (
       select id, row_number() over w as place, sum(octet_length(payload)) over w as bytes
       from inbound_dead_letters where account_id = $1 and channel_id = $2
       window w as (order by last_at desc, id desc)) ranked
     where place > ${MAX_ROWS} or (place > 1 and bytes > ${MAX_BYTES})))
   returning id`,
);

export function createDeadLetterQueue(db: Database, log: Log): DeadLetterQueue {
  let closing = false;
  const batcher = createBatcher<DeadLetter, void>({
    maxItems: 50,
    maxConcurrent: 1,
    queueKeyOf: ({ accountId, channelId }) => ({ owner: accountId, lane: channelId }),
    weightOf: ({ payload }) => payload.length,
    maxWeight: MAX_TEXT,
    // A moving account does not fail what is stored for others.
    splitOn: (error) => movedAccountOf(error) !== null,
    async run(letters) {
      await retryUntilStored(
        () => db.tx((tx) => store(tx, letters, log)),
        () => closing,
      );
      // Reports of `unknown` are logged once a day.
      for (const { channelId, stage, reason } of letters.filter((each) => each.stage !== "unknown"))
        log.warn({ channelId, stage, reason }, "a messenger's report was refused and kept as a dead letter");
      return letters.map(() => undefined);
    },
  });
  return {
    add: batcher.add,
    close() {
      closing = true;
      return batcher.close();
    },
  };
}

async function store(tx: Queryable, letters: readonly DeadLetter[], log: Log): Promise<void> {
  const rows = new Map(letters.map((letter) => [keyOf(letter), rowOf(letter)]));
  await tx.query(INSERT, [jsonRows([...rows.values()])]);
  const channels = new Map(letters.map(({ accountId, channelId }) => [channelId, accountId]));
  for (const [channelId, accountId] of channels) {
    const evicted = await tx.query(EVICT, [accountId, channelId]);
    if (evicted.length > 0)
      log.error(
        { channelId, count: evicted.length },
        "a channel has too many dead letters: the oldest were deleted",
      );
  }
}

function rowOf(letter: DeadLetter): object {
  const { accountId, channelId, stage, payload, reason, times = 1 } = letter;
  const about = { account_id: accountId, channel_id: channelId, digest: digestOf(letter) };
  return { ...about, stage, payload, reason: reason.slice(0, MAX_REASON), times };
}

function keyOf(letter: DeadLetter): string {
  return `${letter.channelId} ${digestOf(letter)}`;
}

function digestOf({ stage, payload, reason }: DeadLetter): string {
  const about = stage === "unknown" ? reason : payload;
  return createHash("sha256").update(`${stage} `).update(about).digest("hex");
}
