import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { pause } from "./retry-loop.ts";

test.each([
  ["an hour", 3_600_000],
  ["a point in time", Date.now()],
  ["for ever", Number.POSITIVE_INFINITY],
])("a pause of %s does not end at once", async (_, ms) => {
  const over = new AbortController();
  const paused = pause(ms, over.signal).then(() => "ended");
  expect(await Promise.race([paused, delay(50, "waits")])).toBe("waits");
  over.abort();
  await paused;
});
