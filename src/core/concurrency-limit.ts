import { AppError } from "./errors.ts";

interface ConcurrencyOptions {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  /** Description of the UNAVAILABLE error thrown when `maxWaiting` tasks already wait. */
  readonly refusal: string;
}

/**
 * Limits how many tasks run concurrently. The others wait in order of arrival; beyond `maxWaiting`, tasks are
 * rejected.
 */
export class ConcurrencyLimit {
  #free: number;
  readonly #maxWaiting: number;
  readonly #refusal: string;
  readonly #waiting: (() => void)[] = [];

  constructor(options: ConcurrencyOptions) {
    this.#free = options.maxConcurrent;
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

/** A separate `ConcurrencyLimit` for each account. */
export class AccountConcurrencyLimit {
  readonly #options: ConcurrencyOptions;
  readonly #byAccount = new Map<number, { readonly limit: ConcurrencyLimit; count: number }>();

  constructor(options: ConcurrencyOptions) {
    this.#options = options;
  }

  async run<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    const own = this.#byAccount.get(accountId) ?? { limit: new ConcurrencyLimit(this.#options), count: 0 };
    this.#byAccount.set(accountId, own);
    own.count++;
    try {
      return await own.limit.run(work);
    } finally {
      if (--own.count === 0) this.#byAccount.delete(accountId);
    }
  }
}
