import type { Allowance } from "./limits.ts";

export const DAY_MS = 86_400_000;

/**
 * When the first contact after `ahead` others may be made: in any 24 hours at most `perDay`, at most `burst` in a
 * row, then one every 24 h / `perDay`. `made`: at least those of the last 24 hours, ascending. All times in
 * milliseconds of one clock; `from`: the earliest time for the first of them. The result may be before `from`;
 * Infinity if no first contacts are allowed. Pure.
 */
export function slotAt(
  made: readonly number[],
  { perDay, burst }: Allowance,
  { from, ahead }: { readonly from: number; readonly ahead: number },
): number {
  if (perDay < 1) return Number.POSITIVE_INFINITY;
  const gapMs = DAY_MS / perDay;
  const times = made.filter((time) => time > from - DAY_MS);
  // When the bucket would be full again, which is this much later than its next token.
  let fullAt = times.reduce((full, time) => Math.max(full, time) + gapMs, Number.NEGATIVE_INFINITY);
  for (let before = 0; ; before++) {
    const dayOver = (times.at(-perDay) ?? Number.NEGATIVE_INFINITY) + DAY_MS;
    const slot = Math.max(fullAt - (burst - 1) * gapMs, dayOver);
    if (before >= ahead) return slot;
    const leaves = Math.max(from, slot);
    times.push(leaves);
    fullAt = Math.max(fullAt, leaves) + gapMs;
  }
}

/** The rest of the day's allowance. Pure. */
export function leftOf(made: readonly number[], { perDay }: Allowance, now: number): number {
  return Math.max(0, perDay - made.filter((time) => time > now - DAY_MS).length);
}
