const MAX_ENTRIES = 1_000;
const FRESH_MS = 5 * 60_000;

/** What was found out in the last minutes, for all channels of this process. */
export class Recent<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > performance.now() ? entry.value : undefined;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: performance.now() + FRESH_MS });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }
}
