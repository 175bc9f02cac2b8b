/** Lines of one page of the log. */
export const PAGE = 100;

interface Place {
  readonly after?: string;
  readonly before?: string;
}

/** All lines after the one with id `last`, latest first. `read` returns the latest page of those in a place. */
export async function linesAfter<Line extends { readonly id: number }>(
  last: number,
  read: (place: Place) => Promise<readonly Line[]>,
): Promise<readonly Line[]> {
  const after = String(last);
  const lines: Line[] = [];
  for (let place: Place = { after }; ; ) {
    const found = await read(place);
    lines.push(...found);
    const oldest = found.at(-1);
    if (oldest === undefined || found.length < PAGE) return lines;
    place = { after, before: String(oldest.id) };
  }
}
