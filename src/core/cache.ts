/** A bounded cache that evicts the oldest entry first; entries may also expire. */
export class Cache<Key, Value> {
  readonly #entries = new Map<Key, { value: Value; until: number }>();
  readonly #maxEntries: number;
  readonly #ttlMs: number;

  constructor(options: { readonly maxEntries: number; readonly ttlMs?: number }) {
    this.#maxEntries = options.maxEntries;
    this.#ttlMs = options.ttlMs ?? Number.POSITIVE_INFINITY;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > performance.now() ? entry.value : undefined;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#maxEntries) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    this.#entries.set(key, { value, until: performance.now() + this.#ttlMs });
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
