import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { SessionOpener, type Waiting } from "../../../src/work/session/session-opener.ts";
import { quietLog } from "../../kit/database.ts";
import { holdTimers } from "../../kit/timers.ts";
import { call } from "../kit/call.ts";
import { createMessenger, startSending } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

/** Channels that a node opens when it starts, or takes over from another. */

const WIDE = { perSecond: 1_000, burst: 1_000 };

describe("a node", () => {
  let node: TestNode;
  let stop: (() => Promise<void>) | undefined;
  const messenger = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 });
  const mayAnswer = Promise.withResolvers<void>();
  let connecting = 0;
  let most = 0;
  const connected: string[] = [];

  beforeEach(async () => {
    messenger.connect = async (channelId) => {
      most = Math.max(most, ++connecting);
      await mayAnswer.promise;
      connecting--;
      connected.push(channelId);
    };
    node = await startNode({ transports: [messenger.transport] });
  });
  afterEach(async () => {
    mayAnswer.resolve();
    await stop?.();
    await node.stop();
  });

  test("connects a limited number of channels at a time, and those of one account do not delay another's", async () => {
    const [much, little] = [await addAccount(node.db), await addAccount(node.db)];
    const all: string[] = [];
    for (let n = 0; n < 150; n++) all.push(await addChannel(node, much, { transport: "whatsapp" }));
    const last = await addChannel(node, little, { transport: "whatsapp" });
    stop = await startSending(node);
    await vi.waitUntil(() => messenger.opened.includes(last));
    expect(connecting).toBeLessThan(100);
    mayAnswer.resolve();
    await vi.waitUntil(() => connected.length === 151);
    expect(most).toBeLessThan(100);
    expect(connected.toSorted()).toEqual([...all, last].toSorted());
  });

  test("reads a changed channel alone, and all from time to time, because a notification may be lost", async () => {
    const account = await addAccount(node.db);
    const channel = () => addChannel(node, account, { transport: "whatsapp" });
    const [paced, taken, disabled] = [await channel(), await channel(), await channel()];
    mayAnswer.resolve();
    stop = await startSending(node);
    const opened = (id: string) => messenger.opened.filter((each) => each === id).length;
    await vi.waitUntil(() => [paced, taken, disabled].every((id) => connected.includes(id)));
    const query = vi.spyOn(node.core.db, "query");
    const reads = (name: string) =>
      query.mock.calls.flatMap(([statement, values]) =>
        typeof statement === "object" && statement.name === name ? [values?.[1]] : [],
      );
    let perMinute = 7;
    // More than once, because the first notification may arrive when all channels are read.
    await vi.waitUntil(async () => {
      await call(node, "PATCH", `/v2/channels/${paced}/pacing`, {
        token: account.access,
        body: { per_minute: perMinute++ },
      });
      return reads("channels_owned_of").length > 0;
    });
    expect(new Set(reads("channels_owned_of").flat())).toEqual(new Set([paced]));
    // Nobody is notified of these: the first is found by whoever acquires it, the second when all are read.
    await node.db.query("update channels set owner = null, epoch = epoch + 1 where id = $1", [taken]);
    await vi.waitUntil(() => opened(taken) === 2);
    await node.db.query("update channels set status = 'disabled', reason = 'rejected' where id = $1", [
      disabled,
    ]);
    await vi.waitUntil(
      async () =>
        (await node.db.query("select 1 from channels where id = $1 and owner is null", [disabled])).length >
        0,
    );
    const polls = reads("channels_unowned").length;
    expect(reads("channels_owned").length).toBeLessThan(polls);
    expect([paced, disabled].map(opened)).toEqual([1, 1]);
  });

  test("reads only the channels that it has acquired", async () => {
    const account = await addAccount(node.db);
    const first = await addChannel(node, account, { transport: "whatsapp" });
    mayAnswer.resolve();
    const query = vi.spyOn(node.core.db, "query");
    const readsOfAll = () =>
      query.mock.calls.filter(
        ([statement]) => typeof statement === "object" && statement.name === "channels_owned",
      ).length;
    stop = await startSending(node);
    await vi.waitUntil(() => connected.includes(first) && readsOfAll() > 0);
    // The next read of all that is due by time does not come.
    const now = performance.now();
    const clock = vi.spyOn(node.core.clock, "monotonicMs").mockImplementation(() => now);
    await Promise.all(query.mock.results.map(({ value }) => value));
    const before = readsOfAll();
    const more: string[] = [];
    for (let n = 0; n < 5; n++) {
      more.push(await addChannel(node, account, { transport: "whatsapp" }));
      await vi.waitUntil(() => connected.includes(more[n] ?? ""));
    }
    clock.mockRestore();
    expect(readsOfAll() - before).toBe(0);
    expect(messenger.opened.filter((id) => more.includes(id)).toSorted()).toEqual(more.toSorted());
  });

  test("opens channels while the session of another one closes slowly", async () => {
    // Nor does the time limit of its closing end.
    holdTimers(5_000);
    const account = await addAccount(node.db);
    const slow = await addChannel(node, account, { transport: "whatsapp" });
    mayAnswer.resolve();
    const mayClose = Promise.withResolvers<void>();
    messenger.disconnect = (id) => (id === slow ? mayClose.promise : undefined);
    stop = await startSending(node);
    await vi.waitUntil(() => connected.includes(slow));
    const answer = await call(node, "POST", `/v2/channels/${slow}/reinit`, {
      token: account.access,
      body: { credentials: {} },
    });
    expect(answer.status).toBe(200);
    const next = await addChannel(node, account, { transport: "whatsapp" });
    await vi.waitUntil(() => connected.includes(next));
    expect(messenger.opened.filter((id) => id === slow)).toHaveLength(1);
    mayClose.resolve();
    await vi.waitUntil(() => connected.filter((id) => id === slow).length === 2);
  });

  test("keeps a channel that starts anew", async () => {
    const account = await addAccount(node.db);
    const id = await addChannel(node, account, { transport: "whatsapp" });
    mayAnswer.resolve();
    stop = await startSending(node);
    await vi.waitUntil(() => connected.includes(id));
    const read = async () =>
      (
        await node.db.query<{ owner: string; epoch: number }>(
          "select owner, epoch from channels where id = $1",
          [id],
        )
      )[0];
    const before = await read();
    const answer = await call(node, "POST", `/v2/channels/${id}/reinit`, {
      token: account.access,
      body: { credentials: {} },
    });
    expect(answer.status).toBe(200);
    await vi.waitUntil(() => connected.filter((each) => each === id).length === 2);
    // It was not free in between.
    expect(await read()).toEqual({ owner: before?.owner, epoch: 1 + (before?.epoch ?? 0) });
  });
});

/** Channels that report when they are opened, and connect on command. */
function channels(count: number, accountId: number, opened: string[]): (Waiting & { answer(): void })[] {
  return Array.from({ length: count }, () => {
    const channelId = newId();
    const answered = Promise.withResolvers<void>();
    return {
      channelId,
      accountId,
      transport: "telegram",
      open: () => {
        opened.push(channelId);
        return answered.promise;
      },
      answer: answered.resolve,
    };
  });
}

test("no more channels are opened than there are descriptors for", () => {
  const opened: string[] = [];
  let limit = 1_000;
  const countDescriptors = () => ({ open: 700, limit });
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  const openings = new SessionOpener({ log: quietLog, concurrency: () => 1, countDescriptors });
  const waiting = Array.from({ length: 100 }, (_, account) => channels(1, account, opened)).flat();
  openings.follow(waiting);
  // A quarter of the limit is for others, and each channel may need two.
  expect(opened).toHaveLength(25);
  expect(openings.waiting).toBe(75);
  limit = 10_000;
  vi.advanceTimersByTime(2_000);
  openings.follow(waiting.filter(({ channelId }) => !opened.includes(channelId)));
  expect(opened).toHaveLength(100);
  vi.useRealTimers();
});

test("a channel whose messenger never responds gives up its slot", () => {
  const opened: string[] = [];
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  const openings = new SessionOpener({ log: quietLog, concurrency: () => 1, countDescriptors: () => null });
  openings.follow(channels(200, 1, opened));
  const first = opened.length;
  expect(first).toBeLessThan(100);
  vi.advanceTimersByTime(11_000);
  expect(opened.length).toBeGreaterThan(first);
  vi.useRealTimers();
});

test("a node whose lease was lost connects few channels at first, and more as it may", () => {
  const opened: string[] = [];
  let concurrency = 1 / 32;
  const options = { log: quietLog, countDescriptors: () => null, concurrency: () => concurrency };
  const openings = new SessionOpener(options);
  const waiting = Array.from({ length: 300 }, (_, account) => channels(1, account, opened)).flat();
  const counts = [1 / 32, 1 / 16, 1 / 8, 1].map((each) => {
    concurrency = each;
    openings.follow(waiting.filter(({ channelId }) => !opened.includes(channelId)));
    return opened.length;
  });
  // One transport may take half.
  expect(counts).toEqual([4, 8, 16, 128]);
  openings.follow([]);
  // Fewer may connect than do already.
  concurrency = 1 / 32;
  openings.follow(waiting.filter(({ channelId }) => !opened.includes(channelId)));
  expect(opened).toHaveLength(128);
});
