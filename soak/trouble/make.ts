import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Stage } from "../stage.ts";
import type { Rest, Trouble } from "./contract.ts";
import { LINE_TROUBLES } from "./lines.ts";
import { PROCESS_TROUBLES } from "./processes.ts";

/**
 * Chooses and runs troubles one after another until `stop` aborts. Resolves when the last one is over, with how often
 * a process that sends was frozen.
 */
export async function makeTrouble(
  stage: Stage,
  { random, stop, tell }: { random: Random; stop: AbortSignal; tell(what: string, sinceMs: number): void },
): Promise<number> {
  const rest: Rest = (ms) => sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  let freezes = 0;
  for (;;) {
    await rest(random.between(0, 4_000));
    if (stop.aborted) return freezes;
    const trouble = choose(random);
    const sinceMs = performance.now();
    tell(`${trouble.name}: ${await trouble.run(stage, random, rest)}`, sinceMs);
    if (trouble.freezesSender) freezes++;
  }
}

function choose(random: Random): Trouble {
  const weighted = [...PROCESS_TROUBLES, ...LINE_TROUBLES].flatMap((trouble) =>
    Array.from({ length: trouble.weight }, () => trouble),
  );
  return random.pick(weighted);
}
