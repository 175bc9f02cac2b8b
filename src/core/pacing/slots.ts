import type { Allowance } from "./limits.ts";

export const DAY_MS = 86_400_000;

/**
 * When the first contact behind `ahead` others may be made: in any 24 hours at most `perDay`, at most `burst` in a
 * row and one every 24 h / `perDay` after them. `made`: those of the last 24 hours at least, ascending. All times in
 * milliseconds of one clock; `from`: when the first of them could leave at the earliest. May answer a time before
 * `from`; Infinity where nobody new may be written to. Pure.
 */
export function slotAt(
  made: readonly number[],
  { perDay, burst }: Allowance,
  { from, ahead }: { readonly from: number; readonly ahead: number },
): number {
  if (perDay < 1) return Number.POSITIVE_INFINITY;
  const gapMs = DAY_MS / perDay;
  const times = made.filter((time) => time > from - DAY_MS);
  // When the bucket would be full again, which is so much later than when it has its next token.
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

/** How many are left of the day's allowance. Pure. */
export function leftOf(made: readonly number[], { perDay }: Allowance, now: number): number {
  return Math.max(0, perDay - made.filter((time) => time > now - DAY_MS).length);
}
