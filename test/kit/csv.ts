/** Rows of a CSV text by RFC 4180, strictly: lines end with CR LF, quotes stand around whole cells only. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, quoted, plain = "", end] = cell.exec(text) ?? [];
    if (end === undefined) throw new Error(`not CSV at ${at}: ${JSON.stringify(text.slice(at, at + 50))}`);
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
