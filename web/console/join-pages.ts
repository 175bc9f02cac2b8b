/** A page of a list, newest first. */
export interface Page<Row> {
  readonly data: readonly Row[];
  /** The cursor of the next page; null: this is the last. */
  readonly next: string | null;
}

/** A page that is open for days must not grow for ever. */
const MAX_ROWS = 1_000;

/**
 * The reloaded first page of a list, followed by the known rows that new ones have moved off it. Ids grow with time. If
 * more than a page is new, the list starts again with the page, because the rows between it and the known ones were
 * never loaded; also if it has become too long.
 */
export function joinPages<Row extends { readonly id: string | number }>(
  first: Page<Row>,
  known: Page<Row>,
): Page<Row> {
  const last = first.data.at(-1)?.id;
  const newest = known.data[0]?.id;
  if (first.next === null) return first;
  if (last === undefined) return known;
  if (newest === undefined || newest < last) return first;
  const data = [...first.data, ...known.data.filter(({ id }) => id < last)];
  return data.length > MAX_ROWS ? first : { data, next: known.next };
}
