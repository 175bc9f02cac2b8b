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

test("nothing outlives the work", async () => {
  vi.useFakeTimers();
  try {
    const outer = new AbortController();
    const removed = vi.spyOn(outer.signal, "removeEventListener");
    expect(await withTimeLimit(1_000, outer.signal, async () => 7)).toBe(7);
    await expect(withTimeLimit(1_000, outer.signal, () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});
