import { FairQueue } from "./fair-queue.ts";

export interface TurnsOptions {
  /** How many tasks may run at a time; asked again whenever one starts or ends. */
  maxConcurrent(): number;
  /** A task that runs longer, in ms, no longer counts, so that it cannot hold up the others. */
  readonly countsForMs: number;
}

interface Task {
  readonly owner: string | number;
  start(): void;
}

/** Limits how many tasks run at a time. Owners alternate, and tasks of one owner start in the order of their calls. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting = new FairQueue<Task>(({ owner }) => ({ owner, lane: "" }));
  #running = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Runs the task in its turn and settles as it does. */
  async run<T>(owner: string | number, task: () => Promise<T>): Promise<T> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push({ owner, start: turn.resolve });
    this.#startNext();
    await turn.promise;
    const end = this.#onceEnded();
    const timer = setTimeout(end, this.#options.countsForMs);
    try {
      return await task();
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  #startNext(): void {
    while (this.#waiting.size > 0 && this.#running < this.#options.maxConcurrent()) {
      this.#running++;
      this.#waiting.shift()?.start();
    }
  }

  #onceEnded(): () => void {
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#running--;
      this.#startNext();
    };
  }
}
