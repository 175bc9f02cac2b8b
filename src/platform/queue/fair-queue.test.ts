import fc from "fast-check";
import { expect, it } from "vitest";
import { FairQueue } from "./fair-queue.ts";

interface Item {
  readonly owner: string;
  readonly lane: string;
  readonly n: number;
}

function drained(queue: FairQueue<Item>): Item[] {
  const items: Item[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

function queueOf(items: readonly Item[]): FairQueue<Item> {
  const queue = new FairQueue<Item>(({ owner, lane }) => ({ owner, lane }));
  for (const item of items) queue.push(item);
  return queue;
}

const nameOf = ({ owner, lane, n }: Item): string => `${owner}${lane}${n}`;

it("alternates between owners, and between the lanes of an owner", () => {
  const many = Array.from({ length: 1_000 }, (_, n) => ({ owner: "A", lane: "x", n }));
  const queue = queueOf([
    ...many,
    { owner: "A", lane: "y", n: 0 },
    { owner: "B", lane: "z", n: 0 },
    { owner: "B", lane: "z", n: 1 },
  ]);
  expect(queue.waitingOf({ owner: "A", lane: "x" })).toEqual({ owner: 1_001, lane: 1_000 });
  expect(queue.waitingOf({ owner: "C", lane: "x" })).toEqual({ owner: 0, lane: 0 });
  const first = Array.from({ length: 6 }, () => queue.shift()).flatMap((item) =>
    item ? [nameOf(item)] : [],
  );
  expect(first).toEqual(["Ax0", "Bz0", "Ay0", "Bz1", "Ax1", "Ax2"]);
  expect(queue.size).toBe(997);
});

it("loses no item, keeps the order of each lane, and serves each owner within one round", () => {
  const item = fc.record({ owner: fc.constantFrom("A", "B", "C"), lane: fc.constantFrom("x", "y") });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60 }), (given) => {
      const items = given.map((each, n) => ({ ...each, n }));
      const out = drained(queueOf(items));
      expect(out.toSorted((a, b) => a.n - b.n)).toEqual(items);
      for (const owner of ["A", "B", "C"]) {
        for (const lane of ["x", "y"]) {
          const ofLane = out.filter((each) => each.owner === owner && each.lane === lane);
          expect(ofLane.map(({ n }) => n)).toEqual(ofLane.map(({ n }) => n).toSorted((a, b) => a - b));
        }
        const first = out.findIndex((each) => each.owner === owner);
        if (first >= 0) expect(first).toBeLessThan(3);
      }
    }),
  );
});
