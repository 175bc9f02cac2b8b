import { expect, onTestFinished, test } from "vitest";
import { AccountLife } from "./account-life.ts";
import { FAST, linkTo } from "./testing.ts";

test("attempts that fail in the service itself follow each other more slowly each time", async () => {
  const link = linkTo("http://127.0.0.1:9");
  const times: number[] = [];
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const read = async (): Promise<never> => {
    times.push(performance.now());
    if (times.length === 10) resolve();
    throw new Error("the store is unavailable");
  };
  const vault = { ...link.vault, read };
  const life = new AccountLife({ ...link, vault }, link.signal, { ...FAST, firstPauseMs: 1 });
  const living = life.run();
  onTestFinished(async () => {
    link.abort();
    await living;
    await link.dispose();
  });
  await enough;
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  // At least half of 1 ms doubled eight times.
  expect(pauses.at(-1)).toBeGreaterThan(100);
});
