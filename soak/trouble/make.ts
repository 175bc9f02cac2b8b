import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Stage } from "../stage.ts";
import type { Disturbance, Rest } from "./contract.ts";
import { LINE_TROUBLES } from "./lines.ts";
import { PROCESS_TROUBLES } from "./processes.ts";
import type { Trouble } from "./trouble.ts";

/** A trouble that is over. */
export interface Happened {
  readonly name: string;
  readonly what: string;
  readonly sinceMs: number;
}

export type Choice = (random: Random) => Trouble;

interface Making {
  readonly random: Random;
  readonly choose: Choice;
  readonly stop: AbortSignal;
  tell(happened: Happened): void;
}

/**
 * Chooses and runs troubles one after another until `stop` aborts. Resolves when the last one is over, with how often
 * a process that sends was frozen.
 */
export async function makeTrouble(stage: Stage, { random, choose, stop, tell }: Making): Promise<number> {
  const rest: Rest = (ms) => sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  let freezes = 0;
  for (;;) {
    await rest(random.between(0, 4_000));
    if (stop.aborted) return freezes;
    const trouble = choose(random);
    const sinceMs = performance.now();
    tell({ name: trouble.name, what: await trouble.run(stage, random, rest), sinceMs });
    if (trouble.freezesSender) freezes++;
  }
}

/** One choice for each of the hands that make trouble concurrently. */
export function choices({ postgres: { troubles, faults } }: Pick<Stage, "postgres">): readonly Choice[] {
  const weighted = [...PROCESS_TROUBLES, ...LINE_TROUBLES, ...troubles.map(onStage)].flatMap((trouble) =>
    Array.from({ length: trouble.weight }, () => trouble),
  );
  const any: Choice = (random) => random.pick(weighted);
  return [faults === null ? any : (random) => onStage(faults.next(random)), any];
}

function onStage(disturbance: Disturbance): Trouble {
  return { ...disturbance, run: (_stage, random, rest) => disturbance.run(random, rest) };
}
