import { type Queryable, sql } from "../../database/database.ts";
import type { Clock } from "../../platform/clock.ts";
import { jsonRows } from "../json-rows.ts";

/**
 * What is counted:
 * - `messages`: messages whose sending ended, by result (`sent` or an error code);
 * - `inbound`: messages received;
 * - `requests`: requests that send something to a messenger, by result, with their duration;
 * - `deliveries`: webhook requests by response, with their duration;
 * - `waiting`: samples of a channel's queue;
 * - `queue`: samples of the installation's queues, by queue;
 * - `disk`: samples of the used share of the disk with each node's data, in percent.
 */
export const STATISTICS = [
  "messages",
  "inbound",
  "requests",
  "deliveries",
  "waiting",
  "queue",
  "disk",
] as const;
export type StatisticKind = (typeof STATISTICS)[number];

/** The account of what belongs to no account. */
export const INSTALLATION = 0;
export const NO_SUBJECT = "00000000-0000-0000-0000-000000000000";

export interface Counted {
  readonly accountId: number;
  readonly kind: StatisticKind;
  /** Id of the channel or receiver; `NO_SUBJECT`. */
  readonly subject: string;
  /** The result, error code or queue; "" if there are none. */
  readonly label: string;
  /** Milliseconds, or the depth of a queue. */
  readonly value?: number;
}

export interface HasStatistics {
  readonly statistics: Statistics;
}

interface Sum {
  readonly account_id: number;
  readonly kind: StatisticKind;
  readonly subject: string;
  readonly label: string;
  /** Start of its minute in seconds of Unix time. */
  readonly at: number;
  count: number;
  total: number;
  peak: number;
}

/** Beyond this number of sums, what is new is not counted: the database has been unavailable for long. */
const MAX_SUMS = 50_000;
const MAX_LABEL_LENGTH = 64;

// Nodes add to the same rows: in one order, so that they cannot block each other.
const ADD = sql(
  "statistics_add",
  `insert into statistics as s (account_id, span_seconds, kind, at, subject, label, count, total, peak)
   select r.account_id, p.span, r.kind, to_timestamp(floor(r.at / p.span) * p.span), r.subject, r.label,
     sum(r.count), sum(r.total), max(r.peak)
   from json_to_recordset($1::json) as r(
       account_id bigint, kind text, at float8, subject uuid, label text, count bigint, total float8, peak float8)
     cross join (values (300), (3600), (86400)) as p (span)
   group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
   on conflict (account_id, span_seconds, kind, at, subject, label) do update
     set count = s.count + excluded.count, total = s.total + excluded.total, peak = greatest(s.peak, excluded.peak)`,
);

/**
 * Counts in memory; `flush` adds the sums to the table in one statement. A crash loses at most what was counted since
 * the last flush, and a commit whose confirmation is lost counts it twice.
 */
export class Statistics {
  readonly #clock: Clock;
  #sums = new Map<string, Sum>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Cheap, never throws: called for every message and request. */
  add({ accountId, kind, subject, value = 0, ...given }: Counted): void {
    const label = given.label.slice(0, MAX_LABEL_LENGTH);
    const at = Math.floor(this.#clock.now().getTime() / 60_000) * 60;
    const key = `${at} ${accountId} ${kind} ${subject} ${label}`;
    const known = this.#sums.get(key);
    const one = { count: 1, total: value, peak: value };
    if (known !== undefined) addTo(known, one);
    else if (this.#sums.size < MAX_SUMS)
      this.#sums.set(key, { account_id: accountId, kind, subject, label, at, ...one });
  }

  /** Returns the number of sums stored. If it throws, they are stored by the next flush. */
  async flush(db: Queryable): Promise<number> {
    const sums = this.#sums;
    if (sums.size === 0) return 0;
    this.#sums = new Map();
    try {
      await db.query(ADD, [jsonRows([...sums.values()])]);
    } catch (error) {
      this.#putBack(sums);
      throw error;
    }
    return sums.size;
  }

  #putBack(sums: Map<string, Sum>): void {
    const since = this.#sums;
    this.#sums = sums;
    for (const [key, sum] of since) {
      const known = sums.get(key);
      if (known !== undefined) addTo(known, sum);
      else if (sums.size < MAX_SUMS) sums.set(key, sum);
    }
  }
}

function addTo(sum: Sum, { count, total, peak }: Pick<Sum, "count" | "total" | "peak">): void {
  sum.count += count;
  sum.total += total;
  sum.peak = Math.max(sum.peak, peak);
}

/** Counted for the installation, not for an account: for operators only. */
export function isOfInstallation(kind: StatisticKind): boolean {
  return kind === "queue" || kind === "disk";
}
