import type { Rolldown } from "vite";
import { expect, test } from "vitest";
import { pageKb, sizeBudget } from "./size-budget.ts";

/** Random enough that compression does not shrink it. */
const noise = (bytes: number): string =>
  Array.from({ length: bytes }, (_, index) =>
    Math.sin(index + bytes)
      .toString(36)
      .at(-3),
  ).join("");
const chunk = (name: string, code: string, more: object = {}) => ({
  type: "chunk",
  name,
  fileName: `assets/${name}.js`,
  code,
  isEntry: false,
  imports: [],
  dynamicImports: [],
  ...more,
});
const asset = (source: string) => ({ type: "asset", source });

const bundle = {
  "page.html": asset('<link rel="stylesheet" href="./assets/page.css">'),
  "assets/page.css": asset(noise(4_000)),
  "assets/page.js": chunk("page", noise(2_000), {
    isEntry: true,
    imports: ["assets/kit.js"],
    dynamicImports: ["assets/late.js"],
  }),
  "assets/kit.js": chunk("kit", noise(3_000), { imports: ["assets/page.js"] }),
  "assets/late.js": chunk("late", noise(5_000)),
  "assets/other.js": chunk("other", noise(90_000)),
} as unknown as Rolldown.OutputBundle;

test("a page is its HTML, its styles and every script that it loads, now or later", () => {
  const whole = pageKb(bundle, "page");
  expect(whole).toBeGreaterThan(7);
  expect(whole).toBeLessThan(14);
  const { "assets/late.js": _, ...rest } = bundle;
  expect(pageKb(rest, "page")).toBeLessThan(whole - 2);
  expect(() => pageKb(bundle, "nowhere")).toThrow("no page");
});

test.each([
  [20, null],
  [5, /page: \d+\.\d KB, budget 5 KB/],
])("a budget of %i KB", (limit, expected) => {
  const problems: string[] = [];
  const write = sizeBudget({ page: limit }).writeBundle as (this: object, o: object, b: object) => void;
  write.call({ info: () => undefined, error: (text: string) => problems.push(text) }, {}, bundle);
  if (expected === null) expect(problems).toEqual([]);
  else expect(problems).toEqual([expect.stringMatching(expected)]);
});
