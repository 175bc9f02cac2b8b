import { expect, test } from "vitest";
import type { AppError } from "../errors.ts";
import { deduplicateById, missingOf, refuseFaulty } from "./entity.ts";

test("of duplicates the last counts, at the position of the first", () => {
  const items = [
    { id: "a", n: 1 },
    { id: "b", n: 2 },
    { id: "a", n: 3 },
  ];
  expect(deduplicateById(items)).toEqual([
    { id: "a", n: 3 },
    { id: "b", n: 2 },
  ]);
  expect(deduplicateById([])).toEqual([]);
});

test.each<[string[], string[], string[]]>([
  [[], ["a"], []],
  [["a", "b"], ["a"], ["b"]],
  [["c", "b", "c", "a"], ["a"], ["c", "b"]],
])("asked %j, found %j: missing %j", (asked, found, missing) => {
  expect(
    missingOf(
      asked,
      found.map((id) => ({ id })),
    ),
  ).toEqual(missing);
});

test("all invalid entities are reported with their indexes", () => {
  const refuse = (...items: string[][]) => refuseFaulty("INVALID_DEALS_DATA", items, (item) => item);
  expect(() => refuse([], [])).not.toThrow();
  expect(() => refuse([], ["a"], [], ["b", "c"])).toThrow(
    expect.objectContaining({
      code: "INVALID_DEALS_DATA",
      data: [
        { index: 1, fields: ["a"] },
        { index: 3, fields: ["b", "c"] },
      ],
    }) as AppError,
  );
});
