/** What every fault has, whatever it is about. */
export interface Counted {
  readonly id: number;
  /** How many more calls it hits. */
  left: number;
  /** Hits for ever, whatever `left` says. */
  readonly always?: boolean;
  hits: number;
}

/** The faults that are waiting for a call; the first that matches takes it. */
export class FaultList<Fault extends Counted, Call> {
  readonly #matches: (fault: Fault, call: Call) => boolean;
  #faults: Fault[] = [];
  #lastId = 0;

  constructor(matches: (fault: Fault, call: Call) => boolean) {
    this.#matches = matches;
  }

  add(fault: Omit<Fault, "id" | "hits">): Fault {
    this.#lastId++;
    const added = { ...fault, id: this.#lastId, hits: 0 } as Fault;
    this.#faults.push(added);
    return added;
  }

  list(): readonly Fault[] {
    return this.#faults;
  }

  clear(): void {
    this.#faults = [];
  }

  /** Whether there was such a fault. */
  remove(id: number): boolean {
    const before = this.#faults.length;
    this.#faults = this.#faults.filter((fault) => fault.id !== id);
    return this.#faults.length < before;
  }

  /** Whether looking for one is worth the trouble. */
  get armed(): boolean {
    return this.#faults.length > 0;
  }

  /** The fault for this call, of which a hit is used up. */
  take(call: Call): Fault | undefined {
    const fault = this.#faults.find((each) => (each.always || each.left > 0) && this.#matches(each, call));
    if (!fault) return undefined;
    fault.hits++;
    if (!fault.always) fault.left--;
    return fault;
  }
}
