/** The first two neighbours whose positions decrease; null if all increase. Pure. */
export function firstOutOfOrder<T>(list: readonly T[], placeOf: (item: T) => number): readonly [T, T] | null {
  for (const [at, item] of list.entries()) {
    const before = at === 0 ? undefined : list[at - 1];
    if (before !== undefined && placeOf(before) >= placeOf(item)) return [before, item];
  }
  return null;
}

/** One attempt of a messenger to deliver something to the service. */
export interface Attempt {
  readonly body: string;
  readonly taken: boolean;
}

/**
 * Those of the texts delivered by callbacks whose order is certain. First attempts of a conversation follow each
 * other; if one failed, the service may have stored the text then, or at a retry between others. Pure.
 */
export function certainOrder(texts: readonly string[], attempts: readonly Attempt[]): string[] {
  const wanted = new Set(texts);
  const first = new Map<string, boolean>();
  for (const { body, taken } of attempts)
    for (const [text] of body.matchAll(/r\d+ c\d+ (?:write|echo) \d+/g))
      if (wanted.has(text) && !first.has(text)) first.set(text, taken);
  return [...first].flatMap(([text, taken]) => (taken ? [text] : []));
}
