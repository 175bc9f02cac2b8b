import type { Step } from "./contract.ts";

/** The result of a step. */
export interface Outcome {
  readonly step: string;
  readonly ok: boolean;
  readonly what: string;
  readonly ms: number;
}

/** Runs the steps; `told` is called with each result. A failed step does not end the walk. */
export async function runSteps(
  steps: readonly Step[],
  told: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { name, run } of steps) {
    const began = performance.now();
    const [ok, what] = await run().then(
      (text) => [true, text] as const,
      (error: unknown) => [false, error instanceof Error ? error.message : String(error)] as const,
    );
    const outcome = { step: name, ok, what, ms: Math.round(performance.now() - began) };
    outcomes.push(outcome);
    told(outcome);
  }
  return outcomes;
}
