import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { SessionOpener, type Waiting } from "../../src/work/session/session-opener.ts";
import { quietLog } from "../kit/database.ts";
import { createMessenger, startSending } from "./kit/sending.ts";
import { addAccount, addChannel, startNode, type TestNode } from "./kit/service.ts";

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

  test("connects its channels some at a time, and those of one account do not keep another's waiting", async () => {
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
});

/** Channels that say when they are opened, and connect when they are told to. */
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

test("no more channels are opened than there are descriptors for, until there are more", () => {
  const opened: string[] = [];
  let limit = 1_000;
  const countDescriptors = () => ({ open: 700, limit });
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  const openings = new SessionOpener({ log: quietLog, countDescriptors });
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

test("a channel whose messenger never answers gives its place up", () => {
  const opened: string[] = [];
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  const openings = new SessionOpener({ log: quietLog, countDescriptors: () => null });
  openings.follow(channels(200, 1, opened));
  const first = opened.length;
  expect(first).toBeLessThan(100);
  vi.advanceTimersByTime(11_000);
  expect(opened.length).toBeGreaterThan(first);
  vi.useRealTimers();
});
