import type { Stage } from "./stage.ts";

/** One action of a person, a CRM or a messenger, and its expected result. */
export interface Step {
  readonly name: string;
  /** Resolves with a summary of what happened; throws if it was not as expected. */
  run(): Promise<string>;
}

/** The walk of one messenger. Steps run in order and depend on earlier ones. */
export interface Walk {
  /** Environment variables that direct the service to the emulator, from the emulator's entry in `GET /`. */
  settings(emulator: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>;
  /** `stage` is ready: service, account, webhooks. */
  steps(stage: Stage): readonly Step[];
}

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
