/** Pauses after failures: the first, and the longest that they grow to. */
export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * Pause before the next attempt after so many failures in a row, one or more. It doubles each time, and half of it is
 * random, so that those who failed together do not come back together.
 */
export function backOffMs(
  failures: number,
  { firstMs, longestMs }: BackOff,
  random: number = Math.random(),
): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + random / 2);
}
