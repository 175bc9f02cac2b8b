import type { Rolldown } from "vite";
import { describe, expect, test } from "vitest";
import { type PageSize, pageSize, sizeBudget } from "./size-budget.ts";

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
  facadeModuleId: `/web/page/${name}.tsx`,
  moduleIds: [`/web/page/${name}.tsx`],
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
    dynamicImports: ["late", "rare", "en", "ru", "en-later", "ru-later"].map((name) => `assets/${name}.js`),
  }),
  "assets/kit.js": chunk("kit", noise(3_000), { imports: ["assets/page.js"] }),
  "assets/late.js": chunk("late", noise(5_000), { imports: ["assets/kit.js", "assets/dialog.js"] }),
  "assets/rare.js": chunk("rare", noise(6_000), {
    imports: ["assets/kit.js", "assets/both.js"],
    dynamicImports: ["assets/rarer.js"],
    moduleIds: ["/web/page/rare/list.tsx"],
  }),
  "assets/rarer.js": chunk("rarer", noise(2_000), {
    moduleIds: ["/web/page/rare/a.ts", "/web/page/rare/b.ts"],
  }),
  // // Files of other parts too.
  "assets/both.js": chunk("both", noise(500), { moduleIds: ["/web/page/rare/c.ts", "/web/kit/d.ts"] }),
  "assets/dialog.js": chunk("dialog", noise(1_000)),
  "assets/en.js": chunk("en", noise(1_000), { facadeModuleId: "/web/page/texts/en.ts" }),
  "assets/ru.js": chunk("ru", noise(2_500), { facadeModuleId: "/web/page/texts/ru.ts" }),
  "assets/en-later.js": chunk("en-later", noise(1_100), { facadeModuleId: "/web/page/texts/later/en.ts" }),
  "assets/ru-later.js": chunk("ru-later", noise(1_900), { facadeModuleId: "/web/page/texts/later/ru.ts" }),
  "assets/other.js": chunk("other", noise(90_000)),
} as unknown as Rolldown.OutputBundle;
const without = (name: string) =>
  Object.fromEntries(Object.entries(bundle).filter(([each]) => each !== `assets/${name}.js`));

describe("the size of a page", () => {
  const whole = pageSize(bundle, "page", ["rare"]);

  test("opening it loads its HTML, style and imported scripts; the rest is loaded later", () => {
    expect(whole.opening).toBeGreaterThan(7);
    expect(whole.opening).toBeLessThan(11.6);
    expect(whole.later).toBeGreaterThan(3);
    expect(whole.later).toBeLessThan(6.1);
    expect(() => pageSize(bundle, "nowhere")).toThrow("no page");
  });

  test("a part with its own budget is counted separately", () => {
    const { rare = 0 } = whole.parts ?? {};
    expect(rare).toBeGreaterThan(4);
    const { later, opening, parts } = pageSize(bundle, "page");
    expect(parts).toEqual({});
    expect(opening).toBe(whole.opening);
    expect(later).toBeCloseTo(whole.later + rare, 6);
  });

  test.each<[string, (less: PageSize) => void]>([
    ["kit", ({ opening }) => expect(opening).toBeLessThan(whole.opening - 1)],
    ["late", ({ later, opening }) => expect([later < 2.5, opening]).toEqual([true, whole.opening])],
    ["dialog", ({ later, opening }) => expect([later < whole.later, opening]).toEqual([true, whole.opening])],
    ["en-later", (same) => expect(same).toEqual(whole)],
    [
      "ru-later",
      ({ later, opening }) => expect([later < whole.later - 0.3, opening]).toEqual([true, whole.opening]),
    ],
    ["rare", ({ later, parts }) => expect([later < whole.later, parts?.["rare"]]).toEqual([true, 0])],
    ["rarer", ({ later, parts }) => expect([later, (parts?.["rare"] ?? 9) < 5]).toEqual([whole.later, true])],
    ["other", (same) => expect(same).toEqual(whole)],
    ["en", (same) => expect(same).toEqual(whole)],
    ["ru", ({ opening }) => expect(opening).toBeLessThan(whole.opening - 0.5)],
  ])("without %s", (name, check) => check(pageSize(without(name), "page", ["rare"])));
});

test.each<[number | PageSize, RegExp | null]>([
  [{ opening: 20, later: 20 }, null],
  [{ opening: 5, later: 20 }, /page: .* KB, budget 5.0 KB and later 20.0 KB/],
  [{ opening: 20, later: 1 }, /page: .* KB and later .* KB, budget/],
  [20, /budget 20.0 KB/],
  [{ opening: 20, later: 20, parts: { rare: 20 } }, null],
  [{ opening: 20, later: 7, parts: { rare: 1 } }, /rare \d\.\d KB, budget .* and rare 1.0 KB/],
])("a budget of %j", (budget, expected) => {
  const problems: string[] = [];
  const write = sizeBudget({ page: budget }).writeBundle as (this: object, o: object, b: object) => void;
  write.call({ info: () => undefined, error: (text: string) => problems.push(text) }, {}, bundle);
  if (expected === null) expect(problems).toEqual([]);
  else expect(problems).toEqual([expect.stringMatching(expected)]);
});
