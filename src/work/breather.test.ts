import { expect, test } from "vitest";
import { Breather } from "./breather.ts";

test("the first round starts at once, the others a pause apart", async () => {
  const breather = new Breather(30);
  const starts: number[] = [];
  const began = performance.now();
  for (let round = 0; round < 3; round++) {
    await breather.rest();
    starts.push(performance.now());
  }
  const [first = 0, second = 0, third = 0] = starts;
  expect(first - began).toBeLessThan(25);
  // Timers may fire up to a millisecond early.
  expect(second - first).toBeGreaterThanOrEqual(29);
  expect(third - second).toBeGreaterThanOrEqual(29);
});

test("who comes after the pause waits no more", async () => {
  const breather = new Breather(0);
  await breather.rest();
  const began = performance.now();
  await breather.rest();
  expect(performance.now() - began).toBeLessThan(25);
});
