/** What `Links` keeps: a connection that may end by itself. */
export interface Link {
  /** Whether it can be used. */
  isOpen(): boolean;
  /** Ends it at once, also if the other side does not respond. */
  destroy(): void;
}

/** One connection for all that use it at once; another one is opened when it has ended. */
export class Links<T extends Link> {
  readonly #open: () => Promise<T>;
  #current: Promise<T> | null = null;
  #isClosed = false;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  /** The present connection, or a new one. */
  async get(): Promise<T> {
    if (this.#isClosed) throw new Error("the connection to the broker is closed");
    this.#current ??= this.#opening();
    const opening = this.#current;
    const link = await opening;
    if (link.isOpen()) return link;
    if (this.#current === opening) this.#current = null;
    return this.get();
  }

  /** Ends a connection that does not work; the next use opens another one. */
  drop(link: T): void {
    link.destroy();
  }

  /** Ends the present connection; there is no other one. */
  async close(end: (link: T) => Promise<void>): Promise<void> {
    this.#isClosed = true;
    const link = await this.#current?.catch(() => null);
    if (link == null) return;
    await end(link).catch(() => undefined);
    link.destroy();
  }

  #opening(): Promise<T> {
    const opening = this.#open();
    opening.catch(() => {
      if (this.#current === opening) this.#current = null;
    });
    return opening;
  }
}
