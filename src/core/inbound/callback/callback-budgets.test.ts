import { expect, it } from "vitest";
import { type BudgetKey, CallbackBudgets, type CallbackCost } from "./callback-budgets.ts";

const MEGABYTE = 1024 * 1024;
const CHANNEL: BudgetKey = { kind: "channel", id: "a" };
const OTHER: BudgetKey = { kind: "channel", id: "b" };

function budgets(): { readonly all: CallbackBudgets; pass(seconds: number): void } {
  let now = 1_000;
  const pass = (seconds: number): void => {
    now += seconds * 1_000;
  };
  return { all: new CallbackBudgets(() => now), pass };
}

it.each<[string, CallbackCost, BudgetKey["kind"], number]>([
  ["bytes", { bytes: 4 * MEGABYTE }, "channel", 16],
  ["bytes", { bytes: 4 * MEGABYTE }, "account", 24],
  ["bytes", { bytes: 4 * MEGABYTE }, "caller", 4],
  ["time", { ms: 100 }, "account", 20],
  ["rows", { rows: 1_000 }, "channel", 20],
])("%s are used up by this many calls: %j of %s", (_, cost, kind, calls) => {
  const { all } = budgets();
  const payer = { kind, id: "a" } as const;
  let taken = 0;
  while (all.waitSeconds(payer) === 0 && taken < 100) {
    all.spend(payer, cost);
    taken++;
  }
  expect(taken).toBe(calls);
  expect(all.waitSeconds({ kind, id: "b" })).toBe(0);
});

it("returns the time to wait, after which calls are accepted again", () => {
  const { all, pass } = budgets();
  all.spend(CHANNEL, { ms: 2_500 });
  const seconds = all.waitSeconds(CHANNEL);
  expect(seconds).toBe(6);
  pass(seconds - 1);
  expect(all.waitSeconds(CHANNEL)).toBe(1);
  pass(1);
  expect(all.waitSeconds(CHANNEL)).toBe(0);
});

it("limits both debt and credit to one burst", () => {
  const { all, pass } = budgets();
  all.spend(CHANNEL, { rows: 1_000_000 });
  expect(all.waitSeconds(CHANNEL)).toBe(21);
  pass(1_000_000);
  all.spend(CHANNEL, { rows: 20_000 });
  expect(all.waitSeconds(CHANNEL)).toBe(1);
  expect(all.waitSeconds(OTHER)).toBe(0);
});

it("evicts the least recently charged budget", () => {
  const { all } = budgets();
  all.spend(CHANNEL, { ms: 3_000 });
  for (let index = 0; index < 9_999; index++) all.spend({ kind: "caller", id: `${index}` }, { bytes: 1 });
  expect(all.waitSeconds(CHANNEL)).toBeGreaterThan(0);
  all.spend({ kind: "caller", id: "one more" }, { bytes: 1 });
  expect(all.waitSeconds(CHANNEL)).toBe(0);
});
