/** What goes wrong on purpose, and for whom. */
export interface Fault {
  readonly id: number;
  /** Only requests of this account. */
  readonly phone: string | undefined;
  /** Only messages to this phone number or group. */
  readonly to: string | undefined;
  /** Only queries of this namespace; without it the fault is for messages. */
  readonly xmlns: string | undefined;
  /** Only queries whose first part is this. */
  readonly what: string | undefined;
  /** Refused with this code; without it there is no answer at all. */
  readonly errorCode: number | undefined;
  /** How often still; 0: always. */
  left: number;
  readonly always: boolean;
  hits: number;
}

/** A request as faults look at it. */
export interface Faultable {
  readonly phone: string | undefined;
  readonly to?: string | undefined;
  readonly xmlns?: string;
  readonly what?: string | undefined;
}

/** Everything that is to go wrong, oldest first. */
export class FaultList {
  readonly #faults: Fault[] = [];
  #nextId = 1;

  add(fault: Omit<Fault, "id" | "hits" | "always">): Fault {
    const whole = { ...fault, id: this.#nextId++, always: fault.left === 0, hits: 0 };
    this.#faults.push(whole);
    return whole;
  }

  /** The first fault that fits, used up by one. */
  take(request: Faultable): Fault | undefined {
    const fault = this.#faults.find((each) => (each.always || each.left > 0) && fits(each, request));
    if (!fault) return undefined;
    fault.hits++;
    if (!fault.always) fault.left--;
    return fault;
  }

  list(): readonly Fault[] {
    return this.#faults;
  }

  clear(): void {
    this.#faults.length = 0;
  }
}

function fits(fault: Fault, request: Faultable): boolean {
  return (
    (fault.xmlns ?? request.xmlns) === request.xmlns &&
    (request.xmlns === undefined || fault.xmlns !== undefined) &&
    (fault.phone ?? request.phone) === request.phone &&
    (fault.to ?? request.to) === request.to &&
    (fault.what ?? request.what) === request.what
  );
}
