/** Delays after failures: the first, and the maximum. */
export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * The delay before the next attempt after `failures` consecutive failures (at least one). It doubles each time. Half
 * of it is random, so that callers that failed together do not retry together.
 */
export function backOffMs(
  failures: number,
  { firstMs, longestMs }: BackOff,
  random: number = Math.random(),
): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + random / 2);
}
