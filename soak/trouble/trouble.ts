import type { Random } from "../random.ts";
import type { Stage } from "../stage.ts";
import type { Disturbance, Rest } from "./contract.ts";

/** A disturbance of anything on the stage. */
export interface Trouble extends Omit<Disturbance, "run"> {
  /** Whether it freezes a process that sends. */
  readonly freezesSender?: true;
  run(stage: Stage, random: Random, rest: Rest): Promise<string>;
}
