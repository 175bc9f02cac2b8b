import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bucket, Pacing } from "../core/transport/definition.ts";
import { ChannelPacing } from "./pacing.ts";

const WIDE: Bucket = { perSecond: 1000, burst: 1000 };
const pacing = (limits: Partial<Pacing>, options: { off?: boolean; now?: number } = {}): ChannelPacing =>
  new ChannelPacing(
    { channel: WIDE, chat: WIDE, jitterMs: 0, ...limits },
    { off: options.off ?? false, now: options.now ?? 0 },
  );

describe("a chat's bucket", () => {
  const slow = { chat: { perSecond: 2, burst: 3 } };

  it("gives the burst at once and then its rate", () => {
    const paced = pacing(slow);
    const waits = [0, 0, 0, 0, 250, 500, 500, 1000].map((now) => paced.take("a", "vk", now));
    expect(waits).toEqual([0, 0, 0, 500, 250, 0, 500, 0]);
  });

  it("fills up to the burst and no further", () => {
    const paced = pacing(slow);
    for (let sent = 0; sent < 3; sent++) paced.take("a", "vk", 0);
    expect([0, 0, 0, 0].map(() => paced.take("a", "vk", 3_600_000))).toEqual([0, 0, 0, 500]);
  });

  it("is no other chat's", () => {
    const paced = pacing({ chat: { perSecond: 1, burst: 1 } });
    expect(["a", "b", "a", "b", "c"].map((chat) => paced.take(chat, "vk", 0))).toEqual([0, 0, 1000, 1000, 0]);
  });

  it("is full at the start, whenever that is", () => {
    const paced = pacing(slow, { now: 5_000_000 });
    expect([0, 0, 0, 0].map(() => paced.take("a", "vk", 5_000_000))).toEqual([0, 0, 0, 500]);
  });

  it("is the chat type's where that has its own", () => {
    const paced = pacing({
      chat: { perSecond: 1, burst: 2 },
      chatOfType: { telegroup: { perSecond: 0.25, burst: 1 } },
    });
    expect([0, 0, 0].map(() => paced.take("person", "telegram", 0))).toEqual([0, 0, 1000]);
    expect([0, 0].map(() => paced.take("group", "telegroup", 0))).toEqual([0, 4000]);
  });
});

describe("the channel's bucket", () => {
  const slow = { channel: { perSecond: 10, burst: 2 } };

  it("is shared by the chats", () => {
    const paced = pacing(slow);
    expect(["a", "b", "c"].map((chat) => paced.take(chat, "vk", 0))).toEqual([0, 0, 100]);
    expect(paced.take("c", "vk", 100)).toBe(0);
  });

  it("tells how many may leave at once", () => {
    const paced = pacing(slow);
    expect(paced.available(0)).toBe(2);
    paced.take("a", "vk", 0);
    expect(paced.available(0)).toBe(1);
    paced.take("b", "vk", 0);
    expect(paced.available(0)).toBe(0);
    expect(paced.available(99)).toBe(0);
    expect(paced.available(100)).toBe(1);
    expect(paced.available(60_000)).toBe(2);
  });

  it("loses nothing to a message that its chat holds back", () => {
    const paced = pacing({ ...slow, chat: { perSecond: 1, burst: 1 } });
    paced.take("a", "vk", 0);
    for (let tries = 0; tries < 10; tries++) expect(paced.take("a", "vk", 0)).toBe(1000);
    expect(paced.available(0)).toBe(1);
  });

  it("takes no token of a chat that it holds back", () => {
    const paced = pacing({ channel: { perSecond: 10, burst: 1 }, chat: { perSecond: 0.001, burst: 1 } });
    paced.take("a", "vk", 0);
    expect(paced.take("b", "vk", 0)).toBe(100);
    expect(paced.take("b", "vk", 100)).toBe(0);
  });
});

describe("a pause that the messenger asked for", () => {
  it("of a chat holds this chat alone", () => {
    const paced = pacing({});
    paced.pause("chat", "a", "vk", 5_000, 1_000);
    expect(paced.take("a", "vk", 1_000)).toBe(5_000);
    expect(paced.take("b", "vk", 1_000)).toBe(0);
    expect(paced.take("a", "vk", 5_999)).toBe(1);
    expect(paced.take("a", "vk", 6_000)).toBe(0);
  });

  it("of the channel holds every chat", () => {
    const paced = pacing({});
    paced.pause("channel", "a", "vk", 5_000, 0);
    expect(["a", "b"].map((chat) => paced.take(chat, "vk", 0))).toEqual([5_000, 5_000]);
    expect(paced.available(4_999)).toBe(0);
    expect(paced.available(5_000)).toBe(1000);
  });

  it("is not shortened by a second one", () => {
    const paced = pacing({});
    paced.pause("chat", "a", "vk", 5_000, 0);
    paced.pause("chat", "a", "vk", 1_000, 0);
    expect(paced.take("a", "vk", 0)).toBe(5_000);
  });

  it("counts though pacing is off", () => {
    const paced = pacing({ chat: { perSecond: 1, burst: 1 } }, { off: true });
    paced.pause("chat", "a", "vk", 5_000, 0);
    expect(paced.take("a", "vk", 0)).toBe(5_000);
    expect(paced.take("b", "vk", 0)).toBe(0);
  });

  it("is remembered when many chats are served", () => {
    const paced = pacing({ channel: { perSecond: 1e9, burst: 1e9 } });
    paced.pause("chat", "a", "vk", 3_600_000, 0);
    for (let chat = 0; chat < 10_050; chat++) paced.take(`c${chat}`, "vk", chat);
    expect(paced.take("a", "vk", 10_050)).toBe(3_589_950);
  });
});

it("a chat's debt is remembered when many chats are served", () => {
  const paced = pacing({ channel: { perSecond: 1e9, burst: 1e9 }, chat: { perSecond: 0.01, burst: 1 } });
  for (let chat = 0; chat < 10_050; chat++) paced.take(`c${chat}`, "vk", chat);
  expect(paced.take("c0", "vk", 10_050)).toBeGreaterThan(89_000);
});

it("pacing that is off holds nothing back", () => {
  const paced = pacing(
    { channel: { perSecond: 1, burst: 1 }, chat: { perSecond: 1, burst: 1 }, jitterMs: 1_000 },
    { off: true },
  );
  for (let sent = 0; sent < 10_000; sent++) expect(paced.take("a", "vk", 0)).toBe(0);
  expect(paced.available(0)).toBeGreaterThan(10_000);
  expect(paced.jitterMs()).toBe(0);
});

it("jitter stays below what the definition says, and differs", () => {
  const paced = pacing({ jitterMs: 1_500 });
  const pauses = Array.from({ length: 100 }, () => paced.jitterMs());
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...pauses)).toBeLessThan(1_500);
  expect(Math.max(...pauses)).toBeGreaterThan(1_000);
  expect(new Set(pauses).size).toBeGreaterThan(50);
});

describe("whatever is asked for, and when", () => {
  const bucket = fc.record({
    perSecond: fc.double({ min: 0.05, max: 50, noNaN: true }),
    burst: fc.integer({ min: 1, max: 10 }),
  });
  const limits = fc.record({ channel: bucket, chat: bucket, group: bucket });
  /** Milliseconds since the request before, and the chat; chats "g…" are groups. */
  const requests = fc.array(
    fc.tuple(
      fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 20_000 })),
      fc.constantFrom("a", "b", "g1", "g2"),
    ),
    { minLength: 1, maxLength: 120 },
  );
  const typeOf = (chat: string): string => (chat.startsWith("g") ? "telegroup" : "telegram");

  it("no window ever sees more than the burst and what its time refills", () => {
    fc.assert(
      fc.property(limits, requests, ({ channel, chat, group }, asked) => {
        const paced = pacing({ channel, chat, chatOfType: { telegroup: group } });
        const sent: { at: number; chat: string }[] = [];
        let now = 0;
        for (const [later, to] of asked) {
          now += later;
          if (paced.take(to, typeOf(to), now) === 0) sent.push({ at: now, chat: to });
        }
        expectWithin(
          channel,
          sent.map(({ at }) => at),
        );
        for (const to of new Set(sent.map((each) => each.chat)))
          expectWithin(
            to.startsWith("g") ? group : chat,
            sent.filter((each) => each.chat === to).map(({ at }) => at),
          );
      }),
    );
  });

  it("a message goes after the time that was told, and not before", () => {
    fc.assert(
      fc.property(limits, requests, ({ channel, chat, group }, asked) => {
        const paced = pacing({ channel, chat, chatOfType: { telegroup: group } });
        let now = 0;
        for (const [later, to] of asked) {
          now += later;
          const wait = paced.take(to, typeOf(to), now);
          if (wait === 0) continue;
          if (wait > 1) expect(paced.take(to, typeOf(to), now + wait - 2)).toBeGreaterThan(0);
          now += wait;
          // Rounding of the clock may cost a millisecond.
          const rest = paced.take(to, typeOf(to), now);
          expect(rest).toBeLessThanOrEqual(1);
          if (rest === 0) continue;
          now += rest;
          expect(paced.take(to, typeOf(to), now)).toBe(0);
        }
      }),
    );
  });
});

function expectWithin({ perSecond, burst }: Bucket, times: readonly number[]): void {
  for (const [first, from] of times.entries()) {
    for (const [last, to] of times.entries()) {
      if (last < first) continue;
      const most = burst + (perSecond * (to - from)) / 1000;
      expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6);
    }
  }
}
