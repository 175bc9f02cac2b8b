/** How long clients that repeat their requests waited until they were accepted. */
export interface Waits {
  note(fromMs: number, toMs: number): void;
  /** The longest one, in ms, of those that overlap this time; 0 if there is none. */
  longest(fromMs: number, toMs: number): number;
}

export function createWaits(): Waits {
  const waits: { readonly fromMs: number; readonly toMs: number }[] = [];
  return {
    note: (fromMs, toMs) => void waits.push({ fromMs, toMs }),
    longest: (fromMs, toMs) =>
      waits
        .filter((wait) => wait.fromMs <= toMs && wait.toMs >= fromMs)
        .reduce((longest, wait) => Math.max(longest, wait.toMs - wait.fromMs), 0),
  };
}
