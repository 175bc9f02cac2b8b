import type { Stage } from "./stage.ts";

/** One thing that a person, a CRM or a messenger does, and what is expected of it. */
export interface Step {
  readonly name: string;
  /** Resolves with what happened, in a few words; throws when something else did. */
  run(): Promise<string>;
}

/** The walk through one messenger. Steps run one after the other and stand on those before. */
export interface Walk {
  /** What leads the service to the emulator: environment variables, from the emulator's entry in `GET /`. */
  settings(emulator: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>;
  /** `stage` is ready: service, account, webhooks. */
  steps(stage: Stage): readonly Step[];
}

/** What became of a step. */
export interface Outcome {
  readonly step: string;
  readonly ok: boolean;
  readonly what: string;
  readonly ms: number;
}

/** Runs the steps; `told` gets each outcome at once. A failed step does not end the walk. */
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
