import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { QueuedEvent } from "../cursor/events.ts";
import { composeBatch, composeRound, deliveryIdOf, isReproducible } from "./batch.ts";

const SECONDS = 1_893_553_445;
const PLENTY = { maxItems: 1000, maxBytes: 1_000_000 };

const event = (id: number, kind: string, more: Partial<QueuedEvent> = {}): QueuedEvent => ({
  id,
  kind,
  channelId: null,
  chat: `chat-${id % 3}`,
  body: `{"n":${id}}`,
  seconds: SECONDS,
  ...more,
});
/** Events numbered from 1. */
const queue = (...kinds: readonly string[]): QueuedEvent[] =>
  kinds.map((kind, index) => event(index + 1, kind));
const compose = (events: readonly QueuedEvent[], limits = PLENTY) => {
  const batch = composeBatch(events, limits);
  return batch === null
    ? null
    : { ids: batch.events.map(({ id }) => id), body: JSON.parse(batch.body) as unknown };
};
const item = (n: number) => ({ n });

describe("composeBatch", () => {
  it("returns no batch for no events", () => expect(composeBatch([], PLENTY)).toBeNull());

  it.each<[string, QueuedEvent[], number[], object]>([
    ["one message", queue("messages"), [1], { messages: [item(1)] }],
    ["one status", queue("statuses"), [1], { statuses: [item(1)] }],
    [
      "messages and statuses together, each in order",
      queue("statuses", "messages", "statuses", "messages"),
      [1, 2, 3, 4],
      { statuses: [item(1), item(3)], messages: [item(2), item(4)] },
    ],
    [
      "channel updates among themselves",
      queue("channelsUpdates", "channelsUpdates", "messages"),
      [1, 2],
      { channelsUpdates: [item(1), item(2)] },
    ],
    [
      "messages up to another kind",
      queue("messages", "channelsUpdates", "messages"),
      [1],
      { messages: [item(1)] },
    ],
    ["v3 items up to a v2 event", queue("messages", "channel.qr_update"), [1], { messages: [item(1)] }],
    ["one contact", queue("createContact", "messages"), [1], { createContact: item(1) }],
    ["one deal", queue("createDeal"), [1], { createDeal: item(1) }],
    ["one template", queue("templateStatus"), [1], { templateStatus: item(1) }],
    [
      "the first of several contacts",
      queue("createContact", "createContact"),
      [1],
      { createContact: item(1) },
    ],
    ["the first of several deals", queue("createDeal", "createDeal"), [1], { createDeal: item(1) }],
    [
      "the first of several templates",
      queue("templateStatus", "templateStatus"),
      [1],
      { templateStatus: item(1) },
    ],
  ])("%s", (_, events, ids, body) => expect(compose(events)).toEqual({ ids, body }));

  it("v2 events of one name in their envelope", () => {
    const events = queue("channel.status_update", "channel.status_update", "channel.qr_update");
    expect(compose(events)).toEqual({
      ids: [1, 2],
      body: {
        event: "channel.status_update",
        data: [item(1), item(2)],
        meta: { idempotency_key: "1-2", timestamp: 1893553445 },
      },
    });
  });

  it("passes the items as they are stored", () => {
    const body = '{"text":"\\"]} \\u00e9 ж","b":1,"a":2}';
    expect(composeBatch([event(1, "messages", { body })], PLENTY)?.body).toBe(`{"messages":[${body}]}`);
  });

  it.each([
    [1, [1]],
    [3, [1, 2, 3]],
    [9, [1, 2, 3, 4]],
  ])("at most %i items", (maxItems, ids) => {
    const events = queue("messages", "statuses", "messages", "messages");
    expect(compose(events, { ...PLENTY, maxItems })?.ids).toEqual(ids);
  });

  // Every item is 7 bytes and a comma.
  it.each([
    [1, [1]],
    [15, [1]],
    [16, [1, 2]],
    [23, [1, 2]],
    [24, [1, 2, 3]],
  ])("at most %i bytes, and always the first", (maxBytes, ids) => {
    expect(compose(queue("messages", "messages", "messages"), { ...PLENTY, maxBytes })?.ids).toEqual(ids);
  });

  it("counts bytes, not characters", () => {
    const events = [event(1, "messages"), event(2, "messages", { body: '{"n":"жжжжж"}' })];
    expect(compose(events, { ...PLENTY, maxBytes: 26 })?.ids).toEqual([1]);
    expect(compose(events, { ...PLENTY, maxBytes: 27 })?.ids).toEqual([1, 2]);
  });

  it("delivers every queue whole and in order, within the limits", () => {
    const kind = fc.constantFrom(
      "messages",
      "statuses",
      "channelsUpdates",
      "channel.qr_update",
      "channel.status_update",
      "createContact",
      "createDeal",
      "templateStatus",
    );
    const limits = fc.record({
      maxItems: fc.integer({ min: 1, max: 8 }),
      maxBytes: fc.integer({ min: 1, max: 120 }),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, fc.string())), limits, (inputs, { maxItems, maxBytes }) => {
        const all = inputs.map(([name, text], index) =>
          event(index + 1, name, { body: JSON.stringify({ n: index + 1, text }) }),
        );
        const delivered: unknown[] = [];
        for (let rest = all; rest.length > 0; ) {
          const batch = composeBatch(rest, { maxItems, maxBytes });
          if (batch === null) throw new Error("Nothing was made of a queue");
          const { events, body } = batch;
          expect(events).toEqual(rest.slice(0, events.length));
          expect(events.length).toBeLessThanOrEqual(maxItems);
          const bytes = events.reduce((sum, each) => sum + Buffer.byteLength(each.body), 0);
          if (events.length > 1) expect(bytes).toBeLessThanOrEqual(maxBytes);
          delivered.push(...itemsOf(JSON.parse(body) as Body));
          rest = rest.slice(events.length);
        }
        expect(delivered).toEqual(all.map(({ body }) => JSON.parse(body) as unknown));
      }),
    );
  });
});

type Item = { readonly n: number };
type Body = Readonly<Record<string, Item | readonly Item[]>> & { readonly data?: readonly Item[] };

/** What a receiver reads from a request; messages and statuses come in two lists, each of them in order. */
function itemsOf(body: Body): Item[] {
  const lists = body.data === undefined ? Object.values(body).map((value) => [value].flat()) : [body.data];
  for (const list of lists) expect(list).toEqual(inOrder(list));
  return inOrder(lists.flat());
}

function inOrder(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => a.n - b.n);
}

describe("composeRound", () => {
  const CHATS = Array.from(
    { length: 20 },
    (_, n) => `0197a1b2-0000-7000-8000-${(n * 7_919).toString(16).padStart(12, "0")}`,
  );
  const traffic = fc.array(fc.constantFrom(null, ...CHATS), { maxLength: 200 });
  const queued = (chats: readonly (string | null)[]) =>
    chats.map((chat, index) => event(index + 1, "messages", { chat }));
  const limits = fc.record({ maxItems: fc.integer({ min: 1, max: 30 }), maxBytes: fc.constant(1_000) });

  it("takes a prefix of the queue, and keeps each chat in one request and in order", () => {
    fc.assert(
      fc.property(traffic, limits, fc.integer({ min: 1, max: 16 }), (chats, each, ways) => {
        const events = queued(chats);
        const round = composeRound(events, each, ways).map((batch) => batch.events);
        expect(round.length).toBeLessThanOrEqual(ways);
        const sent = round.flat().toSorted((a, b) => a.id - b.id);
        expect(sent).toEqual(events.slice(0, sent.length));
        expect(sent.length).toBeGreaterThanOrEqual(Math.min(events.length, each.maxItems, 1));
        for (const share of round) {
          expect(share.length).toBeLessThanOrEqual(each.maxItems);
          expect(share.map(({ id }) => id)).toEqual(share.map(({ id }) => id).toSorted((a, b) => a - b));
          for (const { chat } of share) {
            const elsewhere = round.filter(
              (other) => other !== share && other.some((one) => one.chat === chat),
            );
            expect(elsewhere).toEqual([]);
          }
        }
        // A repetition up to the end of the round gives the same requests, whatever follows.
        expect(composeRound(sent, each, ways).map((batch) => batch.events)).toEqual(round);
      }),
    );
  });

  it("uses all requests for many chats", () => {
    expect(composeRound(queued(CHATS), PLENTY, 4)).toHaveLength(4);
    expect(composeRound(queued(CHATS), PLENTY, 1)).toHaveLength(1);
  });
});

it("the same events have the same delivery id", () => {
  const ids = (...of: readonly number[]) => of.map((id) => ({ id }));
  expect(deliveryIdOf("0197a1b2-0000", ids(5))).toBe("msg_0197a1b2_5_5");
  expect(deliveryIdOf("0197a1b2-0000", ids(5, 6, 9))).toBe("msg_0197a1b2_5_9");
});

describe("isReproducible", () => {
  const batch = { size: 1, waiting: 1, limit: 500, storedLimit: 500, hasEnd: false };
  it.each([
    ["all that waited, less than the limit: more may follow by then", {}, false],
    ["the same with its end stored", { hasEnd: true }, true],
    ["one event, and the stored limit is one", { storedLimit: 1 }, true],
    ["two events, and the stored limit is one", { size: 2, waiting: 2, storedLimit: 1 }, false],
    [
      "the same with an end stored, but another limit",
      { size: 2, waiting: 2, storedLimit: 1, hasEnd: true },
      false,
    ],
    ["as many as the limit", { size: 500, waiting: 500 }, true],
    ["cut where more waits", { size: 3, waiting: 9 }, true],
    ["cut under a limit that is not stored", { size: 3, waiting: 9, storedLimit: 0 }, false],
  ])("%s", (_, more, expected) => expect(isReproducible({ ...batch, ...more })).toBe(expected));
});
