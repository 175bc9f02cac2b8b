/** Work under one name happens one after the other, in the order in which it was asked for. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** What `work` answers or throws. */
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
