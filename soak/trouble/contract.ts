import type { Random } from "../random.ts";
import type { Stage } from "../stage.ts";

/** Something that goes wrong for a while; everything is as it was when it resolves. */
export interface Trouble {
  readonly name: string;
  /** How often it is chosen, beside the others. */
  readonly weight: number;
  /** Resolves with what it did. `rest` waits, less at the end of the round. */
  run(stage: Stage, random: Random, rest: Rest): Promise<string>;
}

export type Rest = (ms: number) => Promise<unknown>;

/** Longer than a lease, so that others take over. */
export const LONG_MS = 6_000;

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
