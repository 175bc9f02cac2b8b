import { MemoryStorage, type tl } from "@mtcute/core";
import { BaseTelegramClient } from "@mtcute/core/client.js";

/** The position in the account's updates from which `offlineClient` continues. */
export const BEFORE = { pts: 10, qts: 1, seq: 1, date: 1 };

/** The library's own client with its manager of updates, without a connection. */
export function offlineClient(peers: object = {}) {
  const client = new BaseTelegramClient({
    ...{ apiId: 1, apiHash: "x", crypto: {} as never, transport: {} as never },
    platform: { log() {}, getDefaultLogLevel: () => 0, getDeviceModel: () => "", beforeExit: () => () => {} },
    storage: new MemoryStorage(),
  });
  Object.assign(client.storage, {
    peers: { updatePeersFrom: () => Promise.resolve(), getCompleteById: () => ({}), ...peers },
    updates: { setPts() {}, setQts() {}, setDate() {}, setSeq() {}, setManyChannelPts() {} },
    self: { getCached: () => ({ isBot: true }) },
  });
  const { updates } = client;
  if (updates === undefined) throw new Error("The client has no manager of updates");
  Object.assign(updates, BEFORE);
  return { client, updates };
}

export function message(id: number): tl.RawMessage {
  const peerId = { _: "peerUser" as const, userId: 7 };
  return { _: "message", id, peerId, fromId: peerId, date: 1, message: `m${id}` };
}

/** An update with the message of this id, after which the account's position is `pts`. */
export function pushOf(id: number, pts: number): tl.RawUpdates {
  const update: tl.RawUpdateNewMessage = {
    _: "updateNewMessage",
    message: message(id),
    pts,
    ptsCount: 1,
  };
  return { _: "updates", seq: 0, date: 1, chats: [], users: [], updates: [update] };
}

/** The ids of the first `count` messages that the client dispatches. */
export async function dispatchedBy(client: BaseTelegramClient, count: number): Promise<number[]> {
  const ids: number[] = [];
  const all = Promise.withResolvers<void>();
  client.onRawUpdate.add(({ update }) => {
    if (update._ === "updateNewMessage" && ids.push(update.message.id) === count) all.resolve();
  });
  const { updates } = client;
  if (updates === undefined) throw new Error("The client has no manager of updates");
  updates.updatesLoopActive = true;
  void updates._loop();
  await all.promise;
  updates.updatesLoopActive = false;
  return ids;
}
