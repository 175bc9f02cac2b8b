import pg from "pg";
import { describe, expect, it } from "vitest";
import { ConnectionLost } from "../database/database.ts";
import { retryOnLostConnection } from "./retry.ts";

const lost = (): Error => new ConnectionLost(new Error("reset"), { rolledBack: false });

/** Fails the first `times` runs, then returns the number of runs. */
function failing(times: number, error: () => Error) {
  const counter = { runs: 0 };
  const run = async (): Promise<number> => {
    counter.runs++;
    if (counter.runs <= times) throw error();
    return counter.runs;
  };
  return { counter, run };
}

describe("retryOnLostConnection", () => {
  it.each([0, 1, 4])("succeeds after %i lost connections", async (times) => {
    expect(await retryOnLostConnection(failing(times, lost).run)).toBe(times + 1);
  });

  it("gives up after five attempts", async () => {
    const { counter, run } = failing(9, lost);
    await expect(retryOnLostConnection(run)).rejects.toThrow(ConnectionLost);
    expect(counter.runs).toBe(5);
  });

  it("retries after a deadlock", async () => {
    const deadlock = () =>
      Object.assign(new pg.DatabaseError("deadlock detected", 1, "error"), { code: "40P01" });
    expect(await retryOnLostConnection(failing(1, deadlock).run)).toBe(2);
  });

  it("retries nothing else", async () => {
    const { counter, run } = failing(9, () => new RangeError("no"));
    await expect(retryOnLostConnection(run)).rejects.toThrow("no");
    expect(counter.runs).toBe(1);
  });
});
