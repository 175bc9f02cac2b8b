import type { Random } from "../random.ts";

/** A temporary disturbance; everything is restored when it resolves. */
export interface Disturbance {
  readonly name: string;
  /** Its probability relative to the others. */
  readonly weight: number;
  /** Resolves with a description. `rest` waits, shorter at the end of the round. */
  run(random: Random, rest: Rest): Promise<string>;
}

export type Rest = (ms: number) => Promise<unknown>;

/** Longer than a lease, so that other nodes take over. */
export const LONG_MS = 6_000;

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
