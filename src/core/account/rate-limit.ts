import { type Database, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";

export interface RateCount {
  readonly allowed: boolean;
  /** Requests per window; 0 if requests are not counted. */
  readonly limit: number;
  /** Length of the window. */
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Unix seconds at which the counter is reset. */
  readonly resetAt: number;
  /** Whole seconds until then, at least 1. */
  readonly retryAfter: number;
}

/** The Unix minute in which the window began, and the rest of it, by the database's clock, which all nodes share. */
const COUNT = sql(
  "rate_count",
  `with request as (select account_id, requests from unnest($1::bigint[], $2::integer[]) as r (account_id, requests)),
     moment as (select extract(epoch from now()) as epoch)
   insert into rate_counters as c (account_id, minute, requests)
   select account_id, floor(epoch / 60 / $3::integer) * $3::integer, requests from request, moment order by account_id
   on conflict (account_id, minute) do update set requests = c.requests + excluded.requests
   returning account_id, requests, (minute + $3::integer) * 60 as reset_at,
     ((minute + $3::integer) * 60 - extract(epoch from clock_timestamp()))::float8 as seconds_left`,
);

interface CountRow {
  readonly account_id: number;
  readonly requests: number;
  readonly reset_at: number;
  readonly seconds_left: number;
}

/** The request's number within the window. */
interface Counted {
  readonly number: number;
  readonly resetAt: number;
  readonly secondsLeft: number;
}

const UNLIMITED: RateCount = {
  allowed: true,
  limit: 0,
  windowSeconds: 60,
  remaining: 0,
  resetAt: 0,
  retryAfter: 1,
};
/** Rejecting from memory ends this long before the window does, so that no request of the next window is rejected. */
const CLOCK_MARGIN_SECONDS = 0.25;
/** At most one statement per node in this time. */
const SPACING_MS = 2;

/** Counts requests of accounts, on this node together with the others. */
export interface HasRateLimit {
  readonly rateLimit: RateLimit;
}

/**
 * Counts one request of the account over all nodes. Exactly `rateLimitPerMinute` requests are allowed per window,
 * which is one minute unless the operator has set another. Concurrent requests share one statement.
 */
export function countRequest(
  { settings, rateLimit }: Pick<Base, "settings"> & HasRateLimit,
  accountId: number,
): Promise<RateCount> | RateCount {
  return settings.rateLimitPerMinute === 0 ? UNLIMITED : rateLimit.count(accountId);
}

export class RateLimit {
  readonly #limit: number;
  readonly #windowSeconds: number;
  readonly #monotonicMs: () => number;
  readonly #queue: CountQueue;
  /** Accounts that have used up their window: rejected without a statement until it ends. */
  readonly #exhausted = new Map<number, { readonly untilMs: number; readonly resetAt: number }>();

  constructor({ db, clock, settings }: Pick<Base, "db" | "clock" | "settings">) {
    this.#limit = settings.rateLimitPerMinute;
    this.#windowSeconds = settings.rateLimitWindowMinutes * 60;
    this.#monotonicMs = () => clock.monotonicMs();
    this.#queue = new CountQueue(db, settings.rateLimitWindowMinutes);
  }

  async count(accountId: number): Promise<RateCount> {
    const exhausted = this.#exhausted.get(accountId);
    if (exhausted !== undefined) {
      const leftSeconds = (exhausted.untilMs - this.#monotonicMs()) / 1000;
      if (leftSeconds > CLOCK_MARGIN_SECONDS) return this.#answer(false, 0, exhausted.resetAt, leftSeconds);
      this.#exhausted.delete(accountId);
    }
    const { number, resetAt, secondsLeft } = await this.#queue.add(accountId);
    if (number <= this.#limit) return this.#answer(true, this.#limit - number, resetAt, secondsLeft);
    this.#exhausted.set(accountId, { untilMs: this.#monotonicMs() + secondsLeft * 1000, resetAt });
    return this.#answer(false, 0, resetAt, secondsLeft);
  }

  #answer(allowed: boolean, remaining: number, resetAt: number, secondsLeft: number): RateCount {
    return {
      allowed,
      limit: this.#limit,
      windowSeconds: this.#windowSeconds,
      remaining,
      resetAt,
      retryAfter: Math.max(1, Math.ceil(secondsLeft)),
    };
  }
}

/**
 * Counts requests that arrive within a few milliseconds in one statement. The first request after a pause does not
 * wait. Under load, the spacing keeps counting cheaper than the requests themselves.
 */
class CountQueue {
  readonly #db: Database;
  readonly #windowMinutes: number;
  #waiting: { readonly accountId: number; readonly settle: PromiseWithResolvers<Counted> }[] = [];
  #busy = false;
  #lastRunMs = Number.NEGATIVE_INFINITY;

  constructor(db: Database, windowMinutes: number) {
    this.#db = db;
    this.#windowMinutes = windowMinutes;
  }

  add(accountId: number): Promise<Counted> {
    const settle = Promise.withResolvers<Counted>();
    this.#waiting.push({ accountId, settle });
    this.#schedule();
    return settle.promise;
  }

  #schedule(): void {
    if (this.#busy || this.#waiting.length === 0) return;
    this.#busy = true;
    const pauseMs = this.#lastRunMs + SPACING_MS - performance.now();
    if (pauseMs > 0) setTimeout(() => this.#run(), pauseMs);
    else setImmediate(() => this.#run());
  }

  async #run(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#lastRunMs = performance.now();
    try {
      const counted = await countBatch(
        this.#db,
        batch.map(({ accountId }) => accountId),
        this.#windowMinutes,
      );
      for (const [index, { settle }] of batch.entries()) settle.resolve(counted[index] as Counted);
    } catch (error) {
      for (const { settle } of batch) settle.reject(error);
    }
    this.#busy = false;
    this.#schedule();
  }
}

/** One row per account. Its requests get the last numbers of the counter, in order of arrival. */
async function countBatch(
  db: Database,
  accountIds: readonly number[],
  windowMinutes: number,
): Promise<Counted[]> {
  const perAccount = new Map<number, number>();
  for (const id of accountIds) perAccount.set(id, (perAccount.get(id) ?? 0) + 1);
  const rows = await db.query<CountRow>(COUNT, [
    [...perAccount.keys()],
    [...perAccount.values()],
    windowMinutes,
  ]);
  const next = new Map(
    rows.map((row) => [
      row.account_id,
      { row, number: row.requests - (perAccount.get(row.account_id) ?? 0) },
    ]),
  );
  return accountIds.map((id) => {
    const counter = next.get(id);
    if (counter === undefined) throw new Error(`The requests of account ${id} were not counted`);
    counter.number++;
    return { number: counter.number, resetAt: counter.row.reset_at, secondsLeft: counter.row.seconds_left };
  });
}
