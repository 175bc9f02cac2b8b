import { type Queryable, sql, type Transaction } from "../../database/database.ts";
import { Cache } from "../cache.ts";
import { retryOnLostConnection } from "../retry.ts";

/** How long a count is trusted, together with what this node has admitted since. */
const TRUSTED_MS = 1_000;
/** The same without other nodes: only an account that has come near its quota is counted again earlier. */
const TRUSTED_ALONE_MS = 30_000;
const MAX_ACCOUNTS = 20_000;
/**
 * Below this fraction of the quota no lock is taken: so many nodes together cannot exceed the quota within a second.
 */
const FREE_PART = 32;

const COUNT = sql(
  "quota_waiting_sends",
  "select count(*)::int as waiting from (select 1 from send_jobs where account_id = $1 limit $2) w",
);

async function countWaiting(db: Queryable, accountId: number, limit: number): Promise<number> {
  const [counted] = await db.query<{ waiting: number }>(COUNT, [accountId, limit]);
  return counted?.waiting ?? 0;
}

interface Estimate {
  readonly counted: Promise<number>;
  /** By `performance.now()`. */
  readonly at: number;
  admitted: number;
}

const isOld = ({ at }: Estimate): boolean => performance.now() - at >= TRUSTED_MS;

/** Decides, without a query each time, which accounts are so far from their quota that no lock is needed. */
export class WaitingSends {
  readonly #db: Queryable;
  readonly #limit: number;
  readonly #hasOthers: () => boolean;
  readonly #estimates = new Cache<number, Estimate>({ maxEntries: MAX_ACCOUNTS, ttlMs: TRUSTED_ALONE_MS });

  /** `hasOthers`: whether other nodes may admit messages too. */
  constructor(db: Queryable, limit: number, hasOthers: () => boolean) {
    this.#db = db;
    this.#limit = limit;
    this.#hasOthers = hasOthers;
  }

  /** One more is about to be added. */
  async isFarFromLimit(accountId: number): Promise<boolean> {
    if (this.#limit === 0) return true;
    const known = this.#estimates.get(accountId);
    const estimate =
      known === undefined || (this.#hasOthers() && isOld(known)) ? this.#count(accountId) : known;
    if (await this.#admits(estimate)) return true;
    if (!isOld(estimate)) return false;
    // What was admitted may have been sent.
    const latest = this.#estimates.get(accountId);
    return this.#admits(latest === undefined || latest === estimate ? this.#count(accountId) : latest);
  }

  async #admits(estimate: Estimate): Promise<boolean> {
    const admitted = ++estimate.admitted;
    return (await estimate.counted) + admitted <= this.#limit / FREE_PART;
  }

  #count(accountId: number): Estimate {
    const estimate = {
      counted: retryOnLostConnection(() => countWaiting(this.#db, accountId, this.#limit)),
      at: performance.now(),
      admitted: 0,
    };
    estimate.counted.catch(() => this.#estimates.delete(accountId));
    this.#estimates.set(accountId, estimate);
    return estimate;
  }
}

interface Sending {
  readonly account_id: number;
  readonly id: string;
}

const LOCK = sql(
  "quota_lock_accounts",
  "select 1 from accounts where id = any($1) order by id for no key update",
);
const STORED = sql(
  "quota_stored_before",
  `select k.id from unnest($1::bigint[], $2::uuid[]) k(account_id, id)
   cross join lateral (select 1 from messages m where m.account_id = k.account_id and m.id = k.id limit 1) stored`,
);

/**
 * Those that fit into their accounts' quotas, in order; a retry of what is stored needs no room. Locks the accounts.
 */
export async function withinQuota<T extends Sending>(
  tx: Transaction,
  messages: readonly T[],
  limit: number,
): Promise<T[]> {
  const accounts = [...new Set(messages.map(({ account_id: id }) => id))];
  await tx.query(LOCK, [accounts]);
  const ids = messages.map(({ id }) => id);
  const stored = await tx.query<{ id: string }>(STORED, [messages.map(({ account_id: id }) => id), ids]);
  const known = new Set(stored.map(({ id }) => id));
  const room = new Map<number, number>();
  for (const id of accounts) room.set(id, limit - (await countWaiting(tx, id, limit)));
  return messages.filter(({ account_id: accountId, id }) => {
    if (known.has(id)) return true;
    const left = room.get(accountId) ?? 0;
    room.set(accountId, left - 1);
    return left > 0;
  });
}
