/** A mutex per key: tasks with the same key run one after another, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Returns or throws what `work` does. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const done = Promise.withResolvers<void>();
    this.#last.set(name, done.promise);
    try {
      await before;
      return await work();
    } finally {
      done.resolve();
      if (this.#last.get(name) === done.promise) this.#last.delete(name);
    }
  }
}
