import { expect, test } from "vitest";
import type { Base } from "../base.ts";
import { Cache } from "../cache.ts";
import { type Channel, getChannelCached, type HasChannels } from "./channel.ts";

const OWN = { accountId: 1 };
const OTHER = { accountId: 2 };

/** A read waits until it is answered. */
function build() {
  const reads: { readonly accountId: unknown; answer(rows: readonly object[]): void; fail(): void }[] = [];
  const db = {
    query: (_statement: unknown, [accountId]: readonly unknown[]) =>
      new Promise<readonly object[]>((resolve, reject) => {
        reads.push({ accountId, answer: resolve, fail: () => reject(new Error("no database")) });
      }),
  };
  const core = {
    db,
    caches: { channels: new Cache<string, Channel>({ maxEntries: 9 }), channelReads: new Map() },
  } as unknown as Base & HasChannels;
  return { reads, find: (scope: typeof OWN) => getChannelCached(core, scope, "c") };
}
const ROW = { account_id: 1, id: "c", status: "active", reason: null, restrictions: [] };

test("requests that come while a channel is read share the read; later ones find it", async () => {
  const { reads, find } = build();
  const asked = Promise.all(Array.from({ length: 50 }, () => find(OWN)));
  expect(reads).toHaveLength(1);
  reads[0]?.answer([ROW]);
  expect(new Set((await asked).map(({ id }) => id))).toEqual(new Set(["c"]));
  expect((await find(OWN)).accountId).toBe(1);
  expect(reads).toHaveLength(1);
});

test("another account's request neither shares nor disturbs the read", async () => {
  const { reads, find } = build();
  const foreign = find(OTHER).catch((error: unknown) => error);
  const own = find(OWN);
  expect(reads.map(({ accountId }) => accountId)).toEqual([2, 1]);
  reads[0]?.answer([]);
  reads[1]?.answer([ROW]);
  expect(await foreign).toMatchObject({ code: "CHANNEL_NOT_FOUND" });
  expect((await own).id).toBe("c");
});

test("after a failure the channel is read again", async () => {
  const { reads, find } = build();
  const failed = Promise.allSettled([find(OWN), find(OWN)]);
  reads[0]?.fail();
  expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const again = find(OWN);
  reads[1]?.answer([ROW]);
  expect((await again).id).toBe("c");
});
