import { setTimeout as sleep } from "node:timers/promises";

/** The value below which a share `p` (0 to 1) of the values lies. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Polls until it is true; throws after a time limit. */
export async function until(isDone: () => boolean, patienceMs = 60_000): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!isDone()) {
    if (performance.now() > end) throw new Error("not everything arrived");
    await sleep(5);
  }
}

/** A line of the result. `goal` is met if `isMet`; null: the figure is only shown. */
export interface Row {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: string;
  readonly isMet?: boolean;
}

export function atLeast(bench: string, figure: string, value: number, unit: string, goal: number): Row {
  return { bench, figure, value, unit, goal: `>= ${goal}`, isMet: value >= goal };
}

export function atMost(bench: string, figure: string, value: number, unit: string, goal: number): Row {
  return { bench, figure, value, unit, goal: `<= ${goal}`, isMet: value <= goal };
}
