import { type Database, movedAccountOf, sql } from "../../database/database.ts";
import type { Log } from "../../platform/log.ts";
import { createBatcher } from "../../platform/queue/batcher.ts";
import type { QueueKey } from "../../platform/queue/fair-queue.ts";
import { jsonRows } from "../json-rows.ts";
import { LogThrottle } from "../log-throttle.ts";
import type { Recordings } from "./recordings.ts";

/**
 * An entry of a channel's log: an exchange or a note of its connector, already redacted. Exchanges are logged if they
 * failed, or if a recording is on. Kept for a week.
 */
export interface ChannelLogEntry {
  readonly accountId: number;
  readonly channelId: string;
  readonly at: Date;
  /** `debug`: only during a recording. */
  readonly level: "debug" | "info" | "warn";
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The message that it is about. */
  readonly messageId?: string;
}

/** Never throws and never blocks. While the database is unavailable, entries beyond a limit are dropped. */
export interface ChannelLogQueue {
  add(entry: ChannelLogEntry): void;
  close(): Promise<void>;
}

export interface HasChannelLog {
  readonly channelLog: ChannelLogQueue;
  readonly recordings: Recordings;
}

const INSERT = sql(
  "channel_log_insert",
  `insert into channel_log (account_id, channel_id, at, level, message, details, message_id)
   select account_id, channel_id, at, level, message, details, message_id from json_to_recordset($1::json) as r(
     account_id bigint, channel_id uuid, at timestamptz, level text, message text, details jsonb, message_id uuid)`,
);
/** Limits of the entries that wait to be stored. Beyond them, entries are only in the service's log. */
const MAX_WAITING_OF_CHANNEL = 100;
const MAX_WAITING = 1_000;
/** An unreachable messenger causes repeated errors for each channel, which the service's log need not repeat. */
const REPEATS_AFTER_MS = 600_000;
const LOSS_REPEATS_AFTER_MS = 60_000;

const queueKeyOf = ({ accountId, channelId }: ChannelLogEntry): QueueKey => ({
  owner: accountId,
  lane: channelId,
});

export function createChannelLogQueue(db: Database, log: Log): ChannelLogQueue {
  const throttle = new LogThrottle({ maxEntries: 10_000, ttlMs: REPEATS_AFTER_MS });
  const losses = new LogThrottle({ maxEntries: 1, ttlMs: LOSS_REPEATS_AFTER_MS });
  const batcher = createBatcher<ChannelLogEntry, void>({
    maxItems: 200,
    maxConcurrent: 1,
    queueKeyOf,
    // A moving account does not fail what is stored for others.
    splitOn: (error) => movedAccountOf(error) !== null,
    async run(entries) {
      const rows = entries.map(({ accountId, channelId, messageId, ...rest }) => ({
        account_id: accountId,
        channel_id: channelId,
        message_id: messageId ?? null,
        ...rest,
      }));
      await db.query(INSERT, [jsonRows(rows)]).catch((error: unknown) => {
        if (movedAccountOf(error) !== null) throw error;
        const level = losses.shouldLog("") ? "warn" : "debug";
        log[level]({ err: error, entries: rows.length }, "entries of channels' logs could not be stored");
      });
      return entries.map(() => undefined);
    },
  });
  function writeToLog({ channelId, level, message, details, messageId }: ChannelLogEntry): void {
    const isFirst = throttle.shouldLog(`${channelId} ${message}`);
    const about = messageId === undefined ? {} : { messageId };
    log[isFirst ? level : "debug"]({ channelId, ...about, ...details }, message);
  }
  return {
    add(entry) {
      writeToLog(entry);
      // Once the service stops, it accepts none.
      const { lane: waiting } = batcher.waitingOf(queueKeyOf(entry));
      if (waiting < MAX_WAITING_OF_CHANNEL && batcher.size() < MAX_WAITING)
        batcher.add(entry).catch(() => undefined);
    },
    close: () => batcher.close(),
  };
}
