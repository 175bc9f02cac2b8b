import { AppError } from "./errors.ts";

/** Lets so many works run at a time, the others in the order in which they came, and refuses what is too many. */
export class Turns {
  #free: number;
  readonly #maxWaiting: number;
  readonly #refusal: string;
  readonly #waiting: (() => void)[] = [];

  /** `refusal` describes the UNAVAILABLE that is thrown when so many wait already. */
  constructor(options: { readonly atATime: number; readonly maxWaiting: number; readonly refusal: string }) {
    this.#free = options.atATime;
    this.#maxWaiting = options.maxWaiting;
    this.#refusal = options.refusal;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
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
