import { isFlood, isPassing, isUnauthorized, NoResponse, Refusal } from "../errors.ts";
import type { Ask } from "../people/people.ts";

/**
 * How often a request is made that fails in this way. A flood concerns the account as a whole, not one chat, and is
 * waited out for hours. A dead connection ends before the third response is overdue.
 */
const MOST_TRIES = { flood: 100, fault: 10, unanswered: 3, final: 1 } as const;

export interface PatienceParts {
  readonly ask: Ask;
  /** Before the next attempt after `failures` consecutive failures. Rejects if the connection is lost. */
  pause(failures: number): Promise<void>;
  log(level: "warn", message: string, details: Readonly<Record<string, unknown>>): void;
}

/** Repeats requests that may succeed later. What is skipped now would never be fetched. */
export function patiently({ ask, pause, log }: PatienceParts): Ask {
  return async (opcode, payload) => {
    const failures = { flood: 0, fault: 0, unanswered: 0, final: 0 };
    for (let all = 1; ; all++) {
      try {
        return await ask(opcode, payload);
      } catch (error) {
        const kind = kindOf(error);
        failures[kind]++;
        if (failures[kind] >= MOST_TRIES[kind]) throw error;
        if (all === 1) log("warn", "MAX does not return missed messages yet", reasonOf(error));
        await pause(all);
      }
    }
  };
}

/** Whether MAX refuses a request for good. */
export function isFinal(error: unknown): boolean {
  return error instanceof Refusal && !isPassing(error) && !isUnauthorized(error);
}

/** Whether MAX has not returned something although the connection exists: because of what was requested, or an outage. */
export function isUncertain(error: unknown): boolean {
  return error instanceof Refusal ? isPassing(error) : error instanceof NoResponse && error.isConnected;
}

function kindOf(error: unknown): keyof typeof MOST_TRIES {
  if (error instanceof NoResponse && error.isConnected) return "unanswered";
  if (!(error instanceof Refusal && isPassing(error))) return "final";
  return isFlood(error) ? "flood" : "fault";
}

export function reasonOf(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof Refusal ? { key: error.key } : { error: String(error) };
}
