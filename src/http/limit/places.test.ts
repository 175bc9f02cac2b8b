import { Counter, Gauge } from "prom-client";
import { expect, test } from "vitest";
import { AppError } from "../../core/errors.ts";
import { type PlaceLimits, Places } from "./places.ts";

function placesWith(limits: PlaceLimits) {
  const registers: [] = [];
  const metrics = {
    openRequests: new Gauge({ name: "open", help: "-", labelNames: ["kind"], registers }),
    refusedRequests: new Counter({ name: "refused", help: "-", labelNames: ["kind", "scope"], registers }),
  };
  const places = new Places({ kind: "stream", limits, metrics });
  const ended: string[] = [];
  const take = (name: string, owner: string, group: string): (() => void) | string => {
    try {
      return places.take({ owner, group, end: () => ended.push(name) });
    } catch (error) {
      return error instanceof AppError ? error.code : String(error);
    }
  };
  const counts = async () => ({
    open: (await metrics.openRequests.get()).values[0]?.value,
    refused: Object.fromEntries(
      (await metrics.refusedRequests.get()).values.map(({ labels, value }) => [labels.scope, value]),
    ),
  });
  return { take, ended, counts };
}

test("a session keeps its newest requests", async () => {
  const { take, ended, counts } = placesWith({ ofOwner: 2, ofGroup: 100, ofNode: 200 });
  for (const name of ["a", "b", "c", "d"]) expect(take(name, "one", "x")).toBeTypeOf("function");
  take("e", "other", "x");
  expect(ended).toEqual(["a", "b"]);
  expect(await counts()).toEqual({ open: 3, refused: { session: 2 } });
});

test("an account beyond its limit is refused, and welcome again once one of its requests has ended", async () => {
  const { take, ended, counts } = placesWith({ ofOwner: 10, ofGroup: 2, ofNode: 200 });
  const free = take("a", "one", "x");
  take("b", "two", "x");
  expect(take("c", "three", "x")).toBe("TOO_MANY_REQUESTS");
  expect(take("d", "four", "y")).toBeTypeOf("function");
  if (typeof free === "string") throw new Error(free);
  free();
  free();
  expect(take("e", "three", "x")).toBeTypeOf("function");
  expect(ended).toEqual([]);
  expect(await counts()).toEqual({ open: 3, refused: { account: 1 } });
});

test("a full node makes room for accounts that have less than the largest", async () => {
  const { take, ended, counts } = placesWith({ ofOwner: 10, ofGroup: 3, ofNode: 6 });
  for (const name of ["x1", "x2", "x3"]) take(name, name, "x");
  for (const name of ["y1", "y2", "y3"]) take(name, name, "y");
  expect(take("z1", "z", "z")).toBeTypeOf("function");
  expect(take("z2", "z", "z")).toBeTypeOf("function");
  expect(ended).toEqual(["x1", "y1"]);
  expect(take("z3", "z", "z")).toBe("UNAVAILABLE");
  expect(take("x4", "x", "x")).toBe("UNAVAILABLE");
  expect(await counts()).toEqual({ open: 6, refused: { node: 4 } });
});

test("an account never has more than half of a node", () => {
  const { take } = placesWith({ ofOwner: 10, ofGroup: 100, ofNode: 6 });
  for (const name of ["a", "b", "c"]) expect(take(name, name, "x")).toBeTypeOf("function");
  expect(take("d", "d", "x")).toBe("TOO_MANY_REQUESTS");
});
