import type { Stage, StageSetup } from "./stage.ts";

/** The walk of one messenger. Steps run in order and depend on earlier ones. */
export interface Walk extends StageSetup {
  /** `stage` is ready: service, account, webhooks. */
  steps(stage: Stage): readonly Step[];
}

/** One action of a person, a CRM or a messenger, and its expected result. */
export interface Step {
  readonly name: string;
  /** Resolves with a summary of what happened; throws if it was not as expected. */
  run(): Promise<string>;
}
