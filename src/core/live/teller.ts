import { type Database, sql } from "../../database/database.ts";
import type { Log } from "../../platform/log.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createBatcher } from "../../platform/queue/batcher.ts";
import { announce, type Event, publishAndCommit } from "../event/publish.ts";
import type { Signals } from "../signals.ts";

/** A change that only open pages are notified of; receivers of webhooks are not. */
export interface LiveChange {
  readonly accountId: number;
  readonly about: "message" | "chat" | "client" | "reload";
  /** Our uuid of the chat; for `reload` any uuid. */
  readonly chat: string;
  /** Id of the message or chat. */
  readonly subject: string;
}

/**
 * Notifies open pages of stored changes that cause no webhook. A notification lost in a crash is made up for by the
 * message's next status. Free for accounts that no page follows.
 */
export interface LiveTeller {
  tell(change: LiveChange): void;
  /** Whether a page on any node follows the account, as far as this node knows. */
  follows(accountId: number): boolean;
  /** Records that a page, on any node, follows the account until this time (Unix, milliseconds). */
  follow(accountId: number, until: number): void;
  close(): Promise<void>;
}

export interface HasLive {
  readonly live: LiveTeller;
}

const FOLLOWED = sql(
  "live_followed",
  `select account_id, (extract(epoch from until) * 1000)::float8 as until from live_accounts
   where account_id = any(coalesce($1::bigint[], array[account_id])) and until > now()`,
);
const BATCH = 256;

export function createLiveTeller(db: Database, wakes: Signals, log: Log): LiveTeller {
  const followed = new Map<number, number>();
  const changes = createBatcher<LiveChange, undefined>({
    maxItems: BATCH,
    maxConcurrent: 1,
    run: async (batch) => {
      const told = await db.tx((tx) => publishAndCommit(tx, batch.map(liveEvent)));
      announce({ wakes }, told);
      return batch.map(() => undefined);
    },
  });
  const complain = (error: unknown): void =>
    log.debug({ reason: messageOf(error) }, "open pages were not notified of a change");

  async function look(accountId: number | null): Promise<void> {
    const rows = await db.query<{ account_id: number; until: number }>(FOLLOWED, [
      accountId === null ? null : [accountId],
    ]);
    for (const row of rows) followed.set(row.account_id, row.until);
  }
  const off = wakes.on("live", (detail) => {
    look(detail === "" ? null : Number(detail)).catch(complain);
  });
  look(null).catch(complain);

  function follows(accountId: number): boolean {
    const until = followed.get(accountId);
    if (until === undefined || until > Date.now()) return until !== undefined;
    return !followed.delete(accountId);
  }

  return {
    tell(change) {
      if (follows(change.accountId)) changes.add(change).catch(complain);
    },
    follows,
    follow(accountId, until) {
      followed.set(accountId, until);
      wakes.wake("live", String(accountId));
    },
    async close() {
      off();
      await changes.close();
    },
  };
}

function liveEvent({ accountId, about, chat, subject }: LiveChange): Event {
  return { accountId, kind: "live", channelId: null, chat, subject, body: { about } };
}
