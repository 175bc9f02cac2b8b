import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { getLinkView } from "../../../src/core/channel/link/link-view.ts";
import { callbackLink } from "../../../src/core/inbound/callback/callback-link.ts";
import { recordReports } from "../../../src/core/message/record.ts";
import type { ChannelLink } from "../../../src/core/transport/connector.ts";
import type { HistoryMessage, InboundMessage, TransportEvent } from "../../../src/core/transport/events.ts";
import { Exporter } from "../../../src/work/exporter.ts";
import { parseCsv } from "../../kit/csv.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { call, outcome } from "../kit/call.ts";
import { leaseForAnHour } from "../kit/delivery.ts";
import { openInbox } from "../kit/inbox.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ANN = "79001112233";
const QUOTA = 500;

let database: TestDatabase;
let node: TestNode;
/** Another node of the same database. */
let other: TestNode;
let account: TestAccount;
let channelId: string;
let now: number;

beforeAll(async () => {
  database = await startTestDatabase();
  node = await startNode({ database, quotas: { historyMessages: QUOTA } });
  other = await startNode({ database, quotas: { historyMessages: QUOTA } });
});
afterAll(async () => {
  await other.stop();
  await node.stop();
  await database.stop();
});
beforeEach(async () => {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  await addReceiver(node.db, account.id, ["messages", "statuses", "channelsUpdates"], "v3");
  await addReceiver(
    node.db,
    account.id,
    ["message.add", "message.edit", "message.reaction", "channel.history"],
    "v2",
  );
  now = Date.now();
});

/** The link of the channel, on one of the nodes. */
function linkOn({ core }: TestNode): ChannelLink {
  const transport = core.transports.get("whatsapp");
  if (transport === undefined) throw new Error("there is no such transport");
  const credentials = core.seal.seal("{}", `credentials ${channelId}`);
  const row = { account_id: account.id, id: channelId, epoch: 0, credentials };
  return { ...callbackLink(core, transport, row) };
}

async function ask(days = 30): Promise<void> {
  await node.db.query(
    "insert into channel_history (account_id, channel_id, days, status) values ($1, $2, $3, 'waiting')",
    [account.id, channelId, days],
  );
}

function old(externalId: string, agoMs: number, more: Partial<HistoryMessage> = {}): HistoryMessage {
  return {
    chatType: "whatsapp",
    chatId: ANN,
    externalId,
    direction: "in",
    sentAt: new Date(now - agoMs),
    contact: { name: "Ann" },
    body: { type: "text", text: externalId },
    ...more,
  };
}
const live = (externalId: string, agoMs: number, more: Partial<InboundMessage> = {}): TransportEvent => {
  const { status: _, ...message } = old(externalId, agoMs);
  return { kind: "message", message: { ...message, ...more } };
};

type Batch = Omit<Extract<TransportEvent, { kind: "history" }>, "kind" | "messages">;
const take = (messages: readonly HistoryMessage[], more: Batch = {}, on = node): Promise<void> =>
  linkOn(on).emit({ kind: "history", messages: [...messages], ...more });

async function told(kind: string): Promise<Record<string, unknown>[]> {
  const rows = await node.db.query<{ body: string }>(
    "select body from events where account_id = $1 and kind = $2 order by id",
    [account.id, kind],
  );
  return rows.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
}
async function thread(): Promise<{ text: string; is_history?: boolean; status: string }[]> {
  const page = await openInbox(node, account.api);
  const { chats } = (await page.get("chats")).json as { chats: { id: string }[] };
  const { messages } = (await page.get(`chats/${chats[0]?.id}/messages?limit=100`)).json as {
    messages: { text: string; is_history?: boolean; status: string }[];
  };
  return messages;
}
const texts = async () => (await thread()).map(({ text }) => text);
async function state() {
  const [row] = await node.db.query<{ status: string; messages: number; progress: number | null }>(
    "select status, messages::int, progress from channel_history where channel_id = $1",
    [channelId],
  );
  return row;
}

describe("an imported message", () => {
  test("is in the page, neither unanswered nor unread, and no webhook tells of it", async () => {
    await ask();
    await take([old("one", 3 * DAY_MS), old("two", 2 * DAY_MS, { direction: "echo", status: "read" })], {
      progress: 50,
    });
    await take([old("three", HOUR_MS)], { isDone: true });
    expect(await thread()).toMatchObject([
      { text: "one", is_history: true, status: "inbound" },
      { text: "two", is_history: true, status: "read" },
      { text: "three", is_history: true },
    ]);
    const page = await openInbox(node, account.api);
    const { chats } = (await page.get("chats")).json as { chats: object[] };
    expect(chats).toMatchObject([{ unanswered: 0, unread: 0, last_message: { text: "three" } }]);
    for (const kind of ["messages", "message.add", "statuses"]) expect(await told(kind)).toEqual([]);
    expect(await told("channel.history")).toMatchObject([
      { channel_id: channelId, status: "running", progress: 50, messages: 2, is_cut: false },
      { channel_id: channelId, status: "done", progress: 100, messages: 3 },
    ]);
    const { history } = await getLinkView(node.core, { accountId: account.id }, channelId);
    expect(history).toEqual({ days: 30, status: "done", progress: 100, messages: 3, isCut: false });
  });

  test("stands before what came live, in the messenger's order, however late it is stored", async () => {
    await recordReports(node.core, [{ accountId: account.id, channelId, event: live("live", 0) as never }]);
    await ask();
    await take([old("c", 1 * HOUR_MS), old("d", HOUR_MS / 2)]);
    await take([old("b", 2 * HOUR_MS), old("a", 3 * HOUR_MS)]);
    expect(await texts()).toEqual(["a", "b", "c", "d", "live"]);
    const order = "select at > now() - interval '1 minute' as is_new from chat_order where account_id = $1";
    expect(await node.db.query(order, [account.id])).toEqual([{ is_new: true }]);
  });

  test("keeps its place among messages of the same second", async () => {
    await ask();
    await take([old("c", HOUR_MS), old("d", HOUR_MS)]);
    await take([old("a", HOUR_MS), old("b", HOUR_MS)]);
    expect(await texts()).toEqual(["a", "b", "c", "d"]);
  });

  test("is one with the live message, in both orders", async () => {
    await recordReports(node.core, [
      { accountId: account.id, channelId, event: live("first live", 2_000) as never },
    ]);
    await ask();
    await take([old("first live", 2_000), old("first old", 3_000)]);
    await linkOn(node).emit(live("first old", 3_000));
    expect(await thread()).toMatchObject([{ text: "first old", is_history: true }, { text: "first live" }]);
    expect((await told("messages")).map(({ text }) => text)).toEqual(["first live"]);
    expect(await state()).toMatchObject({ messages: 1 });
  });

  test("that was written after the channel was linked is reported as if it came live", async () => {
    await node.db.query("update channels set status_at = now() - interval '1 hour' where id = $1", [
      channelId,
    ]);
    await ask();
    await take([
      old("before", 2 * HOUR_MS),
      old("after", HOUR_MS / 2),
      old("own", HOUR_MS / 2, { direction: "echo" }),
    ]);
    await linkOn(node).emit(live("after", HOUR_MS / 2));
    expect(await thread()).toMatchObject([{ text: "before" }, { text: "after" }]);
    expect((await told("messages")).map(({ text }) => text)).toEqual(["after"]);
  });

  test("changes by what the messenger reports later, which only pages are told", async () => {
    await ask();
    const ref = { chatType: "whatsapp", chatId: ANN, externalId: "own" } as const;
    const early = { chatType: "whatsapp", chatId: ANN, externalId: "edited early" } as const;
    const at = new Date(now);
    await linkOn(node).emit({ kind: "edited", ref: early, body: { type: "text", text: "new words" }, at });
    await take([old("own", 3_000, { direction: "echo" }), old("edited early", 2_000), old("gone", 1_000)]);
    const link = linkOn(node);
    await link.emit({ kind: "receipt", ref, status: "read", at });
    await link.emit({ kind: "reaction", ref, emoji: "👍", by: { id: ANN, name: "Ann" }, at });
    await link.emit({ kind: "deleted", ref: { ...ref, externalId: "gone" }, at });
    expect(await thread()).toMatchObject([
      { text: "own", status: "read" },
      { text: "new words", is_history: true },
      { text: "gone", deleted_at: expect.anything() },
    ]);
    for (const kind of ["messages", "statuses", "message.add", "message.edit", "message.reaction"])
      expect([kind, await told(kind)]).toEqual([kind, []]);
  });

  test("is in exports", async () => {
    await ask();
    await take([old("long ago", 20 * DAY_MS)]);
    const period = {
      start_at: new Date(now - 21 * DAY_MS).toISOString(),
      end_at: new Date(now).toISOString(),
    };
    const asked = await call(node, "POST", "/v2/messages/messages_dump", {
      token: account.access,
      body: period,
    });
    expect(outcome(asked)).toBe("200");
    const lease = await leaseForAnHour(node.db);
    const exporter = new Exporter({ core: node.core, lease: () => lease, retentionMs: HOUR_MS });
    exporter.start();
    const [row] = await node.db.query<{ id: string }>(
      "select id from message_exports where account_id = $1",
      [account.id],
    );
    const look = () => call(node, "GET", `/v2/messages/messages_dump/${row?.id}`, { token: account.access });
    await expect.poll(async () => (await look()).text, { timeout: 20_000 }).toContain("done");
    await exporter.stop();
    const { url } = ((await look()).json as { data: { url: string } }).data;
    const file = await fetch(`${node.url}${new URL(url).pathname}${new URL(url).search}`);
    expect(parseCsv(await file.text()).map((line) => line[12])).toContain("long ago");
  });
});

describe("an import", () => {
  test("is asked for with the channel, and only where the messenger gives a history", async () => {
    const create = (body: object) =>
      call(node, "POST", "/v2/channels", { token: account.access, body: { credentials: {}, ...body } });
    const made = await create({ transport: "whatsapp", history: { days: 90 } });
    const [{ channel_id: id } = { channel_id: "" }] = (made.json as { data: { channel_id: string }[] }).data;
    const seen = await call(node, "GET", `/v2/channels/${id}`, { token: account.access });
    expect(seen.json).toMatchObject({
      data: [{ history: { days: 90, status: "waiting", progress: null, messages: 0, is_cut: false } }],
    });
    expect(outcome(await create({ transport: "maxbot", history: { days: 90 } }))).toBe(
      "400 VALIDATION_ERROR history",
    );
    for (const days of [0, 1.5, 3_651, "many"])
      expect(outcome(await create({ transport: "whatsapp", history: { days } }))).toBe(
        "400 VALIDATION_ERROR history.days",
      );
  });

  test("takes nothing that nobody asked for, nor what is too old, nor anything of a deleted channel", async () => {
    await take([old("uninvited", 1_000)]);
    await ask(10);
    expect((await linkOn(node).history())?.since.getTime()).toBeGreaterThan(now - 11 * DAY_MS);
    await take([old("too old", 11 * DAY_MS), old("in time", 9 * DAY_MS)]);
    expect(await state()).toMatchObject({ status: "running", messages: 1 });
    await call(node, "DELETE", `/v2/channels/${channelId}`, { token: account.access });
    expect(await linkOn(node).history()).toBeNull();
    await take([old("too late", 1_000)], { isDone: true });
    const stored = "select text from messages where account_id = $1";
    expect(await node.db.query(stored, [account.id])).toEqual([{ text: "in time" }]);
  });

  test("continues on another node; a repeated batch adds nothing", async () => {
    await ask();
    const batch = [old("a", 4_000), old("b", 3_000)];
    await take(batch, { progress: 30 });
    await take(batch, { progress: 30 }, other);
    await Promise.all([
      take([old("c", 2_000)]),
      take([old("c", 2_000), old("d", 1_000)], { isDone: true }, other),
    ]);
    expect(await texts()).toEqual(["a", "b", "c", "d"]);
    expect(await told("channel.history")).toHaveLength(2);
    expect(await linkOn(node).history()).toBeNull();
  });

  test("ends when the account's quota is used up", async () => {
    await ask();
    const many = Array.from({ length: 200 }, (_, n) => old(`m${n}`, DAY_MS - n * 1_000));
    const batches = [0, 1, 2].map((k) =>
      many.map((each) => ({ ...each, externalId: `${k} ${each.externalId}` })),
    );
    for (const batch of batches) await take(batch);
    expect(await state()).toMatchObject({ status: "done", messages: QUOTA });
    expect((await told("channel.history")).at(-1)).toMatchObject({ status: "done", is_cut: true });
    expect(await linkOn(node).history()).toBeNull();
  });

  test("keeps what cannot be stored as refused reports, and stores the rest", async () => {
    await ask();
    const faulty = { ...old("faulty", 1_000), sentAt: "yesterday" } as unknown as HistoryMessage;
    await take([old("before", 3_000), faulty, old("\ud800 lone", 2_000)]);
    expect(await state()).toMatchObject({ messages: 2 });
    const letters = await node.db.query<{ reason: string }>(
      "select reason from inbound_dead_letters where account_id = $1",
      [account.id],
    );
    expect(letters).toMatchObject([{ reason: expect.stringContaining("sentAt") }]);
  });

  test("leaves files at the messenger until somebody opens them", async () => {
    await ask();
    const body = { type: "media", media: "image", file: { token: randomUUID() }, text: "" } as const;
    await take([old("photo", DAY_MS, { body })]);
    const file = "select due = 'infinity' as is_asleep, key from files where account_id = $1";
    const [asleep] = await node.db.query<{ key: string; is_asleep: boolean }>(file, [account.id]);
    expect(asleep?.is_asleep).toBe(true);
    expect(await thread()).toMatchObject([{ file: { state: "stored" } }]);
    const leaving = new AbortController();
    const opened = fetch(`${node.url}/files/${asleep?.key}`, { signal: leaving.signal }).catch(
      () => undefined,
    );
    await expect
      .poll(() => node.db.query(file, [account.id]), { timeout: 20_000 })
      .toMatchObject([{ is_asleep: false }]);
    leaving.abort();
    await opened;
  });
});
