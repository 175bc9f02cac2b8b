import { expect, test } from "vitest";
import { type LogoutOutcome, leave } from "./leaving.ts";

test.each<[string, readonly LogoutOutcome[], readonly (readonly [number, number])[]]>([
  ["confirmed", ["unlinked"], []],
  [
    "without a connection",
    ["lost", "lost", "lost", "unlinked"],
    [
      [100, 100],
      [100, 100],
      [100, 100],
    ],
  ],
  [
    "refused more slowly each time",
    ["refused", "refused", "lost", "refused", "unlinked"],
    [
      [500, 1_000],
      [1_000, 2_000],
      [100, 100],
      [2_000, 4_000],
    ],
  ],
])("a logout is repeated: %s", async (_, outcomes, expected) => {
  const left = [...outcomes];
  const pauses: number[] = [];
  await leave({
    isOver: () => false,
    logout: async () => left.shift() ?? "unlinked",
    pause: async (ms) => void pauses.push(ms),
  });
  expect(left).toEqual([]);
  expect(pauses).toHaveLength(expected.length);
  for (const [index, [least, most]] of expected.entries()) {
    expect(pauses[index]).toBeGreaterThanOrEqual(least);
    expect(pauses[index]).toBeLessThanOrEqual(most);
  }
});

test("a logout that is refused for hours is repeated every few minutes", async () => {
  const pauses: number[] = [];
  await leave({
    isOver: () => pauses.length === 20,
    logout: async () => "refused",
    pause: async (ms) => void pauses.push(ms),
  });
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(150_000);
  expect(pauses.at(-1)).toBeLessThanOrEqual(300_000);
});
