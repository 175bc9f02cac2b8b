import { visibleCell } from "../platform/foreign/visible-text.ts";

/** Formats columns, each as wide as its widest cell, separated by two spaces. A cell never spans lines. */
export function table(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(visibleCell));
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  const line = (row: readonly string[]) =>
    row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

/** A table with column titles, or `empty` if there are no rows. */
export function titledTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): string {
  return rows.length === 0 ? empty : table([titles, ...rows]);
}
