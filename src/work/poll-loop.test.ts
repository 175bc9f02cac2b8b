import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Signals } from "../core/signals.ts";
import { PollLoop } from "./poll-loop.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A loop with the given polls, and the start times of its polls, in milliseconds. */
function build(
  options: { pauseMs?: number; isWatched?: () => boolean; poll?: (count: number) => Promise<boolean> } = {},
) {
  const emitter = new EventEmitter();
  const starts: number[] = [];
  const errors: unknown[] = [];
  const began = performance.now();
  const loop = new PollLoop({
    signals: {
      on: (topic, handler) => {
        emitter.on(topic, handler);
        return () => void emitter.off(topic, handler);
      },
      onDue: (topic, handler) => {
        emitter.on(`due ${topic}`, handler);
        return () => void emitter.off(`due ${topic}`, handler);
      },
    } satisfies Pick<Signals, "on" | "onDue">,
    topic: "sends",
    pauseMs: () => options.pauseMs ?? 0,
    isWatched: options.isWatched ?? (() => false),
    onError: (error) => errors.push(error),
    poll: async () => {
      starts.push(performance.now() - began);
      return (await options.poll?.(starts.length)) ?? false;
    },
  });
  return {
    loop,
    starts,
    errors,
    notify: () => emitter.emit("sends"),
    listeners: () => emitter.listenerCount("sends") + emitter.listenerCount("due sends"),
  };
}

test("polls at the start, at a notification, and twice a second", async () => {
  const { loop, starts, notify } = build();
  loop.start();
  await vi.advanceTimersByTimeAsync(100);
  notify();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(starts).toEqual([0, 100, 500, 1_000]);
  await loop.stop();
});

test("while its work is watched, only notifications cause polls", async () => {
  let isWatched = true;
  const { loop, starts, notify } = build({ isWatched: () => isWatched });
  loop.start();
  await vi.advanceTimersByTimeAsync(700);
  notify();
  await vi.advanceTimersByTimeAsync(700);
  isWatched = false;
  await vi.advanceTimersByTimeAsync(200);
  expect(starts).toEqual([0, 700, 1_500]);
  await loop.stop();
});

test("the first poll starts at once, the others after a pause", async () => {
  const { loop, starts } = build({ pauseMs: 30, poll: async (count) => count < 3 });
  loop.start();
  await vi.advanceTimersByTimeAsync(400);
  expect(starts).toEqual([0, 30, 60]);
  await loop.stop();
});

test("stopping does not wait for a pause", async () => {
  const { loop, starts } = build({ pauseMs: 30_000 });
  loop.start();
  await vi.advanceTimersByTimeAsync(600);
  await loop.stop();
  expect(starts).toEqual([0]);
});

test("notifications during a poll cause one more, and polls never overlap", async () => {
  let under = 0;
  let most = 0;
  const { loop, starts } = build({
    poll: async () => {
      most = Math.max(most, ++under);
      await new Promise((resolve) => setTimeout(resolve, 50));
      under--;
      return false;
    },
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(10);
  loop.now();
  loop.now();
  await vi.advanceTimersByTimeAsync(300);
  expect([starts, most]).toEqual([[0, 50], 1]);
  await loop.stop();
});

test("after a failure it waits for the timer", async () => {
  const { loop, starts, errors } = build({
    poll: async (count) => {
      if (count === 1) throw new Error("away");
      return false;
    },
  });
  loop.start();
  loop.now();
  await vi.advanceTimersByTimeAsync(499);
  expect([starts.length, errors.length]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(starts).toEqual([0, 500]);
  await loop.stop();
});

test("stopping waits for the running poll, and is final", async () => {
  const polled = Promise.withResolvers<boolean>();
  const { loop, starts, notify, listeners } = build({ poll: () => polled.promise });
  loop.start();
  await vi.advanceTimersByTimeAsync(1);
  loop.now();
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(600);
  expect(stopped).toBe(false);
  polled.resolve(true);
  await stopping;
  notify();
  await vi.advanceTimersByTimeAsync(600);
  expect([starts.length, listeners(), loop.isStopping]).toEqual([1, 0, true]);
});
