import { expect, test } from "vitest";
import { createRateLimiter } from "./rate-limiter.ts";

const never = new AbortController().signal;

test("passes the first caller immediately and the others at the rate, in order", async () => {
  const turnstile = createRateLimiter({ perSecond: 100 });
  const began = performance.now();
  const order: number[] = [];
  await Promise.all([1, 2, 3, 4, 5, 6].map((each) => turnstile.acquire(never).then(() => order.push(each))));
  expect(order).toEqual([1, 2, 3, 4, 5, 6]);
  // Five pauses of 10 ms; the last timer may fire up to 2 ms early, and earliness does not add up.
  expect(performance.now() - began).toBeGreaterThanOrEqual(48);
});

test("an aborted caller stops waiting", async () => {
  const turnstile = createRateLimiter({ perSecond: 0.001 });
  await turnstile.acquire(never);
  const gone = new AbortController();
  const waiting = turnstile.acquire(gone.signal);
  gone.abort(new Error("closed"));
  await expect(waiting).rejects.toThrow();
  await expect(turnstile.acquire(gone.signal)).rejects.toThrow("closed");
});
