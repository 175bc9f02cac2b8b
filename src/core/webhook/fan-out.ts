import { type Queryable, sql } from "../../database/database.ts";
import { Cache } from "../cache.ts";

const COUNT = sql(
  "webhook_endpoints_count",
  "select count(*)::int as receivers from webhook_endpoints where account_id = $1",
);

/** Of an account that was not counted yet. */
const UNKNOWN = 10;
const COUNTED_FOR_MS = 10_000;

/** How many receivers an account has, so about how many rows each event costs. Never waits: it tells what it knows. */
export class FanOut {
  readonly #db: () => Queryable;
  readonly #known = new Cache<number, number>({ maxEntries: 10_000 });
  /** Counted a short while ago, or being counted. */
  readonly #fresh = new Cache<number, true>({ maxEntries: 10_000, ttlMs: COUNTED_FOR_MS });

  constructor(db: () => Queryable) {
    this.#db = db;
  }

  of(accountId: number): number {
    if (this.#fresh.get(accountId) === undefined) void this.#count(accountId);
    return this.#known.get(accountId) ?? UNKNOWN;
  }

  async #count(accountId: number): Promise<void> {
    this.#fresh.set(accountId, true);
    try {
      const [row] = await this.#db().query<{ receivers: number }>(COUNT, [accountId]);
      this.#known.set(accountId, row?.receivers ?? 0);
    } catch {
      // The database is away; what was known before is as good.
    }
  }
}
