import { expect, test } from "vitest";
import { joinPages, type Page } from "./join-pages.ts";

/** A page of a row per letter. */
const page = (letters: string, next: string | null = "more"): Page<{ readonly id: string }> => ({
  data: [...letters].map((id) => ({ id })),
  next,
});

test.each<[string, string, string, string]>([
  ["nothing is new", "gfe", "gfedc", "gfedc"],
  ["new rows move others off the first page", "ihg", "gfedc", "ihgfedc"],
  ["a row was deleted, and an older one moved up", "gfd", "gfedc", "gfdc"],
  ["a row was deleted, and the next one was not loaded yet", "gfd", "gfe", "gfd"],
  ["a row in the middle fits the filter now", "gfe", "gedc", "gfedc"],
  ["as many rows are new as the page has", "jih", "gfedc", "jih"],
  ["no row of this page fits the filter", "", "gfedc", "gfedc"],
])("the first page of a list is loaded again: %s", (_, first, known, rows) =>
  expect(joinPages(page(first), page(known)).data).toEqual(page(rows).data),
);

test.each<[string, Page<{ readonly id: string }>, string | null]>([
  ["after the known rows", page("ihg", "after g"), "after c"],
  ["after the first page, if the list starts again", page("jih", "after h"), "after h"],
  ["nowhere, if the first page is all there is", page("gf", null), null],
])("the list goes on %s", (_, first, next) =>
  expect(joinPages(first, page("gfedc", "after c")).next).toBe(next),
);

test("a list that has become too long starts again", () => {
  const rows = (newest: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: newest - index }));
  const known = { data: rows(2_000, 1_000), next: "more" };
  expect(joinPages({ data: rows(2_000, 50), next: "more" }, known).data).toHaveLength(1_000);
  expect(joinPages({ data: rows(2_001, 50), next: "more" }, known).data).toHaveLength(50);
});
