import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredPacing } from "../../core/pacing/stored.ts";
import type { Bucket, Pacing } from "../../core/transport/definition.ts";
import { FirstContactQueue } from "./first-contact-queue.ts";
import { ChannelPacing, type Wait } from "./pacing.ts";

const WIDE: Bucket = { perSecond: 1000, burst: 1000 };
const NOTHING_STORED: StoredPacing = {
  changes: {},
  activeSince: 0,
  cooldownUntil: Number.NEGATIVE_INFINITY,
  pausedUntil: Number.NEGATIVE_INFINITY,
  stopped: false,
};

/** A channel's pacing for messages to people who are known; `take` answers milliseconds. */
function pacing(
  limits: Partial<Pacing>,
  options: { off?: boolean; now?: number; stored?: Partial<StoredPacing> } = {},
) {
  const { off = false, now = 0, stored = {} } = options;
  const own = { channel: WIDE, chat: WIDE, jitterMs: 0, ...limits };
  const paced = new ChannelPacing(own, { ...NOTHING_STORED, ...stored }, { off, now });
  return {
    take: (chat: string, chatType: string, at: number) => paced.take({ chat, chatType }, at)?.ms ?? 0,
    available: (at: number) => paced.available(at),
    pause: (...what: Parameters<ChannelPacing["pause"]>) => paced.pause(...what),
    jitterMs: () => paced.jitterMs(),
    update: (what: Partial<StoredPacing>, at: number) => paced.update({ ...NOTHING_STORED, ...what }, at),
  };
}

describe("a chat's bucket", () => {
  const slow = { chat: { perSecond: 2, burst: 3 } };

  it("allows the burst at once and then the rate", () => {
    const paced = pacing(slow);
    const waits = [0, 0, 0, 0, 250, 500, 500, 1000].map((now) => paced.take("a", "vk", now));
    expect(waits).toEqual([0, 0, 0, 500, 250, 0, 500, 0]);
  });

  it("fills up to the burst and no further", () => {
    const paced = pacing(slow);
    for (let sent = 0; sent < 3; sent++) paced.take("a", "vk", 0);
    expect([0, 0, 0, 0].map(() => paced.take("a", "vk", 3_600_000))).toEqual([0, 0, 0, 500]);
  });

  it("is separate for each chat", () => {
    const paced = pacing({ chat: { perSecond: 1, burst: 1 } });
    expect(["a", "b", "a", "b", "c"].map((chat) => paced.take(chat, "vk", 0))).toEqual([0, 0, 1000, 1000, 0]);
  });

  it("is full at the start", () => {
    const paced = pacing(slow, { now: 5_000_000 });
    expect([0, 0, 0, 0].map(() => paced.take("a", "vk", 5_000_000))).toEqual([0, 0, 0, 500]);
  });

  it("uses the chat type's limits if it has its own", () => {
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

  it("returns how many messages may be sent at once", () => {
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

  it("loses no token to a message that its chat delays", () => {
    const paced = pacing({ ...slow, chat: { perSecond: 1, burst: 1 } });
    paced.take("a", "vk", 0);
    for (let tries = 0; tries < 10; tries++) expect(paced.take("a", "vk", 0)).toBe(1000);
    expect(paced.available(0)).toBe(1);
  });

  it("takes no token of a chat that the channel delays", () => {
    const paced = pacing({ channel: { perSecond: 10, burst: 1 }, chat: { perSecond: 0.001, burst: 1 } });
    paced.take("a", "vk", 0);
    expect(paced.take("b", "vk", 0)).toBe(100);
    expect(paced.take("b", "vk", 100)).toBe(0);
  });
});

describe("a pause that the messenger asked for", () => {
  it("of a chat delays only this chat", () => {
    const paced = pacing({});
    paced.pause("chat", "a", "vk", 5_000, 1_000);
    expect(paced.take("a", "vk", 1_000)).toBe(5_000);
    expect(paced.take("b", "vk", 1_000)).toBe(0);
    expect(paced.take("a", "vk", 5_999)).toBe(1);
    expect(paced.take("a", "vk", 6_000)).toBe(0);
  });

  it("of the channel delays every chat", () => {
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

  it("applies even if pacing is off", () => {
    const paced = pacing({ chat: { perSecond: 1, burst: 1 } }, { off: true });
    paced.pause("chat", "a", "vk", 5_000, 0);
    expect(paced.take("a", "vk", 0)).toBe(5_000);
    expect(paced.take("b", "vk", 0)).toBe(0);
  });

  it("is remembered when many chats are used", () => {
    const paced = pacing({ channel: { perSecond: 1e9, burst: 1e9 } });
    paced.pause("chat", "a", "vk", 3_600_000, 0);
    for (let chat = 0; chat < 10_050; chat++) paced.take(`c${chat}`, "vk", chat);
    expect(paced.take("a", "vk", 10_050)).toBe(3_589_950);
  });
});

describe("the stored state of the channel", () => {
  it("keeps a pause that another node was asked for", () => {
    const paced = pacing({}, { now: 1_000, stored: { pausedUntil: 5_000 } });
    expect([1_000, 4_999, 5_000].map((now) => paced.take("a", "vk", now))).toEqual([4_000, 1, 0]);
  });

  it("replaces the transport's limits and keeps saved tokens", () => {
    const paced = pacing({ channel: { perSecond: 1, burst: 4 }, chat: { perSecond: 1, burst: 4 } });
    paced.take("a", "vk", 0);
    expect(paced.update({ changes: { perMinute: 6 } }, 0)).toBe(true);
    expect([0, 0, 0, 0].map((now) => paced.take("b", "vk", now))).toEqual([0, 0, 0, 10_000]);
    expect(paced.update({ changes: { perMinute: 6 } }, 0)).toBe(false);
    expect(paced.update({}, 0)).toBe(true);
    expect(paced.take("b", "vk", 0)).toBe(1_000);
  });

  it("changes known chats, but ends none of their pauses", () => {
    const paced = pacing({ chat: { perSecond: 1, burst: 2 } });
    paced.pause("chat", "b", "vk", 5_000, 0);
    paced.take("a", "vk", 0);
    paced.update({ changes: { chatPerMinute: 1 } }, 0);
    expect(["a", "a", "b"].map((chat) => paced.take(chat, "vk", 0))).toEqual([0, 60_000, 5_000]);
  });

  it("is ignored if pacing is off", () => {
    const paced = pacing({}, { off: true });
    paced.update({ changes: { perMinute: 1, chatPerMinute: 1, jitterMs: 1_000 } }, 0);
    for (let sent = 0; sent < 100; sent++) expect(paced.take("a", "vk", 0)).toBe(0);
    expect(paced.jitterMs()).toBe(0);
  });
});

describe("first contacts", () => {
  const DAY = 86_400_000;
  const allowance = { firstContact: { perDay: 24, burst: 2, jitterMs: 0 } };

  function strangers(
    limits: Partial<Pacing>,
    options: { off?: boolean; made?: number[]; stored?: Partial<StoredPacing> } = {},
  ) {
    const own = { channel: WIDE, chat: WIDE, jitterMs: 0, ...limits };
    const paced = new ChannelPacing(
      own,
      { ...NOTHING_STORED, activeSince: -100 * DAY, ...options.stored },
      { off: options.off ?? false, now: 0 },
    );
    const line = new FirstContactQueue(
      new Map((options.made ?? []).map((age, index) => [`m${index}`, age])),
      0,
    );
    const first = (chat: string, now: number, messageId = chat): Wait | null =>
      paced.take(
        { chat, chatType: "vk", first: { contact: { chat, jobId: chat.charCodeAt(0), messageId }, line } },
        now,
      );
    const known = (chat: string, now: number): Wait | null => paced.take({ chat, chatType: "vk" }, now);
    return { paced, line, first, known };
  }

  it("have a separate allowance; known people are not delayed", () => {
    const { first, known } = strangers(allowance);
    expect([first("a", 0), first("b", 0)]).toEqual([null, null]);
    expect(first("c", 0)).toMatchObject({ by: "allowance", ms: 3_600_000 });
    expect(known("d", 0)).toBeNull();
    expect(first("c", 3_600_000)).toBeNull();
  });

  it("that wait are sent in the order of acceptance", () => {
    const { first } = strangers(allowance, { made: [0, 0] });
    const waits = ["c", "a", "b"].map((chat) => first(chat, 0)?.ms);
    expect(waits).toEqual([3_600_000, 3_600_000, 7_200_000]);
    const asked = (now: number) => ["c", "b", "a"].map((chat) => first(chat, now)?.ms ?? 0);
    asked(3_590_000);
    expect(asked(3_590_000)).toEqual([7_210_000, 3_610_000, 10_000]);
    expect(asked(3_600_000)).toEqual([7_200_000, 3_600_000, 0]);
    expect(asked(3_600_000).slice(0, 2)).toEqual([7_200_000, 3_600_000]);
  });

  it("do not wait for one whose person has written meanwhile, nor for a deleted one", () => {
    const { first, line } = strangers(allowance, { made: [0, 0] });
    expect(["a", "b"].map((chat) => first(chat, 0)?.ms)).toEqual([3_600_000, 3_600_000 * 2]);
    line.leave("a");
    expect(first("b", 0)?.ms).toBe(3_600_000);
    expect(first("c", 0)?.ms).toBe(3_600_000 * 2);
    expect(first("c", 90_001)?.ms).toBe(3_600_000 - 90_001);
  });

  it("of a long queue are checked less often, and keep their places meanwhile", () => {
    const { first } = strangers(allowance, { made: [0, 0] });
    expect(first("a", 0)?.recheckMs).toBe(30_000);
    const others = Array.from({ length: 599 }, (_, index) => String.fromCharCode(1_000 + index));
    for (const now of [0, 30_000]) for (const chat of ["a", ...others]) first(chat, now);
    expect(first("a", 30_000)?.recheckMs).toBe(60_000);
    const behindAll = 601 * 3_600_000;
    expect(first("\u{8000}", 30_000)?.ms).toBe(behindAll - 30_000);
    expect(first("\u{8000}", 200_000)?.ms).toBe(behindAll - 200_000);
  });

  it("no longer wait behind cancelled ones", () => {
    const { first, line } = strangers(allowance, { made: [0, 0] });
    for (const chat of ["a", "b", "c"]) first(chat, 0);
    line.leaveAll();
    expect(first("d", 0)).toMatchObject({ ms: 3_600_000, recheckMs: 30_000 });
  });

  it("of one message use the allowance once, however many attempts", () => {
    const { first } = strangers(allowance);
    for (let tries = 0; tries < 5; tries++) expect(first("a", tries, "same")).toBeNull();
    expect(first("b", 10)).toBeNull();
    expect(first("a", 20, "another")?.by).toBe("allowance");
  });

  it("use no allowance while the channel's bucket delays them", () => {
    const { first, known } = strangers({ ...allowance, channel: { perSecond: 1, burst: 1 } });
    expect(known("x", 0)).toBeNull();
    expect(first("a", 0)).toEqual({ by: "pace", ms: 1_000 });
    expect([first("a", 1_000), first("b", 2_000), first("c", 3_000)?.by]).toEqual([null, null, "allowance"]);
  });

  it("are stopped by a cooldown, and continue when it ends", () => {
    const { paced, first, known } = strangers(allowance);
    paced.startCooldown(50_000, 0);
    expect(paced.isCoolingDown(0)).toBe(true);
    expect(first("a", 0)).toMatchObject({ by: "hold", ms: 50_000 });
    expect(known("b", 0)).toBeNull();
    expect(paced.update({ ...NOTHING_STORED, cooldownUntil: 50_000 }, 6_000)).toBe(false);
    expect([first("a", 49_999)?.ms, first("a", 50_000)]).toEqual([1, null]);
  });

  it("are stopped by a cooldown even if pacing is off, and by nothing else", () => {
    const { paced, first } = strangers(allowance, { off: true, stored: { cooldownUntil: 5_000 } });
    expect(paced.mindsFirstContacts(4_999)).toBe(true);
    expect(first("a", 0)).toMatchObject({ by: "hold", ms: 5_000 });
    for (let code = 97; code < 120; code++) expect(first(String.fromCharCode(code), 5_000)).toBeNull();
    expect(paced.mindsFirstContacts(5_000)).toBe(false);
  });

  it("continue at once when a cooldown is withdrawn", () => {
    const { paced, first } = strangers(allowance, { stored: { cooldownUntil: DAY } });
    expect(first("a", 0)?.by).toBe("hold");
    expect(paced.update(NOTHING_STORED, 10)).toBe(true);
    expect(first("a", 10)).toBeNull();
  });

  it("follow a changed allowance", () => {
    const { paced, first } = strangers(allowance, { made: [0, 0] });
    expect(first("a", 0)?.by).toBe("allowance");
    expect(paced.update({ ...NOTHING_STORED, changes: { firstContactsPerDay: 0 } }, 0)).toBe(true);
    expect(first("a", 0)).toMatchObject({ by: "allowance", ms: Number.POSITIVE_INFINITY });
    paced.update({ ...NOTHING_STORED, activeSince: -100 * DAY, changes: { firstContactsPerDay: 1_440 } }, 0);
    expect(first("a", 0)?.ms).toBe(60_000);
  });

  it("matter only with an allowance or a cooldown", () => {
    expect(strangers({}).paced.mindsFirstContacts(0)).toBe(false);
    expect(strangers(allowance, { off: true }).paced.mindsFirstContacts(0)).toBe(false);
    expect(strangers(allowance).paced.mindsFirstContacts(0)).toBe(true);
    expect(strangers({}, { stored: { cooldownUntil: 1 } }).paced.mindsFirstContacts(0)).toBe(true);
  });

  it("never exceed the allowance in any window, in any order, through cooldowns and restarts", () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 12, arbitrary: fc.tuple(fc.constant("ask"), fc.integer({ min: 0, max: 4 * 3_600_000 })) },
        { weight: 1, arbitrary: fc.tuple(fc.constant("hold"), fc.integer({ min: 0, max: 8 * 3_600_000 })) },
        { weight: 1, arbitrary: fc.tuple(fc.constant("restart"), fc.constant(0)) },
      ),
      { maxLength: 120 },
    );
    const allowances = fc.record({
      perDay: fc.integer({ min: 1, max: 30 }),
      burst: fc.integer({ min: 1, max: 6 }),
      jitterMs: fc.constantFrom(0, 60_000),
    });
    fc.assert(
      fc.property(
        allowances,
        steps,
        fc.infiniteStream(fc.integer({ min: 97, max: 112 })),
        (firstContact, asked, chats) => {
          const own = { channel: WIDE, chat: WIDE, jitterMs: 0, firstContact };
          const stored = { ...NOTHING_STORED, activeSince: -100 * DAY };
          let paced = new ChannelPacing(own, stored, { off: false, now: 0 });
          let line = new FirstContactQueue(new Map(), 0);
          let cooldownUntil = 0;
          const sent: number[] = [];
          let now = 0;
          for (const [index, [step, ms]] of asked.entries()) {
            if (step === "restart") {
              paced = new ChannelPacing(own, { ...stored, cooldownUntil }, { off: false, now });
              line = new FirstContactQueue(new Map(sent.map((at, each) => [`m${each}`, now - at])), now);
            } else if (step === "hold") {
              cooldownUntil = Math.max(cooldownUntil, now + ms);
              paced.update({ ...stored, cooldownUntil }, now);
            } else {
              now += ms;
              const code = chats.next().value;
              const contact = {
                chat: String.fromCharCode(code),
                jobId: code,
                messageId: `m${sent.length} ${index}`,
              };
              if (paced.take({ chat: contact.chat, chatType: "vk", first: { contact, line } }, now) !== null)
                continue;
              expect(now).toBeGreaterThanOrEqual(cooldownUntil);
              sent.push(now);
            }
          }
          const burst = Math.min(firstContact.burst, firstContact.perDay);
          for (const [index, start] of sent.entries()) {
            const day = sent.slice(index).filter((at) => at < start + DAY);
            expect(day.length).toBeLessThanOrEqual(firstContact.perDay);
            expectWithin({ perSecond: firstContact.perDay / (DAY / 1_000), burst }, day);
          }
        },
      ),
    );
  });

  it("are not sent at fixed intervals if there is jitter", () => {
    const { first } = strangers({ firstContact: { perDay: 24, burst: 1, jitterMs: 600_000 } });
    const gaps: number[] = [];
    let now = 0;
    for (let code = 97; code < 120; code++) {
      const wait = first(String.fromCharCode(code), now)?.ms ?? 0;
      gaps.push(wait);
      now += wait;
      expect(first(String.fromCharCode(code), now)).toBeNull();
    }
    const paused = gaps.slice(1);
    expect(Math.min(...paused)).toBeGreaterThanOrEqual(3_600_000);
    expect(Math.max(...paused)).toBeLessThan(4_200_001);
    expect(new Set(paused).size).toBeGreaterThan(15);
  });
});

it("a chat's debt is remembered when many chats are used", () => {
  const paced = pacing({ channel: { perSecond: 1e9, burst: 1e9 }, chat: { perSecond: 0.01, burst: 1 } });
  for (let chat = 0; chat < 10_050; chat++) paced.take(`c${chat}`, "vk", chat);
  expect(paced.take("c0", "vk", 10_050)).toBeGreaterThan(89_000);
});

it("full buckets are forgotten, also of few chats", () => {
  const { paced, known } = quick();
  for (let chat = 0; chat < 5_000; chat++) known(`c${chat}`, chat * 100);
  expect(paced.chats).toBeLessThanOrEqual(64);
  for (let chat = 0; chat < 60; chat++) known(`d${chat}`, 500_000);
  known("e", 600_000);
  expect(paced.chats).toBe(1);
});

function quick() {
  const own = { channel: WIDE, chat: { perSecond: 1, burst: 1 }, jitterMs: 0 };
  const paced = new ChannelPacing(own, NOTHING_STORED, { off: false, now: 0 });
  return { paced, known: (chat: string, now: number) => paced.take({ chat, chatType: "vk" }, now) };
}

it.each([
  ["that has sent nothing", [], 0, true],
  ["whose chat has a debt", [0], 500, false],
  ["whose chat has no debt any more", [0], 1_000, true],
])("a channel %s is idle or not", (_, sends, now, expected) => {
  const { paced, known } = quick();
  for (const at of sends) known("a", at);
  expect(paced.isIdle(now)).toBe(expected);
});

// If each new chat examined all others, this would exceed the time limit.
it("a new chat costs little even if very many others have debts", () => {
  const paced = pacing({ channel: { perSecond: 1e9, burst: 1e9 }, chat: { perSecond: 0.001, burst: 1 } });
  for (let chat = 0; chat < 50_000; chat++) expect(paced.take(`c${chat}`, "vk", chat)).toBe(0);
});

it("disabled pacing delays nothing", () => {
  const paced = pacing(
    { channel: { perSecond: 1, burst: 1 }, chat: { perSecond: 1, burst: 1 }, jitterMs: 1_000 },
    { off: true },
  );
  for (let sent = 0; sent < 10_000; sent++) expect(paced.take("a", "vk", 0)).toBe(0);
  expect(paced.available(0)).toBeGreaterThan(10_000);
  expect(paced.jitterMs()).toBe(0);
});

it("jitter stays below the definition's maximum, and varies", () => {
  const paced = pacing({ jitterMs: 1_500 });
  const pauses = Array.from({ length: 100 }, () => paced.jitterMs());
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...pauses)).toBeLessThan(1_500);
  expect(Math.max(...pauses)).toBeGreaterThan(1_000);
  expect(new Set(pauses).size).toBeGreaterThan(50);
});

describe("any sequence of requests", () => {
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

  it("no window exceeds the burst plus the refill", () => {
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

  it("a message is sent after the returned wait, and not before", () => {
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

describe("a channel that was stopped", () => {
  it("sends nothing, whatever its limits are, until it is resumed", () => {
    const paced = pacing({}, { off: true, stored: { stopped: true } });
    expect(paced.take("a", "vk", 1_000)).toBe(60_000);
    expect(paced.update({ stopped: true }, 2_000)).toBe(false);
    // Those that wait are looked at again.
    expect(paced.update({}, 3_000)).toBe(true);
    expect(paced.take("a", "vk", 3_000)).toBe(0);
    expect(paced.update({ stopped: true }, 4_000)).toBe(false);
    expect(paced.take("a", "vk", 4_000)).toBe(60_000);
  });
});
