const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;

/** Pause before the next attempt after so many failures in a row; half of it is random, so that accounts do not come back together. */
export function backOffMs(failures: number, random: number = Math.random()): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(longest * (0.5 + random / 2));
}
