import { describe, expect, test } from "vitest";
import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";
import type { Address } from "../../core/delivery/request/request.ts";
import { type Broker, type BrokerMessage, MessageRefused } from "../../platform/broker/broker.ts";
import { brokerMessage, createSinkPoster } from "./sink-poster.ts";

const CHANNEL = "0197a1b2-0000-4000-8000-000000000001";
const to = { accountId: 10_000_001 } as Address;
const ground = {
  clock: { monotonicMs: () => 0 },
  db: { query: async () => [] },
  log: { warn: () => undefined, info: () => undefined },
} as unknown as Parameters<typeof createSinkPoster>[0];

/** `chat`: its number. */
const eventOf = (id: number, chat: number | null): QueuedEvent => ({
  id,
  kind: "messages",
  channelId: CHANNEL,
  chat: chat === null ? null : `chat-${chat}`,
  body: `{"n":${id}}`,
  seconds: 1_700_000_000,
});

interface Under {
  readonly message: BrokerMessage;
  confirm(): void;
  fail(error: Error): void;
}

/** A broker that confirms when the test says so. */
function slowBroker() {
  const under: Under[] = [];
  const stored: string[] = [];
  const broker: Broker = {
    publish(message) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const end = () => under.splice(under.indexOf(entry), 1);
      const entry: Under = {
        message,
        confirm() {
          stored.push(message.id);
          end();
          resolve();
        },
        fail(error) {
          end();
          reject(error);
        },
      };
      under.push(entry);
      return promise;
    },
    check: async () => "",
    close: async () => undefined,
  };
  return { broker, under, stored };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("of each chat one message is under way, whatever the order of the confirmations", async () => {
  const { broker, under, stored } = slowBroker();
  const events = Array.from({ length: 400 }, (_, index) => eventOf(index + 1, index % 20));
  const posting = createSinkPoster(ground, { broker }).post(to, { events, body: "" });
  for (let confirmed = 0; confirmed < events.length; confirmed++) {
    await settled();
    const keys = under.map(({ message }) => message.key);
    expect(new Set(keys).size).toBe(keys.length);
    under[(confirmed * 7) % under.length]?.confirm();
  }
  expect(await posting).toMatchObject([{ answer: { status: 200, failure: null }, attempt: null }]);
  const ofFirst = stored.map((id) => Number(id.split("-")[1])).filter((id) => id % 20 === 1);
  expect(ofFirst).toEqual(Array.from({ length: 20 }, (_, index) => index * 20 + 1));
});

describe("of a batch of which the broker does not take all", () => {
  const events = [eventOf(1, 1), eventOf(2, 2), eventOf(3, 1), eventOf(4, 2), eventOf(5, null)];

  /** Fails the first message of chat 1 and confirms all others. */
  async function failing(error: Error) {
    const { broker, under, stored } = slowBroker();
    const posting = createSinkPoster(ground, { broker }).post(to, { events, body: "" });
    let parts: Awaited<typeof posting> | undefined;
    void posting.then((found) => {
      parts = found;
    });
    while (parts === undefined) {
      await settled();
      for (const each of [...under]) if (each.message.key === "chat-1") each.fail(error);
      for (const each of [...under]) each.confirm();
    }
    return { parts, stored };
  }
  const idsOf = (part: { batch: { events: readonly QueuedEvent[] } } | undefined) =>
    part?.batch.events.map(({ id }) => id);

  test("a refused message holds back its chat alone", async () => {
    const { parts, stored } = await failing(new MessageRefused("too large"));
    expect(parts.map(({ answer: { status, failure } }) => [status, failure])).toEqual([
      [200, null],
      [413, "too large"],
    ]);
    expect(parts.map(idsOf)).toEqual([
      [2, 4, 5],
      [1, 3],
    ]);
    expect(stored.toSorted()).toEqual(["10000001-2", "10000001-4", "10000001-5"]);
  });

  test("a broker that is away gets nothing more", async () => {
    const { parts } = await failing(new Error("away"));
    expect(parts.map(({ answer: { status, failure } }) => [status, failure])).toEqual([
      [200, null],
      [null, "away"],
    ]);
    expect(parts.map(idsOf)).toEqual([
      [2, 5],
      [1, 3, 4],
    ]);
  });

  test("a node without a broker leaves them", async () => {
    const parts = await createSinkPoster(ground, { broker: null }).post(to, { events, body: "" });
    expect(parts).toMatchObject([{ answer: { status: null, failure: "this node has no SINK_URL" } }]);
    expect(idsOf(parts[0])).toEqual([1, 2, 3, 4, 5]);
  });
});

test("a message has the body of a webhook, and says whose it is", () => {
  expect(brokerMessage(to, eventOf(7, 3), false)).toEqual({
    id: "10000001-7",
    key: "chat-3",
    route: `10000001.${CHANNEL}.messages`,
    kind: "messages",
    at: new Date(1_700_000_000_000),
    body: Buffer.from('{"messages":[{"n":7}]}'),
    headers: {
      account: "10000001",
      channel: CHANNEL,
      chat: "chat-3",
      kind: "messages",
      time: "2023-11-14T22:13:20.000Z",
    },
  });
  const withoutChannel = { ...eventOf(8, null), channelId: null, kind: "message.add" };
  expect(brokerMessage(to, withoutChannel, true)).toMatchObject({
    key: "10000001",
    route: "10000001.-.message.add",
    headers: { account: "10000001", kind: "message.add", replay: "true" },
  });
});
