import { type Database, type Queryable, sql } from "../../database/database.ts";
import type { Clock } from "../../platform/clock.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import type { Signals } from "../signals.ts";

/** How long a recording lasts. */
const MINUTES = 15;
/** Maximum exchanges that a node records per recording, so that a busy channel does not fill the log. */
const MAX_LINES = 2_000;

/** The channels that are being recorded, as far as this node knows. */
export interface Recordings {
  /** Whether to record one more exchange, which is counted. Cheap: called for every exchange. */
  take(channelId: string): boolean;
  close(): void;
}

interface ChannelKey {
  readonly accountId: number;
  readonly channelId: string;
}

const START = sql(
  "channel_recording_start",
  `insert into channel_recordings as r (account_id, channel_id, until) values ($1, $2, now() + interval '${MINUTES} minutes')
   on conflict (account_id, channel_id) do update set until = excluded.until returning until`,
);
const END = sql(
  "channel_recording_end",
  "delete from channel_recordings where account_id = $1 and channel_id = $2 and until > now() returning 1",
);
const CURRENT = sql(
  "channel_recordings_current",
  "select channel_id as id, until from channel_recordings where until > now()",
);
const FIND = sql(
  "channel_recording_find",
  "select until from channel_recordings where account_id = $1 and channel_id = $2 and until > now()",
);

/** Records all exchanges of a channel for 15 minutes. Returns the end of the recording. */
export async function startRecording(core: Base, { accountId, channelId }: ChannelKey): Promise<Date> {
  const until = await core.db.tx(async (tx) => {
    const [row] = await tx.query<{ until: Date }>(START, [accountId, channelId]);
    if (row === undefined) throw new Error("unreachable");
    const details = { until: row.until };
    await audit(tx, { accountId, action: "channel.record", subject: channelId, details });
    return row.until;
  });
  core.signals.notify("recordings");
  return until;
}

/** Idempotent. */
export async function endRecording(core: Base, { accountId, channelId }: ChannelKey): Promise<void> {
  await core.db.tx(async (tx) => {
    if ((await tx.query(END, [accountId, channelId])).length > 0)
      await audit(tx, { accountId, action: "channel.record_end", subject: channelId });
  });
  core.signals.notify("recordings");
}

/** The end of the channel's recording; null: only failed exchanges are logged. */
export async function recordedUntil(
  db: Queryable,
  { accountId, channelId }: ChannelKey,
): Promise<Date | null> {
  return (await db.query<{ until: Date }>(FIND, [accountId, channelId]))[0]?.until ?? null;
}

/** Reads the table at the start and after each change by any node. */
export function followRecordings(parts: {
  readonly db: Database;
  readonly signals: Signals;
  readonly clock: Clock;
  onError(error: unknown): void;
}): Recordings {
  const { db, signals, clock, onError } = parts;
  let open = new Map<string, { readonly until: Date; lines: number }>();
  let reads = 0;
  const read = (): void => {
    const place = ++reads;
    db.query<{ id: string; until: Date }>(CURRENT)
      .then((rows) => {
        // The result of a later read may arrive first.
        if (place < reads) return;
        const known = open;
        open = new Map(rows.map(({ id, until }) => [id, kept(known.get(id), until)]));
      })
      .catch(onError);
  };
  read();
  const off = signals.on("recordings", read);
  return {
    take(channelId) {
      const recording = open.get(channelId);
      if (recording === undefined || recording.until <= clock.now()) return false;
      return recording.lines++ < MAX_LINES;
    },
    close: off,
  };
}

/** The count is kept unless the recording was restarted. */
function kept(
  known: { readonly until: Date; lines: number } | undefined,
  until: Date,
): { readonly until: Date; lines: number } {
  return known?.until.getTime() === until.getTime() ? known : { until, lines: 0 };
}
