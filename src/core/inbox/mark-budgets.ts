/** A token bucket: marks at once, and marks per second after them. */
interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

/** An employee who reads and writes needs one or two marks in some seconds; a channel has several employees. */
const ALLOWANCES = {
  session: { burst: 20, perSecond: 1 },
  channel: { burst: 60, perSecond: 4 },
  /** Messengers show it for five seconds or more. */
  typing: { burst: 2, perSecond: 1 / 4 },
} as const satisfies Readonly<Record<string, Allowance>>;

/** What a mark is charged to: the page's session, the channel, or typing in the chat. */
export interface MarkKey {
  readonly kind: keyof typeof ALLOWANCES;
  readonly id: string;
}

/** Beyond this number, the budget charged least recently is dropped: it is full again, or nearly. */
const MAX_BUDGETS = 20_000;

/** Bounds how often pages let marks be shown, on this node. */
export class MarkBudgets {
  readonly #budgets = new Map<string, { left: number; at: number }>();
  readonly #now: () => number;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Charges one mark to all of the keys; false, and nothing is charged, if one of them has nothing left. */
  spend(keys: readonly MarkKey[]): boolean {
    const now = this.#now();
    const budgets = keys.map(({ kind, id }) => {
      const { burst, perSecond }: Allowance = ALLOWANCES[kind];
      const { left, at } = this.#budgets.get(`${kind} ${id}`) ?? { left: burst, at: now };
      return { name: `${kind} ${id}`, left: Math.min(burst, left + ((now - at) / 1_000) * perSecond) };
    });
    if (budgets.some(({ left }) => left < 1)) return false;
    for (const { name, left } of budgets) {
      this.#budgets.delete(name);
      this.#budgets.set(name, { left: left - 1, at: now });
    }
    for (const oldest of this.#budgets.keys()) {
      if (this.#budgets.size <= MAX_BUDGETS) break;
      this.#budgets.delete(oldest);
    }
    return true;
  }
}

export interface HasMarkBudgets {
  readonly markBudgets: MarkBudgets;
}
