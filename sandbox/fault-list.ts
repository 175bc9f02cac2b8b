/** The common fields of all faults. */
export interface Counted {
  readonly id: number;
  /** How many more calls it hits. */
  left: number;
  /** Never used up, regardless of `left`. */
  readonly always?: boolean;
  hits: number;
}

/** The pending faults; the first that matches a call is used. */
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

  /** Whether there are any faults. */
  get armed(): boolean {
    return this.#faults.length > 0;
  }

  /** The fault for this call; uses up one hit. */
  take(call: Call): Fault | undefined {
    const fault = this.#faults.find((each) => (each.always || each.left > 0) && this.#matches(each, call));
    if (!fault) return undefined;
    fault.hits++;
    if (!fault.always) fault.left--;
    return fault;
  }
}
