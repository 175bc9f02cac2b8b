import { expect, test } from "vitest";
import { dispatchedBy, offlineClient, pushOf } from "./library/client-test-kit.ts";
import { countOwn } from "./line.ts";

test("an update at the position at which a request of ours changed nothing is dispatched", async () => {
  const { client, updates } = offlineClient();
  updates.updatesLoopActive = true;
  countOwn(client, { pts: 11, ptsCount: 0 });
  updates.handleUpdate(pushOf(1, 11));
  updates.handleUpdate(pushOf(2, 12));
  expect(await dispatchedBy(client, 2)).toEqual([1, 2]);
});

test("an update after our own change is dispatched at once, and the report of that change is not", async () => {
  const { client, updates } = offlineClient();
  updates.updatesLoopActive = true;
  countOwn(client, { pts: 11, ptsCount: 1 });
  updates.handleUpdate(pushOf(1, 11));
  updates.handleUpdate(pushOf(2, 12));
  updates.handleUpdate(pushOf(3, 13));
  expect(await dispatchedBy(client, 2)).toEqual([2, 3]);
});
