import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Signals } from "../core/signals.ts";
import { PollLoop } from "./poll-loop.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A pump whose looks answer as told and whose starts are noted, in milliseconds. */
function build(options: { pauseMs?: number; look?: (count: number) => Promise<boolean> } = {}) {
  const emitter = new EventEmitter();
  const starts: number[] = [];
  const errors: unknown[] = [];
  const began = performance.now();
  const pump = new PollLoop({
    wakes: {
      on: (topic, handler) => {
        emitter.on(topic, handler);
        return () => void emitter.off(topic, handler);
      },
    } satisfies Pick<Signals, "on">,
    topic: "sends",
    pauseMs: () => options.pauseMs ?? 0,
    onError: (error) => errors.push(error),
    look: async () => {
      starts.push(performance.now() - began);
      return (await options.look?.(starts.length)) ?? false;
    },
  });
  return {
    pump,
    starts,
    errors,
    wake: () => emitter.emit("sends"),
    listeners: () => emitter.listenerCount("sends"),
  };
}

test("it looks at the start, at a word, and twice a second", async () => {
  const { pump, starts, wake } = build();
  pump.start();
  await vi.advanceTimersByTimeAsync(100);
  wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(starts).toEqual([0, 100, 500, 1_000]);
  await pump.stop();
});

test("the first look starts at once, the others a pause apart", async () => {
  const { pump, starts } = build({ pauseMs: 30, look: async (count) => count < 3 });
  pump.start();
  await vi.advanceTimersByTimeAsync(400);
  expect(starts).toEqual([0, 30, 60]);
  await pump.stop();
});

test("stopping does not wait for a pause", async () => {
  const { pump, starts } = build({ pauseMs: 30_000 });
  pump.start();
  await vi.advanceTimersByTimeAsync(600);
  await pump.stop();
  expect(starts).toEqual([0]);
});

test("words during a look make one more, and looks never overlap", async () => {
  let under = 0;
  let most = 0;
  const { pump, starts } = build({
    look: async () => {
      most = Math.max(most, ++under);
      await new Promise((resolve) => setTimeout(resolve, 50));
      under--;
      return false;
    },
  });
  pump.start();
  await vi.advanceTimersByTimeAsync(10);
  pump.now();
  pump.now();
  await vi.advanceTimersByTimeAsync(300);
  expect([starts, most]).toEqual([[0, 50], 1]);
  await pump.stop();
});

test("after a failure it waits for the clock", async () => {
  const { pump, starts, errors } = build({
    look: async (count) => {
      if (count === 1) throw new Error("away");
      return false;
    },
  });
  pump.start();
  pump.now();
  await vi.advanceTimersByTimeAsync(499);
  expect([starts.length, errors.length]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(starts).toEqual([0, 500]);
  await pump.stop();
});

test("stopping waits for the look under way, and is for good", async () => {
  const looked = Promise.withResolvers<boolean>();
  const { pump, starts, wake, listeners } = build({ look: () => looked.promise });
  pump.start();
  await vi.advanceTimersByTimeAsync(1);
  pump.now();
  let stopped = false;
  const stopping = pump.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(600);
  expect(stopped).toBe(false);
  looked.resolve(true);
  await stopping;
  wake();
  await vi.advanceTimersByTimeAsync(600);
  expect([starts.length, listeners(), pump.isStopping]).toEqual([1, 0, true]);
});
