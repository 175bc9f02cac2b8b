import { expect, it } from "vitest";
import { MarkBudgets, type MarkKey } from "./mark-budgets.ts";

const typing = (id: string): MarkKey => ({ kind: "typing", id });
const session: MarkKey = { kind: "session", id: "s" };

it("refuses what goes beyond a budget, charges nothing then, and allows it later", () => {
  let now = 0;
  const budgets = new MarkBudgets(() => now);
  const both = (chat: string) => budgets.spend([session, typing(chat)]);
  expect([both("a"), both("a"), both("a")]).toEqual([true, true, false]);
  // Other chats have budgets of their own, until the session's is spent: 18 are left of 20.
  const shown = Array.from({ length: 30 }, (_, index) => both(`chat ${index}`));
  expect(shown.filter(Boolean)).toHaveLength(18);
  now = 4_000;
  expect([both("a"), both("a")]).toEqual([true, false]);
});

it("keeps a bounded number of budgets", () => {
  const budgets = new MarkBudgets(() => 0);
  expect([1, 2, 3].map(() => budgets.spend([typing("first")]))).toEqual([true, true, false]);
  for (let index = 0; index < 20_000; index++) budgets.spend([typing(`chat ${index}`)]);
  expect(budgets.spend([typing("first")])).toBe(true);
});
