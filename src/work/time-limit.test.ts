import { expect, test, vi } from "vitest";
import { TimeLimits } from "./time-limit.ts";

const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const tell = (): void => resolve((signal.reason as Error).name);
    if (signal.aborted) tell();
    else signal.addEventListener("abort", tell);
  });

test("the limit fires", async () => {
  expect(await new TimeLimits(new AbortController().signal).run(1, untilAborted)).toBe("TimeoutError");
});

test("the outer signal fires too, before or during the work", async () => {
  const outer = new AbortController();
  const limits = new TimeLimits(outer.signal);
  const during = limits.run(60_000, untilAborted);
  outer.abort(Object.assign(new Error(), { name: "Ended" }));
  expect(await during).toBe("Ended");
  expect(await limits.run(60_000, untilAborted)).toBe("Ended");
});

test("nothing survives the work", async () => {
  vi.useFakeTimers();
  try {
    const outer = new AbortController();
    const added = vi.spyOn(outer.signal, "addEventListener");
    const limits = new TimeLimits(outer.signal);
    const signals: AbortSignal[] = [];
    const work = async (signal: AbortSignal): Promise<number> => signals.push(signal);
    expect(await limits.run(1_000, work)).toBe(1);
    expect(await limits.run(1_000, work)).toBe(2);
    await expect(limits.run(1_000, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect([vi.getTimerCount(), added.mock.calls.length]).toEqual([0, 1]);
    outer.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  } finally {
    vi.useRealTimers();
  }
});
