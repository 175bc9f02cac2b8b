import { expect, test } from "vitest";
import type { Rule, Violation } from "./facts.ts";
import { separateLosses } from "./losses.ts";

const violation = (rule: Rule): Violation => ({ conversation: "r1 c1", rule, what: rule, mayCome: false });

test("what a failover to an asynchronous standby may cost is counted by kind", () => {
  const found = (["told", "accepted is stored", "told"] as const).map(violation);
  const { losses, violations } = separateLosses(found);
  expect(violations).toEqual([]);
  expect(losses).toEqual(
    new Map([
      ["reports of messengers lost", 2],
      ["accepted messages lost", 1],
    ]),
  );
});

test.each<Rule>([
  "sent once",
  "unknown is an error",
  "order at the messenger",
  "order of statuses",
  "order of what is told",
  "told to its account",
  "same id, same bytes",
  "no job left",
  "ends in order",
])("%s: no failover may break it", (rule) => {
  expect(separateLosses([violation("told"), violation(rule)]).violations).toEqual([violation(rule)]);
});
