/** Lines of one page of the log. */
export const PAGE = 100;

interface Place {
  readonly after?: string;
  readonly before?: string;
}

/** With more pages of new lines, the log begins anew: a browser that slept for days must not load all of them. */
const MAX_PAGES = 10;

/**
 * All lines after the one with id `last`, latest first; null: there are too many. `read` returns the latest page of those
 * in a place.
 */
export async function linesAfter<Line extends { readonly id: number }>(
  last: number,
  read: (place: Place) => Promise<readonly Line[]>,
): Promise<readonly Line[] | null> {
  const after = String(last);
  const lines: Line[] = [];
  let place: Place = { after };
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const found = await read(place);
    lines.push(...found);
    const oldest = found.at(-1);
    if (oldest === undefined || found.length < PAGE) return lines;
    place = { after, before: String(oldest.id) };
  }
  return null;
}
