import { expect, test } from "vitest";
import { type KnownPrimary, PrimaryMemory } from "./primary-memory.ts";

const primary = (timeline: string | null, renewals: number, isSynchronous = true): KnownPrimary => ({
  nodeId: "node",
  renewals,
  timeline,
  isSynchronous,
});

test("the last renewal on a timeline counts", () => {
  const memory = new PrimaryMemory();
  expect(memory.known).toBeNull();
  expect([memory.note(primary("1", 1)), memory.note(primary("1", 2, false))]).toEqual([false, false]);
  expect(memory.known).toEqual(primary("1", 2, false));
});

test("renewals on another timeline do not replace the memory of the first until that is settled", () => {
  const memory = new PrimaryMemory();
  memory.note(primary("1", 7));
  expect([memory.note(primary("2", 8, false)), memory.note(primary("2", 9, false))]).toEqual([true, true]);
  expect(memory.known).toEqual(primary("1", 7));
  memory.settle("2");
  expect(memory.known).toEqual(primary("2", 9, false));
});

test("a timeline that was settled before the next renewal is not trusted until then", () => {
  const memory = new PrimaryMemory();
  memory.note(primary("1", 7));
  memory.settle("2");
  expect(memory.known).toEqual(primary("2", 7, false));
  expect(memory.note(primary("2", 8))).toBe(false);
  expect(memory.known).toEqual(primary("2", 8));
});

test("settling the known timeline changes nothing", () => {
  const memory = new PrimaryMemory();
  memory.settle("1");
  memory.note(primary("1", 7));
  memory.settle("1");
  expect(memory.known).toEqual(primary("1", 7));
});
