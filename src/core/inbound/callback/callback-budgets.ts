/** The cost of a call. Omitted fields count as 0. */
export interface CallbackCost {
  readonly bytes?: number;
  /** Time for which the call blocked the node. */
  readonly ms?: number;
  /** Events and dead letters. */
  readonly rows?: number;
}

type Unit = keyof CallbackCost;
/** A token bucket: its capacity and its refill rate. */
type Allowance = Readonly<Record<Unit, { readonly burst: number; readonly perSecond: number }>>;

const MEGABYTE = 1024 * 1024;
/**
 * A channel that sends and receives a hundred messages a second uses far less: about 0.3 MB and 500 rows. With the
 * account's limit of 10% of the time, a tenant that signs its own calls cannot block the node.
 */
const ALLOWANCES = {
  channel: {
    bytes: { burst: 64 * MEGABYTE, perSecond: 4 * MEGABYTE },
    ms: { burst: 2_000, perSecond: 100 },
    rows: { burst: 20_000, perSecond: 1_000 },
  },
  account: {
    bytes: { burst: 96 * MEGABYTE, perSecond: 8 * MEGABYTE },
    ms: { burst: 2_000, perSecond: 100 },
    rows: { burst: 30_000, perSecond: 2_000 },
  },
  /** A caller whose calls were refused: each may be 4 MB, and costs an HMAC over it or more. */
  caller: {
    bytes: { burst: 16 * MEGABYTE, perSecond: MEGABYTE },
    ms: { burst: 1_000, perSecond: 50 },
    rows: { burst: 1, perSecond: 1 },
  },
} as const satisfies Readonly<Record<string, Allowance>>;

/** What a call is charged to, such as `{ kind: "channel", id: "…" }`. */
export interface BudgetKey {
  readonly kind: keyof typeof ALLOWANCES;
  readonly id: string;
}

interface Account {
  left: Record<Unit, number>;
  at: number;
}

/** Beyond this number, the budget charged least recently is dropped: it is full again, or nearly. */
const MAX_BUDGETS = 10_000;
const UNITS: readonly Unit[] = ["bytes", "ms", "rows"];

/**
 * Budgets for callbacks: bytes, time and rows per channel, account and refused caller, on this node. A budget may be
 * overdrawn by one burst; calls are accepted again when all of its units are above zero.
 */
export class CallbackBudgets {
  readonly #accounts = new Map<string, Account>();
  readonly #now: () => number;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Seconds until the budget is above zero, rounded up; 0 if it is. */
  waitSeconds(key: BudgetKey): number {
    const account = this.#accounts.get(keyOf(key));
    if (account === undefined) return 0;
    this.#refill(key, account);
    const allowance: Allowance = ALLOWANCES[key.kind];
    const waits = UNITS.map((unit) =>
      account.left[unit] > 0 ? 0 : (1 - account.left[unit]) / allowance[unit].perSecond,
    );
    return Math.ceil(Math.max(...waits));
  }

  spend(key: BudgetKey, cost: CallbackCost): void {
    const allowance: Allowance = ALLOWANCES[key.kind];
    const account = this.#accounts.get(keyOf(key)) ?? { left: burstsOf(allowance), at: this.#now() };
    this.#refill(key, account);
    for (const unit of UNITS)
      account.left[unit] = Math.max(-allowance[unit].burst, account.left[unit] - (cost[unit] ?? 0));
    this.#accounts.delete(keyOf(key));
    this.#accounts.set(keyOf(key), account);
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size > MAX_BUDGETS && oldest !== undefined) this.#accounts.delete(oldest);
  }

  #refill({ kind }: BudgetKey, account: Account): void {
    const allowance: Allowance = ALLOWANCES[kind];
    const now = this.#now();
    const seconds = (now - account.at) / 1_000;
    account.at = now;
    for (const unit of UNITS) {
      const { burst, perSecond } = allowance[unit];
      account.left[unit] = Math.min(burst, account.left[unit] + seconds * perSecond);
    }
  }
}

export interface HasCallbackBudgets {
  readonly callbackBudgets: CallbackBudgets;
}

function burstsOf(allowance: Allowance): Record<Unit, number> {
  return { bytes: allowance.bytes.burst, ms: allowance.ms.burst, rows: allowance.rows.burst };
}

function keyOf({ kind, id }: BudgetKey): string {
  return `${kind} ${id}`;
}
