import { AsyncResource } from "node:async_hooks";

/** Smaller bodies take less than a millisecond, and do not wait. */
const LARGE_BYTES = 64 * 1024;

export type BodyQueue = (bytes: number, work: () => void) => void;

/**
 * Returns a function that runs `work` on a body of so many bytes: at once if it is small, otherwise in order, one large
 * body in each turn of the event loop. Many large bodies that arrive together, each of which takes milliseconds to parse
 * and validate, then delay other requests by one of them at a time. `work` keeps the caller's async context.
 */
export function createLargeBodyQueue(): BodyQueue {
  const waiting: (() => void)[] = [];

  function next(): void {
    try {
      waiting[0]?.();
    } finally {
      waiting.shift();
      if (waiting.length > 0) setImmediate(next);
    }
  }

  return (bytes, work) => {
    if (bytes <= LARGE_BYTES) return work();
    waiting.push(AsyncResource.bind(work));
    if (waiting.length === 1) setImmediate(next);
  };
}
