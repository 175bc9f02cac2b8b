import { expect, test } from "vitest";
import { DeliveryLoad } from "./delivery-load.ts";

const cases = [
  { what: "busy with many requests", share: 0.95, requestsPer100Ms: 40, isHigh: true },
  { what: "busy with something else", share: 0.95, requestsPer100Ms: 10, isHigh: false },
  { what: "many requests, and time left", share: 0.5, requestsPer100Ms: 40, isHigh: false },
  { what: "quiet", share: 0.01, requestsPer100Ms: 1, isHigh: false },
];

test.each(cases)("$what: $isHigh", ({ share, requestsPer100Ms, isHigh }) => {
  const use = { workedMs: 0, now: 0 };
  const load = new DeliveryLoad(() => ({ ...use }));
  const perRequest = 100 / requestsPer100Ms;
  const seen: boolean[] = [];
  for (let request = 0; request < requestsPer100Ms * 3; request++) {
    use.now += perRequest;
    use.workedMs += perRequest * share;
    seen.push(load.count());
  }
  expect(seen[0]).toBe(false);
  expect(seen.at(-1)).toBe(isHigh);
});

test("ends when the requests become few", () => {
  const use = { workedMs: 0, now: 0 };
  const load = new DeliveryLoad(() => ({ ...use }));
  for (let request = 0; request < 100; request++) {
    use.now += 2;
    use.workedMs += 2;
    load.count();
  }
  expect(load.count()).toBe(true);
  use.now += 5_000;
  use.workedMs += 5_000;
  expect(load.count()).toBe(false);
});

test("measures the event loop of this thread", async () => {
  const load = new DeliveryLoad();
  // A busy machine may stop this thread for longer than a sample.
  const end = performance.now() + 10_000;
  let isHigh = false;
  while (!isHigh && performance.now() < end) isHigh = load.count();
  expect(isHigh).toBe(true);
});
