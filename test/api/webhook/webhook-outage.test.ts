import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { hasWaiting } from "../../../src/core/delivery/cursor/waiting.ts";
import { type Post, type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const HOUR_MS = 3_600_000;
const LIFETIME_MS = 72 * HOUR_MS;
const SLOW_MS = 60;
const PEOPLE = ["79001110001", "79001110002", "79001110003"] as const;
const [ANN] = PEOPLE;
const POISON = "refused for ever";

let node: TestNode;
let stopDelivery: () => Promise<void>;
let receiver: Receiver;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  node = await startNode();
  const schedule = { delaysMs: readConfig({}, []).webhookSchedule, lifetimeMs: LIFETIME_MS };
  stopDelivery = await startDelivery(node, { schedule, maxItems: 8, pauseAfterMs: LIFETIME_MS });
  account = await addAccount(node.db);
  receiver = await startReceiver();
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  const body = { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } };
  await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
});
afterAll(async () => {
  await receiver.stop();
  await stopDelivery();
  await node.stop();
});

/** Each person writes so many messages, in turn. Returns them by person. */
async function everybodyWrites(phase: string, each: number): Promise<Map<string, string[]>> {
  const messages = Array.from({ length: each }, (_, number) =>
    PEOPLE.map((person) => [person, `${phase} ${person} ${number}`] as const),
  ).flat();
  await write(node, { account, channelId }, messages);
  return new Map(
    PEOPLE.map((person) => [person, messages.filter(([to]) => to === person).map(([, text]) => text)]),
  );
}

const textsOf = (post: Post): string[] => post.items.map(({ text = "" }) => text);
const taken = (): string[] => receiver.taken().map(({ text = "" }) => text);
const untilTaken = (wanted: readonly string[]) =>
  vi.waitUntil(() => wanted.every((text) => taken().includes(text)), { interval: 20 });

interface Rest {
  readonly ms: number;
}

/** Waits until all queues of the account rest after a failure. Returns the length of the shortest rest. */
async function untilResting(): Promise<number> {
  const [rest] = await vi.waitUntil(
    async () => {
      const rows = await node.db.query<Rest>(
        `select extract(epoch from min(due) - now()) * 1000 as ms from (
           select due from webhook_cursors c where account_id = $1 and lane <> 'retries' and ${hasWaiting("c")}
           union all select due from webhook_retries where account_id = $1 and state = 'refused') waiting
         having bool_and(due > now()) and not exists (
           select from webhook_cursors where account_id = $1 and claim is not null)`,
        [account.id],
      );
      return rows.length > 0 && rows;
    },
    { interval: 5 },
  );
  return Math.ceil(Number(rest?.ms));
}

/** Lets it look as if so much time had gone by. */
async function pass(ms: number): Promise<void> {
  await node.db.query(
    `with retries as (
       update webhook_retries set first_failed_at = first_failed_at - $2 * interval '1 millisecond',
         due = due - $2 * interval '1 millisecond' where account_id = $1 and state = 'refused')
     update webhook_cursors set first_failed_at = first_failed_at - $2 * interval '1 millisecond',
       due = due - $2 * interval '1 millisecond' where account_id = $1 and due <> 'infinity'`,
    [account.id, ms],
  );
  await node.db.query(
    "update webhook_endpoints set failing_since = failing_since - $2 * interval '1 millisecond' where account_id = $1",
    [account.id, ms],
  );
}

/** Repetition after repetition, until so much time has gone by. */
async function passRests(totalMs: number): Promise<void> {
  for (let passed = 0; passed < totalMs; ) {
    const rest = await untilResting();
    await pass(rest);
    passed += rest;
  }
}

interface Parked {
  readonly data: readonly { readonly eventId: number; readonly item: { readonly text: string } }[];
}
const parked = async () =>
  ((await call(node, "GET", "/v3/webhooks/parked", { token: account.api })).json as Parked).data;

test("unavailable for an hour, then slow, then refusing one item for ever: the others arrive in order, that one is parked and replayed", async () => {
  await receiver.down();
  const queued = await everybodyWrites("away", 20);
  await passRests(HOUR_MS);
  const rest = await untilResting();
  expect(taken()).toEqual([]);

  receiver.respond = (_post, response) => setTimeout(() => response.writeHead(200).end(), SLOW_MS);
  await receiver.up();
  await pass(rest);
  await untilTaken([...queued.values()].flat());
  for (const texts of queued.values()) expect(taken().filter((text) => texts.includes(text))).toEqual(texts);

  receiver.respond = (post, response) => response.writeHead(textsOf(post).includes(POISON) ? 500 : 200).end();
  const before = await everybodyWrites("before", 3);
  await write(node, { account, channelId }, [[ANN, POISON]]);
  const after = await everybodyWrites("after", 3);
  const othersAfter = [...after].filter(([person]) => person !== ANN).flatMap(([, texts]) => texts);
  await untilTaken([...before.values(), othersAfter].flat());
  expect(await parked()).toEqual([]);
  const heldBack = after.get(ANN) ?? [];
  expect(taken().filter((text) => heldBack.includes(text))).toEqual([]);

  await passRests(LIFETIME_MS);
  await untilTaken(heldBack);
  for (const person of PEOPLE) {
    const texts = [...(before.get(person) ?? []), ...(after.get(person) ?? [])];
    expect(taken().filter((text) => texts.includes(text))).toEqual(texts);
  }
  expect((await parked()).map(({ item }) => item.text)).toEqual([POISON]);
  expect(taken()).not.toContain(POISON);

  receiver.respond = null;
  const [only] = await parked();
  const body = { parked: true, eventIds: [only?.eventId] };
  expect((await call(node, "POST", "/v3/webhooks/replay", { token: account.api, body })).status).toBe(202);
  await untilTaken([POISON]);
  await vi.waitUntil(async () => (await parked()).length === 0);
});
