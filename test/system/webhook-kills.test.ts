import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { waitingEvents } from "../kit/event-log.ts";
import type { Post } from "../kit/receiver.ts";
import { must, type Stand, startStand } from "../kit/stand.ts";

const KILLS = 20;
const PEOPLE = 20;
const MESSAGES = 6_000;
const ITEMS = 25;
/** Ends a test that hangs; not a performance limit. */
const LONG = { timeout: 120_000, interval: 100 };

let stand: Stand;

beforeAll(async () => {
  stand = await startStand({ settings: { WEBHOOK_MAX_ITEMS: String(ITEMS), NODE_LEASE_MS: "1500" } });
});
afterAll(() => stand.stop());

test(`${KILLS} × kill -9 during delivery: nothing is missing, and repeats carry the same ids and bytes`, async () => {
  const { receiver } = stand;
  let service = await stand.start();
  const { bot } = await stand.addChannel(1);
  receiver.respond = (_post, response) => setTimeout(() => response.writeHead(200).end(), Math.random() * 20);
  await must(stand.call("POST", "/v3/webhooks/pause"));
  await stand.telegram.admin("POST /load", { bot_id: bot.id, users: PEOPLE, count: MESSAGES });
  await vi.waitUntil(async () => (await queueLength()) >= MESSAGES, LONG);
  await must(stand.call("POST", "/v3/webhooks/resume"));

  for (let kill = 0; kill < KILLS; kill++) {
    const enough = receiver.posts.length + 1 + Math.floor(Math.random() * 8);
    await receiver.until((posts) => posts.length >= enough);
    await service.end("SIGKILL");
    service = await stand.start();
  }
  expect(await queueLength()).toBeGreaterThan(0);
  await vi.waitUntil(async () => (await queueLength()) === 0, LONG);

  const first = firstArrivals(receiver.posts);
  expect(first.size).toBe(MESSAGES);
  for (const numbers of byChat(first).values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  const repeats = findRepeats(receiver.posts);
  expect(repeats.otherBytes).toEqual([]);
  expect(repeats.otherIds).toEqual([]);
  // Requests in transit, and those that the receiver had just accepted when the acknowledgement was being stored.
  expect(repeats.count).toBeLessThanOrEqual(2 * KILLS);
});

const queueLength = () => waitingEvents(stand.db, stand.account.accountId);

interface Arrival {
  readonly chatId: string;
  readonly number: number;
}

/** The receiver and position at which each message first arrived. */
function firstArrivals(posts: readonly Post[]): Map<string, Arrival> {
  const first = new Map<string, Arrival>();
  for (const { items } of posts)
    for (const { messageId, chatId = "", text = "" } of items)
      if (text.startsWith("load ") && !first.has(messageId))
        first.set(messageId, { chatId, number: Number(text.split(" ").at(-1)) });
  return first;
}

function byChat(arrivals: ReadonlyMap<string, Arrival>): Map<string, number[]> {
  const chats = Map.groupBy(arrivals.values(), ({ chatId }) => chatId);
  return new Map([...chats].map(([chatId, messages]) => [chatId, messages.map(({ number }) => number)]));
}

interface Repeats {
  readonly count: number;
  /** Ids that arrived with different bodies. */
  readonly otherBytes: readonly string[];
  /** Messages that arrived under different ids. */
  readonly otherIds: readonly string[];
}

function findRepeats(posts: readonly Post[]): Repeats {
  const byId = Map.groupBy(posts, ({ headers }) => String(headers["webhook-id"]));
  const idsOf = new Map<string, Set<string>>();
  for (const { headers, items } of posts)
    for (const { messageId } of items)
      idsOf.set(messageId, (idsOf.get(messageId) ?? new Set()).add(String(headers["webhook-id"])));
  return {
    count: posts.length - byId.size,
    otherBytes: [...byId]
      .filter(([, same]) => new Set(same.map(({ body }) => body)).size > 1)
      .map(([id]) => id),
    otherIds: [...idsOf].filter(([, ids]) => ids.size > 1).map(([id]) => id),
  };
}
