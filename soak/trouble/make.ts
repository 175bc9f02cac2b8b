import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Stage } from "../stage.ts";
import type { Rest, Trouble } from "./contract.ts";
import { LINE_TROUBLES } from "./lines.ts";
import { PROCESS_TROUBLES } from "./processes.ts";

/** Chooses and runs troubles one after another until `stop` aborts; resolves when the last one is over. */
export async function makeTrouble(
  stage: Stage,
  { random, stop, tell }: { random: Random; stop: AbortSignal; tell(what: string, sinceMs: number): void },
): Promise<void> {
  const rest: Rest = (ms) => sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  while (!stop.aborted) {
    await rest(random.between(0, 4_000));
    if (stop.aborted) return;
    const trouble = choose(random);
    const sinceMs = performance.now();
    tell(`${trouble.name}: ${await trouble.run(stage, random, rest)}`, sinceMs);
  }
}

function choose(random: Random): Trouble {
  const weighted = [...PROCESS_TROUBLES, ...LINE_TROUBLES].flatMap((trouble) =>
    Array.from({ length: trouble.weight }, () => trouble),
  );
  return random.pick(weighted);
}
