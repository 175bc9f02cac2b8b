import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";

/** Sends NOTIFYs. Those of ten milliseconds are sent in one statement, without duplicates. */
export interface Notifier {
  notify(channel: string, payload: string): void;
  /** Sends pending notifications. */
  close(): Promise<void>;
}

const COLLECT_MS = 10;
// Limits memory while the server is unavailable. Listeners are notified after the reconnect anyway.
const MAX_WAITING = 10_000;

/**
 * `send` must run outside a transaction: a NOTIFY inside one takes a database-wide lock at commit. A failure is only
 * logged, because every listener also polls.
 */
export function createNotifier(
  send: (channels: string[], payloads: string[]) => Promise<unknown>,
  log: Log,
): Notifier {
  let waiting = new Map<string, { channel: string; payload: string }>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  async function flush(): Promise<void> {
    const batch = [...waiting.values()];
    waiting = new Map();
    if (batch.length === 0) return;
    try {
      await send(
        batch.map(({ channel }) => channel),
        batch.map(({ payload }) => payload),
      );
    } catch (error) {
      log.debug({ reason: messageOf(error), count: batch.length }, "notifications could not be sent");
    }
  }

  function schedule(): void {
    if (timer !== undefined || sending !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      sending = flush().finally(() => {
        sending = undefined;
        if (waiting.size > 0) schedule();
      });
    }, COLLECT_MS);
  }

  return {
    notify(channel, payload) {
      if (waiting.size >= MAX_WAITING) return;
      waiting.set(`${channel} ${payload}`, { channel, payload });
      schedule();
    },
    async close() {
      clearTimeout(timer);
      await sending;
      await flush();
    },
  };
}
