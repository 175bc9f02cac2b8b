import { expect, test } from "vitest";
import { agentsWith } from "./agents.ts";

test("clients share an agent up to a number, so that no agent has thousands of connections", () => {
  const assign = agentsWith({});
  const assigned = Array.from({ length: 64 * 256 + 1 }, assign);
  const clientsOf = Map.groupBy(assigned.slice(0, -1), (agent) => agent);
  expect([...clientsOf.values()].map(({ length }) => length)).toEqual(Array.from({ length: 64 }, () => 256));
  expect(assigned.slice(0, 256).every((agent) => agent === assigned[0])).toBe(true);
  expect(assigned.at(-1)).toBe(assigned[0]);
});
