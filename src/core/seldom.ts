import { Cache } from "./cache.ts";

/** Tells what is new from what was there a moment ago already, for logs that must not repeat themselves. */
export class Seldom {
  readonly #seen: Cache<string, true>;

  constructor(options: { readonly maxEntries: number; readonly ttlMs: number }) {
    this.#seen = new Cache(options);
  }

  /** True once in `ttlMs`, or when so much else came in between that it is not remembered. */
  isNews(key: string): boolean {
    if (this.#seen.get(key) === true) return false;
    this.#seen.set(key, true);
    return true;
  }
}
