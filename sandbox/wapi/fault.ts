import type { GraphError } from "./graph-error.ts";

/** Which calls a fault waits for; what is undefined matches every call. */
export interface FaultScope {
  /** Id of the number, account, template, media or app in the path, or a fixed path such as `debug_token`. */
  readonly node: string | undefined;
  /** e.g. `messages`; empty for the node itself. */
  readonly edge: string | undefined;
  readonly method: string | undefined;
  /** The recipient of a message, as it came. */
  readonly to: string | undefined;
}

/** What goes wrong on purpose, and how often. */
export interface Fault {
  readonly id: number;
  readonly scope: FaultScope;
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
  readonly error?: GraphError;
  /** An answer that is not the Graph API's, as from a proxy in front of it. */
  readonly raw?: { readonly status: number; readonly body: string };
  /** The message is accepted and fails later, by a status with this code. */
  readonly status?: { readonly code: number; readonly details?: string };
}

/** A call that a fault may hit. */
export interface FaultyCall {
  readonly node: string;
  readonly edge: string;
  readonly method: string;
  readonly to: string | undefined;
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

  /** The effect for this call, which is used up by it. */
  take(call: FaultyCall): FaultEffect | undefined {
    const fault = this.#faults.find((candidate) => candidate.left > 0 && matches(candidate, call));
    if (!fault) return undefined;
    fault.left--;
    fault.hits++;
    return fault.effect;
  }
}

/** A fault that shows in a status can hit nothing but messages. */
function matches({ scope, effect }: Fault, call: FaultyCall): boolean {
  if (effect.status && (call.edge !== "messages" || call.to === undefined)) return false;
  return (
    (scope.node ?? call.node) === call.node &&
    (scope.edge ?? call.edge) === call.edge &&
    (scope.method ?? call.method) === call.method &&
    (scope.to ?? call.to) === call.to
  );
}
