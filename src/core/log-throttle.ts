import { Cache } from "./cache.ts";

/** Throttles repeated log entries: reports each key once per period. */
export class LogThrottle {
  readonly #seen: Cache<string, true>;

  constructor(options: { readonly maxEntries: number; readonly ttlMs: number }) {
    this.#seen = new Cache(options);
  }

  /** True once per `ttlMs`, or if the key was evicted in the meantime. */
  shouldLog(key: string): boolean {
    if (this.#seen.get(key) === true) return false;
    this.#seen.set(key, true);
    return true;
  }
}
