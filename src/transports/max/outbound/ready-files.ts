import { setTimeout as sleep } from "node:timers/promises";
import { BoundedMap } from "../bounded-map.ts";
import { readReady } from "../inbound/update.ts";

const KEPT = 100;

/** The uploads that MAX has finished processing. Each report ends one wait. */
export class ReadyFiles {
  readonly #done = new BoundedMap<string, true>(KEPT);
  readonly #waiting = new Map<string, () => void>();

  /** Handles push 136. */
  take(payload: unknown): void {
    for (const id of Object.values(readReady(payload) ?? {})) {
      if (id === undefined) continue;
      const resolve = this.#waiting.get(id);
      if (resolve === undefined) this.#done.set(id, true);
      else resolve();
    }
  }

  /** Resolves when the file is ready, or after `ms` in any case. Rejects if `signal` aborts. */
  async wait(id: string, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#done.has(id)) {
      this.#done.delete(id);
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const over = new AbortController();
    this.#waiting.set(id, resolve);
    try {
      const late = sleep(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) });
      await Promise.race([promise, late]);
      late.catch(() => undefined);
    } finally {
      over.abort();
      this.#waiting.delete(id);
    }
  }
}
