import { type Database, sql } from "../../database/database.ts";
import type { Log } from "../../platform/log.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createBatcher } from "../../platform/queue/batcher.ts";
import type { LiveChange } from "../payload/facts.ts";
import type { Signals } from "../signals.ts";
import { type Followed, follow } from "./live-log.ts";
import { announce, publishAndCommit } from "./publish.ts";

/**
 * Notifies open pages of stored changes that cause no webhook. If a notification is lost in a crash, the message's next
 * status makes up for it. Costs nothing for accounts that no page follows.
 */
export interface LiveNotifier {
  notify(change: LiveChange): void;
  /** Whether a page on any node follows the account, as far as this node knows. */
  follows(accountId: number): boolean;
  /**
   * Logs the account's changes for the next hour, for its pages on all nodes. Returns the present position: a page that
   * loads its content afterwards misses nothing that happens after it. Concurrent calls for an account share a
   * statement, because after a restart all open pages come back at once.
   */
  start(accountId: number): Promise<Followed>;
  close(): Promise<void>;
}

export interface HasLive {
  readonly live: LiveNotifier;
}

const FOLLOWED = sql(
  "live_followed",
  `select account_id, (extract(epoch from until) * 1000)::float8 as until from live_accounts
   where account_id = any(coalesce($1::bigint[], array[account_id])) and until > now()`,
);
const BATCH = 256;

export function createLiveNotifier(db: Database, signals: Signals, log: Log): LiveNotifier {
  const followed = new Map<number, number>();
  const changes = createBatcher<LiveChange, undefined>({
    maxItems: BATCH,
    maxConcurrent: 1,
    run: async (batch) => {
      const published = await db.tx((tx) =>
        publishAndCommit(
          tx,
          batch.map((change) => ({ kind: "live", change }) as const),
        ),
      );
      announce({ signals }, published);
      return batch.map(() => undefined);
    },
  });
  const complain = (error: unknown): void =>
    log.debug({ reason: messageOf(error) }, "open pages were not notified of a change");

  async function loadFollowed(accountId: number | null): Promise<void> {
    const rows = await db.query<{ account_id: number; until: number }>(FOLLOWED, [
      accountId === null ? null : [accountId],
    ]);
    for (const row of rows) followed.set(row.account_id, row.until);
  }
  const off = signals.on("live", (detail) => {
    loadFollowed(detail === "" ? null : Number(detail)).catch(complain);
  });
  loadFollowed(null).catch(complain);

  const starting = new Map<number, Promise<Followed>>();
  async function startNow(accountId: number): Promise<Followed> {
    const now = await follow(db, accountId);
    followed.set(accountId, now.until);
    signals.notify("live", String(accountId));
    return now;
  }

  function follows(accountId: number): boolean {
    const until = followed.get(accountId);
    if (until === undefined || until > Date.now()) return until !== undefined;
    return !followed.delete(accountId);
  }

  return {
    notify(change) {
      if (follows(change.accountId)) changes.add(change).catch(complain);
    },
    follows,
    start(accountId) {
      const shared = starting.get(accountId) ?? startNow(accountId).finally(() => starting.delete(accountId));
      starting.set(accountId, shared);
      return shared;
    },
    async close() {
      off();
      await changes.close();
    },
  };
}
