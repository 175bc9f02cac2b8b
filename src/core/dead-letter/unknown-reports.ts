import type { Log } from "../../platform/log.ts";
import { messageOf } from "../../platform/message-of.ts";
import { LogThrottle } from "../log-throttle.ts";
import { sampleText } from "../transport/sample.ts";
import type { DeadLetterQueue, UnknownReport, UnknownReports } from "./dead-letters.ts";

const SAMPLE_EVERY_MS = 10 * 60_000;
const LOG_EVERY_MS = 24 * 60 * 60_000;
const MAX_KIND = 60;
/** A tenant that signs its own calls may invent kinds; those beyond these limits are the kind `other`. */
const MAX_KINDS = { channel: 20, transport: 100 };
const MAX_CHANNELS = 10_000;
const OTHER = "other";

interface Sampled {
  at: number;
  /** Reports since then. */
  count: number;
  last: () => Promise<void>;
}

export function createUnknownReports(options: {
  readonly deadLetters: DeadLetterQueue;
  readonly log: Log;
  onReport(labels: { readonly transport: string; readonly kind: string }): void;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}): UnknownReports {
  const { deadLetters, log, onReport, now = () => performance.now() } = options;
  const channels = new Map<string, Map<string, Sampled>>();
  const transports = new Map<string, Set<string>>();
  const throttle = new LogThrottle({ maxEntries: 5_000, ttlMs: LOG_EVERY_MS });

  function note({ transport, channel }: UnknownReport, kind: string): void {
    onReport({ transport, kind });
    if (throttle.shouldLog(`${transport} ${kind}`))
      log.info(
        { transport, kind, channelId: channel?.channelId },
        "a messenger's report has a part that this service does not know",
      );
  }

  return {
    async add(report) {
      const { transport, channel, sample, redact } = report;
      const known = takeSet(transports, transport);
      const kind = limited(known, cleaned(report.kind), MAX_KINDS.transport);
      known.add(kind);
      note(report, kind);
      if (channel === undefined) return;
      const kinds = takeMap(channels, channel.channelId);
      const name = limited(kinds, kind, MAX_KINDS.channel);
      const found = kinds.get(name);
      if (found !== undefined && now() - found.at < SAMPLE_EVERY_MS) {
        found.count++;
        return;
      }
      const payload = redact(sampleText(sample));
      const store = (times: number): Promise<void> =>
        deadLetters.add({ ...channel, stage: "unknown", payload: validJson(payload), reason: name, times });
      const entry: Sampled = { at: now(), count: 0, last: () => store(entry.count) };
      kinds.set(name, entry);
      // Fails only while the service stops.
      await store(1 + (found?.count ?? 0)).catch((error: unknown) =>
        log.debug({ err: error }, "a sample was lost"),
      );
    },
    async close() {
      const waiting = [...channels.values()].flatMap((kinds) => [...kinds.values()]);
      channels.clear();
      await Promise.all(waiting.filter(({ count }) => count > 0).map(({ last }) => last()));
    },
  };
}

function cleaned(kind: string): string {
  return kind.replace(/[^\w.:-]/g, "_").slice(0, MAX_KIND) || OTHER;
}

function limited(known: { has(kind: string): boolean; readonly size: number }, kind: string, max: number) {
  return known.has(kind) || known.size < max ? kind : OTHER;
}

function takeSet(all: Map<string, Set<string>>, key: string): Set<string> {
  const found = all.get(key) ?? new Set();
  all.set(key, found);
  return found;
}

/** Drops the channel without reports for longest; of its last reports, some may be missing in its counts. */
function takeMap(all: Map<string, Map<string, Sampled>>, key: string): Map<string, Sampled> {
  const found = all.get(key) ?? new Map<string, Sampled>();
  all.delete(key);
  all.set(key, found);
  const [oldest] = all.keys();
  if (all.size > MAX_CHANNELS && oldest !== undefined) all.delete(oldest);
  return found;
}

/** A mask may cut an escape sequence. */
function validJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    return JSON.stringify(`${messageOf(error)}: ${text}`);
  }
}
