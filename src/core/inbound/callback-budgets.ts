/** What a call used. All are optional: what is not said costs nothing. */
export interface CallbackCost {
  readonly bytes?: number;
  /** Time for which the node did nothing else. */
  readonly ms?: number;
  /** Events and dead letters. */
  readonly rows?: number;
}

type Unit = keyof CallbackCost;
/** `burst` at once, and so much a second after that. */
type Allowance = Readonly<Record<Unit, { readonly burst: number; readonly perSecond: number }>>;

const MEGABYTE = 1024 * 1024;
/**
 * A number that sends and hears a hundred times a second stays far below: about 0.3 MB and 500 rows. Together with the
 * account's limit of 10% of the time, a tenant that signs its own calls cannot hold up the node.
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
  /** An address whose calls were refused. */
  caller: {
    bytes: { burst: 32 * MEGABYTE, perSecond: MEGABYTE },
    ms: { burst: 1_000, perSecond: 50 },
    rows: { burst: 1, perSecond: 1 },
  },
} as const satisfies Readonly<Record<string, Allowance>>;

/** Who pays for a call, such as `{ kind: "channel", id: "…" }`. */
export interface BudgetKey {
  readonly kind: keyof typeof ALLOWANCES;
  readonly id: string;
}

interface Account {
  left: Record<Unit, number>;
  at: number;
}

/** More are forgotten, the one first that paid longest ago: its budget is whole again, or nearly. */
const MAX_PAYERS = 10_000;
const UNITS: readonly Unit[] = ["bytes", "ms", "rows"];

/**
 * Budgets for callbacks: bytes, time and rows per channel, account and refused caller, on this node. A payer may overdraw
 * by one burst; it is taken again when all its budgets are above zero.
 */
export class CallbackBudgets {
  readonly #accounts = new Map<string, Account>();
  readonly #now: () => number;

  /** `now` in milliseconds, on a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Seconds until the payer has something left, rounded up; 0 when it has. */
  waitSeconds(payer: BudgetKey): number {
    const account = this.#accounts.get(keyOf(payer));
    if (account === undefined) return 0;
    this.#refill(payer, account);
    const allowance: Allowance = ALLOWANCES[payer.kind];
    const waits = UNITS.map((unit) =>
      account.left[unit] > 0 ? 0 : (1 - account.left[unit]) / allowance[unit].perSecond,
    );
    return Math.ceil(Math.max(...waits));
  }

  spend(payer: BudgetKey, cost: CallbackCost): void {
    const key = keyOf(payer);
    const allowance: Allowance = ALLOWANCES[payer.kind];
    const account = this.#accounts.get(key) ?? { left: burstsOf(allowance), at: this.#now() };
    this.#refill(payer, account);
    for (const unit of UNITS)
      account.left[unit] = Math.max(-allowance[unit].burst, account.left[unit] - (cost[unit] ?? 0));
    this.#accounts.delete(key);
    this.#accounts.set(key, account);
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size > MAX_PAYERS && oldest !== undefined) this.#accounts.delete(oldest);
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
