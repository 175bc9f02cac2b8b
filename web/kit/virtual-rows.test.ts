import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RowsOptions, VirtualRows } from "./virtual-rows.ts";

const HEIGHT = 500;
function options(keys: readonly string[], more: Partial<RowsOptions> = {}): RowsOptions {
  return {
    count: keys.length,
    keyOf: (index) => keys[index] ?? "",
    estimate: 50,
    overscan: 2,
    fromEnd: true,
    ...more,
  };
}
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `k${from + at}`);
function listOf(keys: readonly string[], more: Partial<RowsOptions> = {}): VirtualRows {
  const list = new VirtualRows();
  list.update(options(keys, more));
  list.resized(HEIGHT);
  return list;
}
const shown = (list: VirtualRows) => list.rows.map(({ key }) => key);
/** The position of a row within the view. */
const placeOf = (list: VirtualRows, key: string) =>
  (list.rows.find((row) => row.key === key)?.start ?? Number.NaN) - list.top;

describe("a conversation", () => {
  test("opens at its end, and renders the visible rows", () => {
    const list = listOf(numbered(1, 100));
    expect([list.top, list.size, list.isAtEnd]).toEqual([4500, 5000, true]);
    expect(shown(list)).toEqual(numbered(89, 100));
  });

  test("stays at its end when rows are added or grow, until the reader scrolls up", () => {
    const list = listOf(numbered(1, 100));
    list.update(options(numbered(1, 101)));
    expect(list.top).toBe(4550);
    list.measured([[100, 150]]);
    expect(list.top).toBe(4650);
    list.scrolled(4000);
    list.update(options(numbered(1, 102)));
    expect([list.top, list.isAtEnd]).toEqual([4000, false]);
    list.scrollToEnd();
    expect(list.isAtEnd).toBe(true);
  });

  test("keeps its position when rows are inserted above, and when rows above turn out higher", () => {
    const list = listOf(numbered(51, 100));
    list.scrolled(1020);
    const before = placeOf(list, "k72");
    list.update(options(numbered(1, 100)));
    expect(placeOf(list, "k72")).toBe(before);
    list.measured([
      [68, 90],
      [69, 10],
      [74, 300],
    ]);
    expect(placeOf(list, "k72")).toBe(before);
  });

  test("keeps its position by the next row when the one at the top gives way to another, as a heading does", () => {
    const list = listOf(["day k51", ...numbered(51, 100)]);
    list.scrolled(0);
    list.update(options(["day k1", ...numbered(1, 100)]));
    // The row stays, and the place of the heading above it is taken by older rows.
    expect(placeOf(list, "k51")).toBe(50);
    expect(list.top).toBe(2500);
  });

  test("a row that reaches into the view grows at its end; one that the reader extends is not followed", () => {
    const list = listOf(numbered(1, 100));
    list.scrolled(1020);
    list.measured([[20, 400]]);
    expect(list.top).toBe(1020);
    list.scrollToEnd();
    const { top } = list;
    list.stay();
    list.measured([[99, 2_000]]);
    expect(list.top).toBe(top);
  });

  test("keeps the heights of rows, wherever they move", () => {
    const list = listOf(numbered(51, 100));
    list.measured([
      [10, 70],
      [20, 80],
      [40, 90],
    ]);
    const heightOf = (keys: readonly string[], key: string) => {
      const index = keys.indexOf(key);
      return list.startOf(index + 1) - list.startOf(index);
    };
    for (const keys of [
      numbered(1, 100),
      numbered(1, 100).filter((key) => key !== "k75"),
      numbered(61, 110),
      [...numbered(1, 61), ...numbered(66, 100)],
    ]) {
      list.update(options(keys));
      expect([heightOf(keys, "k61"), heightOf(keys, "k71"), heightOf(keys, "k91")]).toEqual(
        ["k61", "k71", "k91"].map((key) => (keys.includes(key) ? { k61: 70, k71: 80, k91: 90 }[key] : 0)),
      );
    }
  });

  test("keeps its position when the row there is removed", () => {
    const list = listOf(numbered(1, 100));
    list.scrolled(1000);
    const before = placeOf(list, "k22");
    list.update(options(numbered(1, 100).filter((key) => key !== "k21")));
    expect(placeOf(list, "k22")).toBe(before);
  });
});

describe("scrolling to a row", () => {
  test.each([
    ["center", 50, 2275],
    ["start", 50, 2500],
    ["auto", 95, 4500],
    ["auto", 3, 150],
    ["start", 99, 4500],
  ] as const)("%s of row %d", (align, index, top) => {
    const list = listOf(numbered(1, 100));
    list.scrollTo(index, align);
    expect(list.top).toBe(top);
  });

  test("holds while rows around it are measured, until the reader scrolls", () => {
    const list = listOf(numbered(1, 100));
    list.scrollTo(50, "center");
    list.measured(numbered(41, 60).map((_, at) => [41 + at, 120]));
    expect(placeOf(list, "k51")).toBe((HEIGHT - 120) / 2);
    list.scrolled(list.top + 30);
    list.measured([[53, 60]]);
    expect(placeOf(list, "k51")).toBe((HEIGHT - 120) / 2 - 30);
  });
});

test("a list at its top stays there when rows are inserted above", () => {
  const list = listOf(numbered(2, 100), { fromEnd: false });
  expect(list.top).toBe(0);
  list.scrolled(200);
  list.update(options(numbered(1, 100), { fromEnd: false }));
  expect(list.top).toBe(200);
});

test("an empty list, and one shorter than the view", () => {
  const list = listOf([]);
  expect([shown(list), list.size, list.top]).toEqual([[], 0, 0]);
  list.update(options(numbered(1, 3), { paddingEnd: 12 }));
  expect([shown(list), list.size, list.top]).toEqual([numbered(1, 3), 162, 0]);
});

test("with any heights, rows are contiguous and the visible ones are rendered", () => {
  const change = fc.tuple(fc.nat(199), fc.integer({ min: 20, max: 400 }), fc.nat(12_000));
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const list = listOf(numbered(1, 200));
      for (const [index, height, top] of changes) {
        list.scrolled(Math.min(top, list.size - HEIGHT));
        list.measured([[index, height]]);
        const rows = list.rows;
        for (const [at, row] of rows.entries())
          if (at > 0) expect(row.start).toBeGreaterThan(rows[at - 1]?.start ?? 0);
        expect(rows[0]?.start ?? 0).toBeLessThanOrEqual(list.top);
        const last = rows.at(-1)?.index ?? 0;
        expect(last === 199 || list.startOf(last) >= list.top + HEIGHT).toBe(true);
      }
    }),
  );
});
