/** How long a step waits: long enough for a busy machine. */
export const PATIENCE_MS = 30_000;

/** One item of a webhook: `kind` is its key in the body of v3, or the name of a v2 event. */
export interface Told {
  readonly kind: string;
  readonly item: Readonly<Record<string, unknown>>;
}

interface Waiting {
  readonly fits: (told: Told) => boolean;
  readonly resolve: (told: Told) => void;
}

/** The webhook items that the CRM received, until a step consumes them. */
export class Webhooks {
  #kept: Told[] = [];
  readonly #waiting = new Set<Waiting>();

  /** The body of a request arrived. */
  take(body: unknown): void {
    for (const told of itemsOf(body)) {
      const waiting = [...this.#waiting].find(({ fits }) => fits(told));
      if (waiting === undefined) {
        this.#kept.push(told);
        continue;
      }
      // Immediately: the next item of this body is for another waiter.
      this.#waiting.delete(waiting);
      waiting.resolve(told);
    }
  }

  /** Whether such an unconsumed item has arrived. */
  has(fits: (told: Told) => boolean): boolean {
    return this.#kept.some(fits);
  }

  /** Discards items that no step will consume. */
  forget(fits: (told: Told) => boolean): void {
    this.#kept = this.#kept.filter((told) => !fits(told));
  }

  /** The first matching item, past or future. Throws after a time limit. */
  async next(what: string, fits: (told: Told) => boolean, patienceMs = PATIENCE_MS): Promise<Told> {
    const kept = this.#kept.find(fits);
    if (kept !== undefined) {
      this.#kept = this.#kept.filter((told) => told !== kept);
      return kept;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Told>();
    const waiting = { fits, resolve };
    this.#waiting.add(waiting);
    const timer = setTimeout(() => reject(new Error(`no webhook told: ${what}`)), patienceMs);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    });
  }
}

function itemsOf(body: unknown): Told[] {
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  if (typeof fields["event"] === "string") return listed(fields["event"], fields["data"]);
  return Object.entries(fields).flatMap(([kind, value]) => listed(kind, value));
}

function listed(kind: string, value: unknown): Told[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) =>
    typeof item === "object" && item !== null ? [{ kind, item: item as Told["item"] }] : [],
  );
}
