import { readdirSync } from "node:fs";
import { join } from "node:path";
import { request } from "undici";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { parseCsv } from "../kit/csv.ts";
import { addTrigger, holdTx } from "../kit/database.ts";
import type { Account, ServiceProcess } from "../kit/service.ts";
import { must, type Stand, startStand } from "../kit/stand.ts";

let stand: Stand;

beforeEach(async () => {
  stand = await startStand({ settings: { NODE_LEASE_MS: "1500" } });
});
afterEach(() => stand.stop());

const MESSAGES = 120_000;
const PERIOD = { start_at: "2026-01-01", end_at: "2026-02-01" };

/** Messages of one chat that exist only in the tables. */
async function addMessages({ accountId }: Account, count: number): Promise<void> {
  const [channel, chat] = [newId(), newId()];
  await stand.db.session(async (session) => {
    await session.query(
      "insert into channels (account_id, id, transport, status, credentials) values ($1, $2, 'telegram', 'disabled', '')",
      [accountId, channel],
    );
    await session.query(
      "insert into chats (account_id, id, channel_id, chat_type, chat_id, name) values ($1, $2, $3, 'telegram', '1', 'Ann')",
      [accountId, chat, channel],
    );
    await session.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
       select $1, overlay(gen_random_uuid()::text placing lpad(to_hex(n), 8, '0') from 1)::uuid, $2, $3, 'in', 'text', 'inbound',
              'number ' || n, timestamptz '2026-01-10' from generate_series(2000000000, 2000000000 + $4::int - 1) n`,
      [accountId, channel, chat, count],
    );
  });
}

async function ask(account: Account): Promise<string> {
  const { json } = await must(stand.call("POST", "/v2/messages/messages_dump", PERIOD, { account }));
  return (json as { data: { export_id: string } }).data.export_id;
}

async function look(id: string, account = stand.account): Promise<{ status: string; url: string | null }> {
  const { json } = await must(stand.call("GET", `/v2/messages/messages_dump/${id}`, undefined, { account }));
  return (json as { data: { status: string; url: string | null } }).data;
}

const untilDone = (id: string, account = stand.account) =>
  vi.waitUntil(
    async () => {
      const { status, url } = await look(id, account);
      return status === "done" ? url : null;
    },
    { timeout: 90_000, interval: 50 },
  );

/**
 * Kills the service when it has stored more than `before` messages of an export, and before it stores more of them.
 * Returns how many are stored.
 */
function killDuring(service: ServiceProcess, id: string, before: number): Promise<number> {
  const check = (): Promise<number | null> =>
    holdTx(stand.db, async (tx) => {
      const [row] = await tx.query<{ messages: number }>(
        "select messages from message_exports where id = $1 for update",
        [id],
      );
      if (row === undefined || row.messages <= before) return null;
      await service.end("SIGKILL");
      // What it has already sent would be stored after this transaction.
      await tx.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))",
      );
      return row.messages;
    });
  return vi.waitUntil(check, { timeout: 60_000, interval: 1 }) as Promise<number>;
}

async function numbersIn(url: string): Promise<string[]> {
  const answer = await request(url);
  const text = Buffer.from(await answer.body.arrayBuffer()).toString();
  return parseCsv(text.replace("\ufeff", ""))
    .slice(1)
    .map((row) => row[12] ?? "");
}

/** Makes each store of an export's progress take seconds. Returns what restores it. */
function slowDownExports(): Promise<() => Promise<void>> {
  return addTrigger(stand.db, "before update of messages on message_exports", { run: "perform pg_sleep(2)" });
}

test("kill -9 during an export: it continues where it was, with one complete file and one webhook", async () => {
  await addMessages(stand.account, MESSAGES);
  let service = await stand.start();
  await must(stand.call("PATCH", "/v3/webhooks", { webhooksUri: stand.receiver.url, subscriptions: {} }));
  const restore = await slowDownExports();
  const id = await ask(stand.account);
  let progress = 0;
  for (let kill = 0; kill < 2; kill++) {
    progress = await killDuring(service, id, progress);
    expect(progress).toBeLessThan(MESSAGES);
    expect((await stand.db.query("select 1 from message_exports where finished_at is null")).length).toBe(1);
    service = await stand.start();
  }
  await restore();
  const url = await untilDone(id);
  expect(await numbersIn(url ?? "")).toEqual(
    Array.from({ length: MESSAGES }, (_, index) => `number ${2_000_000_000 + index}`),
  );
  const folder = join(stand.environment["DATA_DIR"] ?? "", "files");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  expect(files.map(({ name }) => name)).toEqual([id]);
  const told = () => stand.receiver.posts.filter(({ body }) => body.includes(id));
  await stand.receiver.until(() => told().length > 0);
  expect(told().map(({ body }) => (JSON.parse(body) as { data: unknown }).data)).toEqual([
    [{ export_id: id, status: "done", url }],
  ]);
  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
});

test("another node takes over the export of a dead one, and accounts alternate", async () => {
  const other = await stand.addAccount();
  await addMessages(stand.account, MESSAGES);
  await addMessages(other, 10);
  const first = await stand.start({ NODE_NAME: "first" });
  const long = [await ask(stand.account), await ask(stand.account), await ask(stand.account)];
  const short = await ask(other);
  await untilDone(short, other);
  await stand.start({ NODE_NAME: "second" });
  await first.end("SIGKILL");
  const urls: (string | null)[] = [];
  for (const id of long) urls.push(await untilDone(id));
  expect(new Set(urls).size).toBe(3);
  // The other account did not wait for all exports requested before.
  const inOrder = await stand.db.query<{ id: string }>("select id from message_exports order by finished_at");
  const place = (id: string | undefined) => inOrder.findIndex((row) => row.id === id);
  expect(place(short)).toBeLessThan(place(long[2]));
  expect(await numbersIn(urls[0] ?? "")).toHaveLength(MESSAGES);
});
