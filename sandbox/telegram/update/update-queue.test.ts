import fc from "fast-check";
import { expect, test } from "vitest";
import { UpdateQueue } from "./update-queue.ts";

/** A simple model of a queue: the ids that wait. */
test("after any pushes, confirmations and expiries exactly the rest remains, in order", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("push" as const), count: fc.integer({ min: 1, max: 1500 }) }),
    fc.record({ kind: fc.constant("below" as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.record({ kind: fc.constant("one" as const), part: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const queue = new UpdateQueue(0);
      let waiting: number[] = [];
      for (const action of steps) {
        if (action.kind === "push") {
          for (let i = 0; i < action.count; i++) waiting.push(queue.push({ message: {} }, "a", 0).id);
        } else if (action.kind === "below") {
          const offset = Math.floor(queue.lastId * action.part);
          queue.confirmBelow(offset);
          waiting = waiting.filter((id) => id >= offset);
        } else {
          const entry = queue.list(0, Number.POSITIVE_INFINITY)[Math.floor(waiting.length * action.part)];
          if (entry) queue.confirm(entry);
          waiting = waiting.filter((id) => id !== entry?.id);
        }
      }
      expect(queue.list(0, Number.POSITIVE_INFINITY).map(({ id }) => id)).toEqual(waiting);
      expect(queue.size).toBe(waiting.length);
    }),
    { numRuns: 50 },
  );
});
