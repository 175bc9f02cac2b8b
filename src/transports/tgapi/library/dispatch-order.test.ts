import type { BaseTelegramClient } from "@mtcute/core/client.js";
import { expect, test } from "vitest";
import { BEFORE, dispatchedBy, message, offlineClient, pushOf } from "./client-test-kit.ts";
import { dispatchInOrder } from "./dispatch-order.ts";

/** Message 2 is pushed while the difference with message 1 is being fetched. */
async function dispatched(arrange: (client: BaseTelegramClient) => void): Promise<number[]> {
  const answered = Promise.withResolvers<void>();
  // Storing the people of the push takes as long as the difference.
  const { client, updates } = offlineClient({ updatePeersFrom: () => answered.promise });
  arrange(client);
  const difference = {
    ...{ _: "updates.difference", newMessages: [message(1)], newEncryptedMessages: [] },
    ...{ otherUpdates: [], chats: [], users: [] },
    state: { _: "updates.state", ...BEFORE, pts: 11, unreadCount: 0 },
  };
  client.call = (async () => {
    queueMicrotask(() => answered.resolve());
    return difference;
  }) as never;
  updates.handleUpdate({ _: "updatesTooLong" });
  updates.handleUpdate(pushOf(2, 12));
  return dispatchedBy(client, 2);
}

test("an update that is pushed while a difference is fetched is dispatched after it", async () => {
  expect(await dispatched(dispatchInOrder)).toEqual([1, 2]);
});

test("the library alone dispatches it first: when this fails, the correction can be removed", async () => {
  expect(await dispatched(() => undefined)).toEqual([2, 1]);
});
