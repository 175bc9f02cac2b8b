import { expect, test, vi } from "vitest";
import { withTimeLimit } from "./time-limit.ts";

const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const tell = (): void => resolve((signal.reason as Error).name);
    if (signal.aborted) tell();
    else signal.addEventListener("abort", tell);
  });

test("the limit fires", async () => {
  expect(await withTimeLimit(1, new AbortController().signal, untilAborted)).toBe("TimeoutError");
});

test("the outer signal fires too, before or during the work", async () => {
  const outer = new AbortController();
  const during = withTimeLimit(60_000, outer.signal, untilAborted);
  outer.abort(Object.assign(new Error(), { name: "Ended" }));
  expect(await during).toBe("Ended");
  expect(await withTimeLimit(60_000, outer.signal, untilAborted)).toBe("Ended");
});

test("nothing survives the work", async () => {
  vi.useFakeTimers();
  try {
    const outer = new AbortController();
    const added = vi.spyOn(outer.signal, "addEventListener");
    const signals: AbortSignal[] = [];
    const work = async (signal: AbortSignal): Promise<number> => signals.push(signal);
    expect(await withTimeLimit(1_000, outer.signal, work)).toBe(1);
    expect(await withTimeLimit(1_000, outer.signal, work)).toBe(2);
    await expect(withTimeLimit(1_000, outer.signal, () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    expect([vi.getTimerCount(), added.mock.calls.length]).toEqual([0, 1]);
    outer.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  } finally {
    vi.useRealTimers();
  }
});
