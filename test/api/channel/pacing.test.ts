import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { endRestrictions } from "../../../src/core/channel/restriction.ts";
import { goOnSending, stopSending as stopChannel } from "../../../src/core/pacing/stop.ts";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { newId } from "../../../src/platform/ids.ts";
import { call, outcome } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { createMessenger, startSending } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };
const DAY_MS = 86_400_000;
const REGULAR = "79001110000";
const ANN = "79001110001";
const BOB = "79001110002";
const CID = "79001110003";
const DAN = "79001110004";

const messenger = createMessenger({
  channel: WIDE,
  chat: WIDE,
  jitterMs: 0,
  firstContact: { perDay: 2, burst: 3, jitterMs: 0 },
});
let node: TestNode;
let account: TestAccount;
let channelId: string;
let stopSending: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  node = await startNode({ transports: [messenger.transport] });
});
afterAll(() => node.stop());
beforeEach(async () => {
  messenger.refuse = () => undefined;
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  await write(node, { account, channelId }, [[REGULAR, `${channelId} hello`]]);
});
afterEach(async () => {
  await stopSending();
  stopSending = async () => undefined;
  await node.db.query("update channels set deleted_at = now()");
});

interface Shown {
  readonly limits: Readonly<Record<string, number | null>>;
  readonly changed: readonly string[];
  readonly first_contacts: {
    readonly allowance: number | null;
    readonly left: number | null;
    readonly next_at: string | null;
    readonly held_until: string | null;
    readonly hold_reason: string | null;
  };
  readonly queue: {
    readonly messages: number;
    readonly chats: number;
    readonly next_send_at: string | null;
    readonly waiting: readonly {
      readonly for: string;
      readonly chats: number;
      readonly until: string | null;
    }[];
  };
  readonly notices: readonly { readonly kind: string; readonly text: string }[];
}

const path = () => `/v2/channels/${channelId}/pacing`;
const patch = (body: unknown, of = account) => call(node, "PATCH", path(), { token: of.access, body });
async function shown(): Promise<Shown> {
  const { json } = await call(node, "GET", path(), { token: account.access });
  const [first] = (json as { data: Shown[] }).data;
  if (first === undefined) throw new Error("The answer is empty");
  return first;
}
const waitingFor = async () =>
  Object.fromEntries((await shown()).queue.waiting.map((group) => [group.for, group.chats]));

async function send(chatId: string, text: string, by = channelId): Promise<void> {
  const recipient = { chat_type: "whatsapp", chat_id: chatId };
  const body = { channel_id: by, recipient, text };
  const { status } = await call(node, "POST", "/v2/messages", { token: account.access, body });
  expect(status).toBe(200);
  node.core.signals.notify("sends");
}
const untilWaiting = (reason: string, chats: number) =>
  vi.waitUntil(async () => (await waitingFor())[reason] === chats, { interval: 50 });
const texts = () => messenger.arrived.map(({ text }) => text);
const restart = async () => {
  await stopSending();
  stopSending = await startSending(node);
};
/** Lets it look as if a day had gone by; the next owner looks at what waits. Returns the time of the end. */
async function endsSoon(column: "held_until" | "paused_until"): Promise<number> {
  await stopSending();
  const [row] = await node.db.query<{ until: Date }>(
    `update channel_pacing set ${column} = now() + interval '1 second' where channel_id = $1 returning ${column} as until`,
    [channelId],
  );
  stopSending = await startSending(node);
  return row?.until.getTime() ?? Number.NaN;
}
const spam = (ms: number) =>
  new TransportError("SPAM", "Too many new chats", {
    cooldown: { until: new Date(Date.now() + ms), reason: "Too many new chats" },
  });

test("first contacts wait for their allowance while other chats continue, also on the next node", async () => {
  await restart();
  const t = (name: string) => `${channelId} ${name}`;
  await send(ANN, t("ann"));
  await send(ANN, t("ann again"));
  await send(BOB, t("bob"));
  await messenger.untilArrived(t("ann"), t("ann again"), t("bob"));
  await send(CID, t("cid"));
  await send(CID, t("cid again"));
  await untilWaiting("allowance", 1);
  await send(REGULAR, t("regular"));
  await send(ANN, t("ann later"));
  await messenger.untilArrived(t("regular"), t("ann later"));
  await vi.waitUntil(async () => (await shown()).queue.messages === 2, { interval: 50 });
  const { first_contacts: contacts, queue, notices } = await shown();
  expect(contacts).toMatchObject({ allowance: 2, left: 0, held_until: null });
  expect(queue).toMatchObject({ messages: 2, chats: 1, waiting: [{ for: "allowance", chats: 1 }] });
  const next = Date.parse(contacts.next_at ?? "") - Date.now();
  expect(next).toBeGreaterThan(DAY_MS / 2 - 60_000);
  expect(Math.abs(Date.parse(queue.next_send_at ?? "") - Date.parse(contacts.next_at ?? ""))).toBeLessThan(
    60_000,
  );
  expect(notices.map(({ kind }) => kind)).toEqual(["used_up"]);

  await restart();
  await send(DAN, t("dan"));
  await send(REGULAR, t("regular again"));
  await messenger.untilArrived(t("regular again"));
  await untilWaiting("allowance", 2);
  expect(texts().filter((text) => [t("cid"), t("dan")].includes(text))).toEqual([]);

  // Who writes is new no more; a larger allowance lets the others go, too.
  await write(node, { account, channelId }, [[CID, t("is it ready?")]]);
  await messenger.untilArrived(t("cid"), t("cid again"));
  expect(texts()).not.toContain(t("dan"));
  expect(outcome(await patch({ first_contacts_per_day: 6 }))).toBe("200");
  await messenger.untilArrived(t("dan"));
  expect((await shown()).first_contacts).toMatchObject({ allowance: 6, left: 3 });
  expect(texts().indexOf(t("cid"))).toBeLessThan(texts().indexOf(t("cid again")));
  expect((await shown()).notices.map(({ kind }) => kind)).toEqual(["used_up"]);
});

test("whoever writes is sent to long before a long line is checked again", async () => {
  const t = (name: string) => `${channelId} ${name}`;
  await restart();
  // A check every 0.1 s: the last one is due later than this test waits.
  const line = Array.from({ length: 450 }, (_, index) => `7900200${1_000 + index}`);
  for (let from = 0; from < line.length; from += 50)
    await Promise.all(line.slice(from, from + 50).map((chatId) => send(chatId, t(chatId))));
  await untilWaiting("allowance", line.length - 2);
  await send(DAN, t("dan"));
  await untilWaiting("allowance", line.length - 1);
  await write(node, { account, channelId }, [[DAN, t("is it ready?")]]);
  await messenger.untilArrived(t("dan"));
});

test("a wait that is almost the same is not written again", async () => {
  const t = (name: string) => `${channelId} ${name}`;
  await restart();
  for (const chatId of [ANN, BOB, CID]) await send(chatId, t(chatId));
  await untilWaiting("allowance", 1);
  const versions = () =>
    node.db.query<{ xmin: string; read: string }>(
      "select xmin::text, not_before::text as read from send_jobs where channel_id = $1",
      [channelId],
    );
  // The jobs of the two that were sent end after the third one waits.
  const before = await vi.waitUntil(async () => {
    const left = await versions();
    return left.length === 1 ? left : undefined;
  });
  // Looks at it again, and sends it if anything has changed.
  await restart();
  await send(REGULAR, t("regular"));
  await messenger.untilArrived(t("regular"));
  await stopSending();
  expect(await versions()).toEqual(before);
});

test("messages of a stopped channel are not looked at until it is resumed", async () => {
  const t = (name: string) => `${channelId} ${name}`;
  await stopChannel(node.core, { accountId: account.id, channelId });
  await restart();
  await send(REGULAR, t("first"));
  await untilWaiting("stopped", 1);
  // The next scan after a job of another channel has been found.
  const other = await addChannel(node, account, { transport: "whatsapp" });
  await restart();
  await write(node, { account, channelId: other }, [[REGULAR, `${other} hello`]]);
  await send(REGULAR, `${other} second`, other);
  await messenger.untilArrived(`${other} second`);
  const held = "select held_by from send_jobs where channel_id = $1";
  expect(await node.db.query(held, [channelId])).toEqual([{ held_by: null }]);
  await goOnSending(node.core, { accountId: account.id, channelId });
  await messenger.untilArrived(t("first"));
});

test("after a warning there are no first contacts until its end, across a restart", async () => {
  const t = (name: string) => `${channelId} ${name}`;
  messenger.refuse = (chatId) => {
    if (chatId === ANN) throw spam(DAY_MS);
  };
  await restart();
  await send(ANN, t("ann"));
  await vi.waitUntil(async () => (await shown()).first_contacts.held_until !== null);
  messenger.refuse = () => undefined;
  await send(BOB, t("bob"));
  await send(REGULAR, t("regular"));
  await untilWaiting("hold", 1);
  await messenger.untilArrived(t("regular"));

  await restart();
  await send(REGULAR, t("regular again"));
  await messenger.untilArrived(t("regular again"));
  const until = await endsSoon("held_until");
  await messenger.untilArrived(t("bob"));
  expect(messenger.arrived.find(({ text }) => text === t("bob"))?.at.getTime()).toBeGreaterThanOrEqual(
    until - 5,
  );
  // The refused message is over, and counts.
  expect(texts()).not.toContain(t("ann"));
  const { first_contacts: contacts, notices } = await shown();
  expect(contacts).toMatchObject({ left: 0, held_until: null, hold_reason: null });
  expect(notices).toMatchObject([{ kind: "held", text: expect.stringContaining("Too many new chats") }]);
  const log = "select level, message from channel_log where channel_id = $1";
  await expect
    .poll(() => node.db.query(log, [channelId]))
    .toContainEqual({ level: "warn", message: "the messenger paused first contacts" });
});

test("a cooldown reported by the messenger applies until its end; the owner may end it earlier", async () => {
  const t = (name: string) => `${channelId} ${name}`;
  const hold = { until: new Date(Date.now() + DAY_MS), reason: "Restricted for a day" };
  await restart();
  await messenger.tell(channelId, { kind: "cooldown", cooldown: hold });
  await messenger.tell(channelId, { kind: "cooldown", cooldown: hold });
  await send(ANN, t("ann"));
  await untilWaiting("hold", 1);
  expect((await shown()).first_contacts).toMatchObject({
    next_at: hold.until.toISOString(),
    held_until: hold.until.toISOString(),
    hold_reason: hold.reason,
  });
  await messenger.tell(channelId, { kind: "cooldown", cooldown: null });
  await messenger.untilArrived(t("ann"));

  await messenger.tell(channelId, { kind: "cooldown", cooldown: hold });
  await send(BOB, t("bob"));
  await untilWaiting("hold", 1);
  expect(outcome(await patch({ end_hold: true }))).toBe("200");
  await messenger.untilArrived(t("bob"));
  expect((await shown()).notices.map(({ kind }) => kind)).toEqual(["released", "held", "released", "held"]);
});

test("with pacing off, the allowance is ignored, but a warning applies", async () => {
  const t = (name: string) => `${channelId} ${name}`;
  stopSending = await startSending(node, { pacing: false });
  for (const chatId of [ANN, BOB, CID]) await send(chatId, t(chatId));
  await messenger.untilArrived(t(ANN), t(BOB), t(CID));
  expect((await shown()).first_contacts.left).toBe(2);
  await messenger.tell(channelId, {
    kind: "cooldown",
    cooldown: { until: new Date(Date.now() + DAY_MS), reason: "Restricted" },
  });
  await vi.waitUntil(async () => {
    await send(DAN, t("dan"));
    return (await waitingFor())["hold"] === 1;
  });
});

test("a pause that the messenger asked for also applies on the next node", async () => {
  const t = (name: string) => `${channelId} ${name}`;
  let isPaused = true;
  messenger.refuse = () => {
    if (isPaused)
      throw new TransportError("TOO_MANY_EXT_REQS", "wait", { retry: { afterMs: DAY_MS, scope: "channel" } });
  };
  await restart();
  await send(REGULAR, t("first"));
  await untilWaiting("retry", 1);
  const asked = Date.parse((await shown()).queue.next_send_at ?? "");
  expect(asked - Date.now()).toBeGreaterThan(DAY_MS / 2);
  await expect
    .poll(() =>
      node.db.query("select level, message, details from channel_log where channel_id = $1", [channelId]),
    )
    .toContainEqual({
      level: "warn",
      message: "the messenger asked the channel to pause",
      details: { seconds: DAY_MS / 1_000 },
    });
  await expect
    .poll(() =>
      node.db.query(
        `select l.message, l.details, m.text from channel_log l
         join messages m on m.account_id = l.account_id and m.id = l.message_id where l.channel_id = $1`,
        [channelId],
      ),
    )
    .toEqual([
      {
        message: "a message is sent again",
        details: { code: "TOO_MANY_EXT_REQS", description: "wait", attempt: 1, againInMs: DAY_MS },
        text: t("first"),
      },
    ]);
  isPaused = false;
  await restart();
  await send(ANN, t("second"));
  await untilWaiting("pause", 1);
  const until = await endsSoon("paused_until");
  await messenger.untilArrived(t("second"));
  expect(messenger.arrived.find(({ text }) => text === t("second"))?.at.getTime()).toBeGreaterThan(
    until - 500,
  );
});

describe("over HTTP", () => {
  test("the messenger's limits are shown, changed, and reset", async () => {
    const own = {
      per_minute: 60_000,
      burst: 1_000,
      chat_per_minute: 60_000,
      chat_burst: 1_000,
      jitter_ms: 0,
      first_contacts_per_day: 2,
      warm_up_days: 0,
    };
    expect(await shown()).toMatchObject({
      channel_id: channelId,
      limits: own,
      changed: [],
      first_contacts: { allowance: 2, left: 2, next_at: null, held_until: null, hold_reason: null },
      queue: { messages: 0, chats: 0, oldest_at: null, next_send_at: null, waiting: [] },
      notices: [],
    });
    const changes = {
      per_minute: 7.5,
      chat_per_minute: 3,
      jitter_ms: 500,
      first_contacts_per_day: 50,
      warm_up_days: 10,
    };
    const { json } = await patch(changes);
    expect(json).toMatchObject({ data: [{ limits: { ...changes, burst: 7.5, chat_burst: 3 } }] });
    expect((await shown()).changed).toEqual(Object.keys(changes));
    // New today: a fifth of it.
    expect((await shown()).first_contacts).toMatchObject({ allowance: 10, left: 10 });
    await patch({ reset: ["first_contacts_per_day", "warm_up_days"], jitter_ms: 600, per_minute: null });
    expect((await shown()).changed).toEqual(["per_minute", "chat_per_minute", "jitter_ms"]);
    expect((await shown()).limits).toMatchObject({ per_minute: 7.5, jitter_ms: 600 });
    await patch({ reset: ["per_minute", "chat_per_minute", "jitter_ms"], end_hold: false });
    expect(await shown()).toMatchObject({ limits: own, changed: [] });
    expect((await patch({})).status).toBe(200);
  });

  test.each([
    ["an unknown limit", { per_hour: 5 }, "400 VALIDATION_ERROR per_hour"],
    ["no rate at all", { per_minute: 0 }, "400 VALIDATION_ERROR per_minute"],
    ["too high a rate", { chat_per_minute: 60_001 }, "400 VALIDATION_ERROR chat_per_minute"],
    ["a text", { jitter_ms: "5" }, "400 VALIDATION_ERROR jitter_ms"],
    ["part of a person", { first_contacts_per_day: 1.5 }, "400 VALIDATION_ERROR first_contacts_per_day"],
    ["fewer than nobody", { first_contacts_per_day: -1 }, "400 VALIDATION_ERROR first_contacts_per_day"],
    ["too many people", { first_contacts_per_day: 10_001 }, "400 VALIDATION_ERROR first_contacts_per_day"],
    ["too long a warm-up", { warm_up_days: 366 }, "400 VALIDATION_ERROR warm_up_days"],
    ["a limit that cannot be reset", { reset: ["burst"] }, "400 VALIDATION_ERROR reset[0]"],
    ["half a hold", { end_hold: "now" }, "400 VALIDATION_ERROR end_hold"],
  ])("%s is refused", async (_, body, expected) => {
    expect(outcome(await patch(body))).toBe(expected);
    expect((await shown()).changed).toEqual([]);
  });

  test("another account's channel, an unknown one and a stranger are refused", async () => {
    const other = await addAccount(node.db);
    expect(outcome(await patch({ per_minute: 1 }, other))).toBe("404 CHANNEL_NOT_FOUND");
    expect((await shown()).changed).toEqual([]);
    for (const id of [newId(), "x"]) {
      const answer = await call(node, "GET", `/v2/channels/${id}/pacing`, { token: account.access });
      expect(outcome(answer)).toBe("404 CHANNEL_NOT_FOUND");
    }
    expect((await call(node, "GET", path())).status).toBe(401);
  });

  test("messages that wait for an inactive channel are reported so", async () => {
    await send(REGULAR, "wait");
    await node.db.query("update channels set status = 'init' where id = $1", [channelId]);
    expect((await shown()).queue).toMatchObject({
      messages: 1,
      chats: 1,
      next_send_at: null,
      waiting: [{ for: "inactive", chats: 1, until: null }],
    });
  });
});

describe("restrictions of the account", () => {
  interface Restricted {
    readonly kind: string;
    readonly reason: string;
    readonly since: string;
    readonly until: string | null;
  }
  const until = new Date(Date.now() + DAY_MS);
  const hold = { until, reason: "No new chats" };
  const hears = ["channel.status_update", "channelsUpdates"] as const;

  beforeEach(async () => {
    await node.db.query(
      "insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v3', '', $3, $4)",
      [account.id, newId(), hears, randomBytes(32)],
    );
    await restart();
  });
  /** What was published of the channel's restrictions in each version, as "kind until". */
  async function published(kind: (typeof hears)[number]): Promise<string[]> {
    const rows = await node.db.query<{ body: string }>(
      "select body from events where account_id = $1 and channel_id = $2 and kind = $3 order by id",
      [account.id, channelId, kind],
    );
    return rows.flatMap(({ body }) => {
      const item = JSON.parse(body) as { status?: string; state?: string; restrictions?: Restricted[] };
      expect(item.status ?? item.state).toBe("active");
      return item.restrictions === undefined ? [] : [short(item.restrictions)];
    });
  }
  const short = (list: readonly Restricted[]) =>
    list.map((each) => `${each.kind} ${each.until ?? "open"}`).join(", ");
  async function visible(): Promise<string[]> {
    const [v2, v3] = await Promise.all([
      call(node, "GET", `/v2/channels/${channelId}`, { token: account.access }),
      call(node, "GET", "/v3/channels", { token: account.api }),
    ]);
    const [found] = (v2.json as { data: { status: string; restrictions: Restricted[] }[] }).data;
    const other = (v3.json as { channelId: string; restrictions?: Restricted[] }[]).find(
      (each) => each.channelId === channelId,
    );
    expect(found?.status).toBe("active");
    return [short(found?.restrictions ?? []), short(other?.restrictions ?? [])];
  }
  const stated = `new_chats ${until.toISOString()}`;

  test("each beginning, change of the end, and end is published once, and shown meanwhile", async () => {
    for (const _ of [1, 2]) await messenger.tell(channelId, { kind: "cooldown", cooldown: hold });
    expect(await visible()).toEqual([stated, stated]);
    const later = new Date(until.getTime() + DAY_MS);
    for (const _ of [1, 2])
      await messenger.tell(channelId, { kind: "cooldown", cooldown: { ...hold, until: later } });
    const estimate = { ...hold, until: new Date(later.getTime() + DAY_MS), basis: "estimate" } as const;
    await messenger.tell(channelId, { kind: "cooldown", cooldown: estimate });
    await messenger.tell(channelId, {
      kind: "restriction",
      of: "quality",
      restriction: { reason: "Complaints", until: null },
    });
    for (const _ of [1, 2]) await messenger.tell(channelId, { kind: "cooldown", cooldown: null });
    for (const _ of [1, 2])
      await messenger.tell(channelId, { kind: "restriction", of: "quality", restriction: null });
    const moved = `new_chats ${later.toISOString()}`;
    const expected = [stated, moved, `${moved}, quality open`, "quality open", ""];
    expect(await published("channel.status_update")).toEqual(expected);
    expect(await published("channelsUpdates")).toEqual(expected);
    expect(await visible()).toEqual(["", ""]);
  });

  test("a refused message restricts the account at once; messages that get through do not end it", async () => {
    const t = (name: string) => `${channelId} ${name}`;
    messenger.refuse = (chatId) => {
      if (chatId !== REGULAR) throw spam(DAY_MS);
    };
    await send(ANN, t("ann"));
    await vi.waitUntil(async () => (await published("channel.status_update")).length > 0);
    messenger.refuse = () => undefined;
    await send(REGULAR, t("regular"));
    await messenger.untilArrived(t("regular"));
    expect(await published("channelsUpdates")).toHaveLength(1);
    const [shownNow] = await visible();
    expect(shownNow).toMatch(/^new_chats /);
  });

  test("a refusal that only restricts is published, and sending goes on", async () => {
    const t = (name: string) => `${channelId} ${name}`;
    const restriction = { kind: "spam", reason: "Blocked", until, isEstimate: true } as const;
    messenger.refuse = (chatId) => {
      if (chatId === ANN) throw new TransportError("SPAM", "Blocked", { restriction });
    };
    await send(ANN, t("ann"));
    await vi.waitUntil(async () => (await shown()).queue.messages === 0, { interval: 50 });
    await send(BOB, t("bob"));
    await messenger.untilArrived(t("bob"));
    expect(await published("channel.status_update")).toEqual(["spam open"]);
  });

  test("a precaution against flood control is not published", async () => {
    await messenger.tell(channelId, { kind: "cooldown", cooldown: { ...hold, basis: "precaution" } });
    expect(await published("channel.status_update")).toEqual([]);
    expect((await shown()).first_contacts.held_until).toBe(until.toISOString());
  });

  test("two nodes end what is over, and publish it once", async () => {
    await messenger.tell(channelId, { kind: "cooldown", cooldown: hold });
    await messenger.tell(channelId, {
      kind: "restriction",
      of: "volume",
      restriction: { reason: "Quota", until: null },
    });
    await node.db.query(
      `update channels set restriction_ends_at = now(),
         restrictions = jsonb_set(restrictions, '{0,endsAt}', to_jsonb('2020-01-01T00:00:00.000Z'::text))
       where id = $1`,
      [channelId],
    );
    await Promise.all([endRestrictions(node.core, 100), endRestrictions(node.core, 100)]);
    expect(await published("channel.status_update")).toEqual([
      stated,
      `${stated}, volume open`,
      "volume open",
    ]);
    expect(await endRestrictions(node.core, 100)).toBe(0);
  });

  test.each([
    ["estimate", []],
    ["stated", [stated]],
  ] as const)("its owner ends the cooldown: with an end that is %s", async (basis, left) => {
    await messenger.tell(channelId, { kind: "cooldown", cooldown: { ...hold, basis } });
    expect(outcome(await patch({ end_hold: true }))).toBe("200");
    await endRestrictions(node.core, 100);
    expect((await shown()).first_contacts.held_until).toBeNull();
    expect((await visible())[0]).toBe(left.join(""));
    expect((await published("channel.status_update")).at(-1)).toBe(left.join(""));
  });

  test("a deleted channel is left alone", async () => {
    await messenger.tell(channelId, { kind: "cooldown", cooldown: null });
    await node.db.query("update channels set deleted_at = now() where id = $1", [channelId]);
    await messenger.tell(channelId, { kind: "cooldown", cooldown: hold });
    expect(await published("channel.status_update")).toEqual([]);
  });
});
