import { MemoryStorage, type tl } from "@mtcute/core";
import { BaseTelegramClient } from "@mtcute/core/client.js";
import { expect, test } from "vitest";
import { dispatchInOrder } from "./dispatch-order.ts";

const BEFORE = { pts: 10, qts: 1, seq: 1, date: 1 };

function message(id: number): tl.RawMessage {
  const peerId = { _: "peerUser" as const, userId: 7 };
  return { _: "message", id, peerId, fromId: peerId, date: 1, message: `m${id}` };
}

/** The library's own client, without a connection. `push` arrives while the difference is being fetched. */
async function dispatched(arrange: (client: BaseTelegramClient) => void): Promise<number[]> {
  const client = new BaseTelegramClient({
    ...{ apiId: 1, apiHash: "x", crypto: {} as never, transport: {} as never },
    platform: { log() {}, getDefaultLogLevel: () => 0, getDeviceModel: () => "", beforeExit: () => () => {} },
    storage: new MemoryStorage(),
  });
  arrange(client);
  const { updates } = client;
  if (updates === undefined) throw new Error("The client has no manager of updates");
  Object.assign(updates, BEFORE);
  const answered = Promise.withResolvers<void>();
  const difference = {
    ...{ _: "updates.difference", newMessages: [message(1)], newEncryptedMessages: [] },
    ...{ otherUpdates: [], chats: [], users: [] },
    state: { _: "updates.state", ...BEFORE, pts: 11, unreadCount: 0 },
  };
  client.call = (async () => {
    queueMicrotask(() => answered.resolve());
    return difference;
  }) as never;
  Object.assign(client.storage, {
    // Storing the people of the push takes as long as the difference.
    peers: { updatePeersFrom: () => answered.promise.then(() => undefined), getCompleteById: () => ({}) },
    updates: { setPts() {}, setQts() {}, setDate() {}, setSeq() {}, setManyChannelPts() {} },
    self: { getCached: () => ({ isBot: true }) },
  });
  const ids: number[] = [];
  const all = Promise.withResolvers<void>();
  client.onRawUpdate.add(({ update }) => {
    if (update._ === "updateNewMessage" && ids.push(update.message.id) === 2) all.resolve();
  });
  const push: tl.RawUpdateNewMessage = { _: "updateNewMessage", message: message(2), pts: 12, ptsCount: 1 };
  updates.handleUpdate({ _: "updatesTooLong" });
  updates.handleUpdate({ _: "updates", seq: 0, date: 1, chats: [], users: [], updates: [push] });
  updates.updatesLoopActive = true;
  void updates._loop();
  await all.promise;
  updates.updatesLoopActive = false;
  return ids;
}

test("an update that is pushed while a difference is fetched is dispatched after it", async () => {
  expect(await dispatched(dispatchInOrder)).toEqual([1, 2]);
});

test("the library alone dispatches it first: when this fails, the correction can be removed", async () => {
  expect(await dispatched(() => undefined)).toEqual([2, 1]);
});
