import { Agent, type Dispatcher } from "undici";

/** Requests that wait for the answer of one cell. */
const MAX_WAITING = 1_000;

/**
 * Requests to other cells, which are the operator's own. If a cell does not answer, those that wait for it must not use up
 * the memory and the connections of this one: beyond a number of them, further ones fail at once.
 */
export class OtherCells {
  /** A stream of a page sends something every five seconds. */
  readonly #agent = new Agent({ connectTimeout: 5_000, headersTimeout: 120_000, bodyTimeout: 120_000 });
  readonly #maxWaiting: number;
  /** By origin. */
  readonly #waiting = new Map<string, number>();

  constructor(maxWaiting = MAX_WAITING) {
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves with the beginning of the answer. */
  async request(
    options: Dispatcher.RequestOptions & { readonly origin: string },
  ): Promise<Dispatcher.ResponseData> {
    const { origin } = options;
    const waiting = this.#waiting.get(origin) ?? 0;
    if (waiting >= this.#maxWaiting) throw new Error(`${waiting} requests wait for the cell at ${origin}`);
    this.#waiting.set(origin, waiting + 1);
    try {
      return await this.#agent.request(options);
    } finally {
      const rest = (this.#waiting.get(origin) ?? 0) - 1;
      if (rest > 0) this.#waiting.set(origin, rest);
      else this.#waiting.delete(origin);
    }
  }
}
