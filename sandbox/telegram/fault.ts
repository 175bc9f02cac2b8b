/** What goes wrong on purpose, and how often. */
export interface Fault {
  readonly id: number;
  readonly botId: number | undefined;
  /** Lower case; undefined matches every method. */
  readonly method: string | undefined;
  readonly chatId: number | undefined;
  /** How many more calls it hits. */
  left: number;
  hits: number;
  readonly effect: FaultEffect;
}

/** The effects combine: a call may hang first and then fail or lose its line. */
export interface FaultEffect {
  readonly hangMs?: number;
  /** The connection ends without an answer, before or after the call did its work. */
  readonly drop?: "before" | "after";
  readonly error?: { readonly code: number; readonly description: string; readonly retryAfter?: number };
  /** An answer that is not the Bot API's, as from a proxy in front of it. */
  readonly raw?: { readonly status: number; readonly body: string };
}

/** The faults that are waiting for a call; the first that matches takes it. */
export class FaultList {
  #faults: Fault[] = [];
  #lastId = 0;

  add(fault: Omit<Fault, "id" | "hits">): Fault {
    this.#lastId++;
    const added = { ...fault, id: this.#lastId, hits: 0 };
    this.#faults.push(added);
    return added;
  }

  list(): readonly Fault[] {
    return this.#faults;
  }

  clear(): void {
    this.#faults = [];
  }

  /** Whether looking for one is worth the trouble. */
  get armed(): boolean {
    return this.#faults.length > 0;
  }

  /** The effect for this call, which is used up by it. */
  take(call: { botId: number; method: string; chatId: number }): FaultEffect | undefined {
    const fault = this.#faults.find(
      (candidate) =>
        candidate.left > 0 &&
        (candidate.botId ?? call.botId) === call.botId &&
        (candidate.method ?? call.method) === call.method &&
        (candidate.chatId ?? call.chatId) === call.chatId,
    );
    if (!fault) return undefined;
    fault.left--;
    fault.hits++;
    return fault.effect;
  }
}
