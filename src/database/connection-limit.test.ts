import pg, { type PoolClient } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { ConnectionLimit } from "./connection-limit.ts";

const REFUSAL = new Error("sorry, too many clients already");

function limited() {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const pool = new pg.Pool({ max: 10 });
  const limit = new ConnectionLimit(pool);
  const client = {} as PoolClient;
  return { pool, limit, open: () => pool.emit("connect", client), close: () => pool.emit("remove", client) };
}

test("a pool grows again some seconds after a refusal", async () => {
  const { pool, limit, open } = limited();
  open();
  expect(await limit.lower(REFUSAL)).toBe(true);
  limit.raise();
  expect([pool.options.max, limit.refusal]).toEqual([1, REFUSAL]);
  vi.advanceTimersByTime(5_000);
  limit.raise();
  expect([pool.options.max, limit.refusal]).toEqual([10, undefined]);
});

test("a pool without connections does not wait for them", async () => {
  const { pool, limit, open, close } = limited();
  open();
  close();
  expect(await limit.lower(REFUSAL)).toBe(false);
  expect(pool.options.max).toBe(10);
});
