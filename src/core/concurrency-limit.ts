import { AppError } from "./errors.ts";

interface TurnsOptions {
  readonly atATime: number;
  readonly maxWaiting: number;
  /** Describes the UNAVAILABLE that is thrown when `maxWaiting` works wait already. */
  readonly refusal: string;
}

/** Lets so many works run at a time, the others in the order in which they came, and refuses what is too many. */
export class ConcurrencyLimit {
  #free: number;
  readonly #maxWaiting: number;
  readonly #refusal: string;
  readonly #waiting: (() => void)[] = [];

  constructor(options: TurnsOptions) {
    this.#free = options.atATime;
    this.#maxWaiting = options.maxWaiting;
    this.#refusal = options.refusal;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else if (this.#waiting.length >= this.#maxWaiting)
      throw new AppError("UNAVAILABLE", { description: this.#refusal, retryAfter: 5 });
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/** The same for each account by itself. */
export class AccountTurns {
  readonly #options: TurnsOptions;
  readonly #byAccount = new Map<number, { readonly turns: ConcurrencyLimit; works: number }>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  async take<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    const own = this.#byAccount.get(accountId) ?? { turns: new ConcurrencyLimit(this.#options), works: 0 };
    this.#byAccount.set(accountId, own);
    own.works++;
    try {
      return await own.turns.run(work);
    } finally {
      if (--own.works === 0) this.#byAccount.delete(accountId);
    }
  }
}
