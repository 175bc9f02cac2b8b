/** Columns as wide as their widest cell, two spaces between them. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  const line = (row: readonly string[]) =>
    row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

/** A table with a title over each column, or `empty` when there are no rows. */
export function titledTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): string {
  return rows.length === 0 ? empty : table([titles, ...rows]);
}
