import { expect, test } from "vitest";
import { createTurnstile } from "./turnstile.ts";

const never = new AbortController().signal;

test("passes the first caller immediately and the others at the rate, in order", async () => {
  const turnstile = createTurnstile({ perSecond: 100 });
  const began = performance.now();
  const order: number[] = [];
  await Promise.all([1, 2, 3, 4, 5, 6].map((each) => turnstile.pass(never).then(() => order.push(each))));
  expect(order).toEqual([1, 2, 3, 4, 5, 6]);
  expect(performance.now() - began).toBeGreaterThanOrEqual(49);
});

test("an aborted caller stops waiting", async () => {
  const turnstile = createTurnstile({ perSecond: 0.001 });
  await turnstile.pass(never);
  const gone = new AbortController();
  const waiting = turnstile.pass(gone.signal);
  gone.abort(new Error("closed"));
  await expect(waiting).rejects.toThrow();
  await expect(turnstile.pass(gone.signal)).rejects.toThrow("closed");
});
