import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Outcome } from "./step.ts";

/** A walk mostly waits for its emulator, its service and its nodes to start and stop. */
const AT_ONCE = 3;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAIN = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "main.ts" : "main.js", import.meta.url));

/** The result of a whole walk. One that could not start has no steps, and counts as one failure. */
export interface Walked {
  readonly transport: string;
  readonly failed: number;
  readonly steps: readonly Outcome[];
  readonly problem?: string;
}

/**
 * Runs all these walks, each in its own process; `told` is called when each ends. Results in the order of the names.
 */
export async function walkAll(
  transports: readonly string[],
  told: (walked: Walked) => void,
): Promise<readonly Walked[]> {
  const walked = new Map<string, Walked>();
  const left = [...transports];
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const one = await walkOne(name);
      walked.set(name, one);
      told(one);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return transports.flatMap((name) => walked.get(name) ?? []);
}

function walkOne(transport: string): Promise<Walked> {
  const args = [MAIN, "--transport", transport, "--json"];
  return new Promise((resolve) => {
    // Status 1 means that a step failed, which the output reports as well.
    execFile(process.execPath, args, { maxBuffer: MAX_OUTPUT_BYTES }, (_, stdout, stderr) =>
      resolve(readWalk(transport, stdout, stderr)),
    );
  });
}

/** Parses the output of a walk's process. Pure. */
export function readWalk(transport: string, stdout: string, stderr: string): Walked {
  try {
    return JSON.parse(stdout) as Walked;
  } catch {
    const lines = stderr.trim().split("\n");
    const problem = lines.find((each) => /^\w*Error\b/.test(each)) ?? lines.at(-1);
    return { transport, failed: 1, steps: [], problem: problem || "it ended without a word" };
  }
}

/** One line per walk, their sum, and the failed steps. Pure. */
export function tableOf(walks: readonly Walked[]): string {
  const width = Math.max(...walks.map(({ transport }) => transport.length), "transport".length);
  const line = (name: string, ...numbers: readonly (number | string)[]): string =>
    [name.padEnd(width), ...numbers.map((each) => String(each).padStart(8))].join("  ");
  const sum = (of: (walk: Walked) => number): number => walks.reduce((total, walk) => total + of(walk), 0);
  return [
    line("transport", "steps", "failed", "seconds"),
    ...walks.map((walk) => line(walk.transport, walk.steps.length, walk.failed, secondsOf(walk))),
    line(
      "all",
      sum(({ steps }) => steps.length),
      sum(({ failed }) => failed),
      sum(secondsOf),
    ),
    ...walks.flatMap(failuresOf),
  ].join("\n");
}

function secondsOf({ steps }: Walked): number {
  return Math.round(steps.reduce((ms, step) => ms + step.ms, 0) / 1_000);
}

function failuresOf({ transport, steps, problem }: Walked): string[] {
  const wrong = steps
    .filter(({ ok }) => !ok)
    .map(({ step, what }) => `FAILED  ${transport}: ${step}: ${what}`);
  return problem === undefined ? wrong : [...wrong, `FAILED  ${transport}: ${problem}`];
}
