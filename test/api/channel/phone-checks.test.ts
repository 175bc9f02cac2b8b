import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { endOldPhoneChecks } from "../../../src/core/phone/lookups.ts";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { call, outcome } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { createMessenger, startSending } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };
const DAY_MS = 86_400_000;
const messenger = createMessenger({
  channel: WIDE,
  chat: WIDE,
  jitterMs: 0,
  phoneChecks: { perDay: 4, burst: 3, jitterMs: 0 },
});
const others = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 });
const bots = {
  ...others.transport,
  definition: { ...others.transport.definition, id: "telegram", chatTypes: ["telegram"] as const },
};
let node: TestNode;
let account: TestAccount;
let channelId: string;
let stopSending: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  node = await startNode({ transports: [messenger.transport, bots] });
});
afterAll(() => node.stop());
beforeEach(async () => {
  messenger.find = () => null;
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  await addReceiver(node.db, account.id, ["phones.checked"], "v3");
});
afterEach(async () => {
  await stopSending();
  stopSending = async () => undefined;
  await node.db.query("update channels set deleted_at = now()");
  await node.db.query("delete from phone_checks");
});

interface Item {
  readonly check_id: string;
  readonly phones: readonly { readonly phone: string; readonly exists: boolean | null }[];
  readonly waiting: number;
}
let numbers = 79_002_000_000;
const number = () => String(++numbers);
const restart = async () => {
  await stopSending();
  stopSending = await startSending(node);
};
const check = (
  phones: readonly unknown[],
  { id = channelId, token = account.access, key }: { id?: string; token?: string; key?: string } = {},
) =>
  call(node, "POST", `/v2/channels/${id}/phones/check`, {
    token,
    body: { phones },
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
  });
async function asked(phones: readonly string[], key?: string): Promise<Item> {
  const response = await check(phones, key === undefined ? {} : { key });
  expect(response.status).toBe(200);
  return (response.json as { data: Item }).data;
}
async function told(): Promise<Item[]> {
  const rows = await node.db.query<{ body: string }>(
    "select body from events where account_id = $1 and kind = 'phones.checked' order by id",
    [account.id],
  );
  return rows.map(({ body }) => JSON.parse(body) as Item);
}
const untilTold = (count: number) =>
  vi.waitUntil(async () => (await told()).length >= count, { interval: 30, timeout: 20_000 });
/** As if the lookups so far were made a day ago, and nothing had to rest. */
async function aDayLater(): Promise<void> {
  await node.db.query("update phone_lookups set at = at - interval '25 hours' where channel_id = $1", [
    channelId,
  ]);
  await node.db.query("update phone_checks set due = now() where channel_id = $1", [channelId]);
  node.core.signals.notify("phones", channelId);
}

test("what is known is answered at once, the rest by events at the channel's pace", async () => {
  const [ann, bob, cid, dan, eve] = [number(), number(), number(), number(), number()];
  await write(node, { account, channelId }, [[ann, "hello"]]);
  messenger.find = (phone) => (phone === bob ? { chatId: `${bob}0` } : null);
  await restart();
  const answer = await asked([`+${ann}`, bob, cid, dan, eve, cid]);
  expect(answer).toEqual({
    check_id: answer.check_id,
    phones: [{ phone: ann, exists: true, chat_type: "whatsapp", chat_id: ann, username: null }],
    waiting: 4,
  });
  await untilTold(3);
  // The fourth waits for its part of the day.
  await vi.waitUntil(async () => {
    const [row] = await node.db.query<{ ms: number }>(
      "select extract(epoch from due - now()) * 1000 as ms from phone_checks where channel_id = $1",
      [channelId],
    );
    return Number(row?.ms) > 3_600_000;
  });
  expect(messenger.lookedUp.slice(-3)).toEqual([bob, cid, dan]);
  expect((await told()).map(({ phones, waiting }) => [phones[0], waiting])).toEqual([
    [{ phone: bob, exists: true, chat_type: "whatsapp", chat_id: `${bob}0`, username: null }, 3],
    [{ phone: cid, exists: false, chat_type: "whatsapp", chat_id: null, username: null }, 2],
    [{ phone: dan, exists: false, chat_type: "whatsapp", chat_id: null, username: null }, 1],
  ]);
  expect((await asked([bob, cid])).phones).toMatchObject([
    { phone: bob, exists: true },
    { phone: cid, exists: false },
  ]);
  // The next owner continues, when the day is over.
  await restart();
  await aDayLater();
  await untilTold(4);
  expect((await told()).at(-1)).toMatchObject({ check_id: answer.check_id, waiting: 0 });
});

test("one lookup answers all requests for a number, and a repeated request asks nothing twice", async () => {
  const phone = number();
  const key = newId();
  const [first, again, other] = [await asked([phone], key), await asked([phone], key), await asked([phone])];
  expect(again).toEqual(first);
  await restart();
  await untilTold(2);
  expect(new Set((await told()).map((item) => item.check_id))).toEqual(
    new Set([first.check_id, other.check_id]),
  );
  expect(messenger.lookedUp.filter((each) => each === phone)).toHaveLength(1);
});

test("a node that died in a lookup has used a part of the allowance", async () => {
  const phone = number();
  await asked([phone]);
  await node.db.query(
    `insert into phone_lookups (account_id, channel_id, phone)
     select $1, $2, 'died ' || n from generate_series(1, 4) n`,
    [account.id, channelId],
  );
  await restart();
  await vi.waitUntil(async () => {
    const rows = await node.db.query("select 1 from phone_checks where channel_id = $1 and due > now()", [
      channelId,
    ]);
    return rows.length === 1;
  });
  expect(messenger.lookedUp).not.toContain(phone);
});

test("each lookup of the same number uses a part of the allowance", async () => {
  const phone = number();
  messenger.find = () => {
    throw new TransportError("BAD_CONTACT", "hidden");
  };
  await restart();
  for (let times = 1; times <= 3; times++) {
    await asked([phone]);
    await untilTold(times);
  }
  await asked([phone]);
  await vi.waitUntil(
    async () => {
      const rows = await node.db.query(
        "select 1 from phone_checks where channel_id = $1 and due > now() + interval '1 hour'",
        [channelId],
      );
      return rows.length === 1;
    },
    { timeout: 20_000 },
  );
  expect(messenger.lookedUp.filter((each) => each === phone)).toHaveLength(3);
});

test("throttling rests the channel; a refusal is unknown; a warning is a restriction", async () => {
  const [ann, bob] = [number(), number()];
  let error: TransportError | null = new TransportError("TOO_MANY_EXT_REQS", "wait", {
    retry: { afterMs: DAY_MS, scope: "channel" },
  });
  messenger.find = () => {
    if (error !== null) throw error;
    return null;
  };
  await restart();
  await asked([ann]);
  await vi.waitUntil(async () => {
    const rows = await node.db.query(
      "select 1 from phone_checks where channel_id = $1 and due > now() + interval '12 hours'",
      [channelId],
    );
    return rows.length === 1;
  });
  error = new TransportError("BAD_CONTACT", "hidden");
  await aDayLater();
  await untilTold(1);
  expect((await told())[0]?.phones).toMatchObject([{ phone: ann, exists: null }]);
  const until = new Date(Date.now() + DAY_MS);
  error = new TransportError("SPAM", "no", { cooldown: { until, reason: "Too many lookups" } });
  await asked([bob]);
  await vi.waitUntil(async () => {
    const { json } = await call(node, "GET", `/v2/channels/${channelId}`, { token: account.access });
    return (json as { data: { restrictions: unknown[] }[] }).data[0]?.restrictions.length === 1;
  });
  expect(await told()).toHaveLength(1);
});

test("what could not be looked up for a week ends as unknown; deleted channels are forgotten", async () => {
  const { check_id: checkId } = await asked([number(), number()]);
  await node.db.query(
    "update phone_checks set requested_at = now() - interval '8 days' where check_id = $1",
    [checkId],
  );
  expect(await endOldPhoneChecks(node.core, 100)).toBe(2);
  expect((await told()).map(({ waiting, phones }) => [waiting, phones[0]?.exists])).toEqual([
    [1, null],
    [0, null],
  ]);
  await asked([number()]);
  await node.db.query("update channels set deleted_at = now() where id = $1", [channelId]);
  expect(await endOldPhoneChecks(node.core, 100)).toBe(1);
  expect(await told()).toHaveLength(2);
});

describe("refused", () => {
  const refusals: readonly (readonly [string, () => readonly unknown[], string])[] = [
    ["no numbers", () => [], "400 VALIDATION_ERROR phones"],
    ["what is no number", () => [number(), "Ann"], "400 VALIDATION_ERROR phones.1"],
    ["too many", () => Array.from({ length: 101 }, number), "400 VALIDATION_ERROR phones"],
  ];
  test.each(refusals)("%s", async (_name, phones, expected) =>
    expect(outcome(await check(phones()))).toBe(expected),
  );

  test("another account's channel, a transport that cannot, a channel that is not linked, a full queue", async () => {
    const stranger = await addAccount(node.db);
    expect(outcome(await check([number()], { token: stranger.access }))).toBe("404 CHANNEL_NOT_FOUND");
    const bot = await addChannel(node, account, { transport: "telegram" });
    expect(outcome(await check([number()], { id: bot }))).toBe("400 CHANNEL_INVALID_TRANSPORT");
    const idle = await addChannel(node, account, { transport: "whatsapp", status: "init" });
    expect(outcome(await check([number()], { id: idle }))).toBe("400 MESSAGE_CHANNEL_UNAVAILABLE");
    // At the same time: none may count a place that another one takes.
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async () => outcome(await check(Array.from({ length: 100 }, number)))),
    );
    expect(outcomes.toSorted()).toEqual([
      ...Array(5).fill("200"),
      ...Array(3).fill("400 PHONE_CHECK_QUEUE_FULL"),
    ]);
    expect(outcome(await check([number()]))).toBe("400 PHONE_CHECK_QUEUE_FULL");
  });
});
