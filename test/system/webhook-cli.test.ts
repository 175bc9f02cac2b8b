import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { INHERITED } from "../kit/environment.ts";
import { waitingEvents } from "../kit/event-log.ts";
import type { Post } from "../kit/receiver.ts";
import type { ServiceProcess } from "../kit/service.ts";
import { type Channel, type Stand, startStand } from "../kit/stand.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");
let stand: Stand;
let service: ServiceProcess;
let channel: Channel;

beforeAll(async () => {
  stand = await startStand({ settings: { WEBHOOK_SCHEDULE: "100ms" } });
  service = await stand.start();
  channel = await stand.addChannel(1);
  await stand.receiver.until(() => stand.receiver.taken().length >= 1);
});
afterAll(() => stand.stop());

interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

function run(...args: readonly string[]): Promise<Outcome> {
  const env = { ...INHERITED, ALLOW_NETWORKS: "127.0.0.0/8", ...stand.environment };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...args],
      { cwd: stand.environment["DATA_DIR"], env },
      (error, out, err) => resolve({ status: Number(error?.code ?? 0), out, err }),
    );
  });
}

async function json<T>(...args: readonly string[]): Promise<T> {
  const { out, err, status } = await run(...args, "--json");
  if (status !== 0) throw new Error(`${status} ${err}`);
  return JSON.parse(out) as T;
}

interface Receiver {
  readonly id: string;
  readonly accountId: number;
  readonly state: string;
  readonly queued: number;
  readonly notices: readonly { readonly kind: string }[];
}
interface Logged {
  readonly id: number;
  readonly result: string;
  readonly purpose: string;
}
interface Replay {
  readonly total: number;
  readonly delivered: number;
  readonly finishedAt: string | null;
}
const receiver = async () => (await json<Receiver[]>("webhook", "list", "--account", account()))[0]?.id ?? "";
const account = () => String(stand.account.accountId);
const texts = (posts: readonly Post[]) => posts.flatMap(({ items }) => items.map(({ text }) => text));
const say = (text: string) => channel.bot.write(channel.people[0] ?? "", text);
const untilTaken = (text: string) =>
  stand.receiver.until(() => stand.receiver.taken().some((item) => item.text === text));

test("a receiver is paused and resumed, and gets the kept events", async () => {
  const id = await receiver();
  expect(await json<Receiver>("webhook", "pause", id)).toMatchObject({ id, state: "paused" });
  await say("kept");
  await vi.waitUntil(async () => (await json<Receiver>("webhook", "show", id)).queued === 1);
  expect(texts(stand.receiver.posts)).not.toContain("kept");
  await json("webhook", "resume", id);
  await untilTaken("kept");
  const shown = await json<Receiver>("webhook", "show", id);
  expect(shown).toMatchObject({ state: "active", accountId: stand.account.accountId });
  expect(shown.notices.map(({ kind }) => kind)).toEqual(["resumed", "paused"]);
  const { out } = await run("webhook", "show", id);
  expect(out).toContain("Paused by an operator");
});

test("requests are listed and replayed, single ones or those of a period", async () => {
  const id = await receiver();
  const from = new Date(Date.now() - 60_000).toISOString();
  await say("again");
  await untilTaken("again");
  await vi.waitUntil(async () => (await waitingEvents(stand.db, stand.account.accountId)) === 0);
  const log = await json<Logged[]>("webhook", "log", id, "--result", "delivered", "--kind", "messages");
  const [newest] = log;
  const one = await json<Replay>("replay", "--account", account(), "--delivery", String(newest?.id));
  expect(one).toMatchObject({ total: 1, delivered: 1 });
  const marked = stand.receiver.posts.filter(({ headers }) => headers["webhook-replay"] === "true");
  expect(texts(marked)).toEqual(["again"]);
  const all = await json<Replay>("replay", "--account", account(), "--from", from);
  expect(all.total).toBeGreaterThanOrEqual(2);
  expect(all.delivered).toBe(all.total);
  const [latest] = await json<Logged[]>("webhook", "log", id, "--limit", "1");
  expect(latest?.purpose).toBe("replay");
});

test("a test shows the receiver's response to each kind", async () => {
  const id = await receiver();
  const results = await json<{ kind: string; ok: boolean }[]>("webhook", "test", id);
  expect(results.filter(({ ok }) => ok).map(({ kind }) => kind)).toContain("messages");
  stand.receiver.respond = (_, response) => response.writeHead(500).end();
  expect(await run("webhook", "test", id)).toMatchObject({ status: 1, out: expect.stringContaining("500") });
  stand.receiver.respond = null;
});

test("the secret is shown and changed, with signatures of both for a while", async () => {
  const id = await receiver();
  const first = await json<{ secret: string }>("webhook", "secret", id);
  const second = await json<{ secret: string }>("webhook", "secret", id, "--rotate", "1");
  expect(second.secret).not.toBe(first.secret);
  await say("signed");
  await untilTaken("signed");
  const post = stand.receiver.posts.findLast((each) => texts([each]).includes("signed"));
  const signed = `${post?.headers["webhook-id"]}.${post?.headers["webhook-timestamp"]}.${post?.body}`;
  const by = ({ secret }: { secret: string }) =>
    `v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
      .update(signed)
      .digest("base64")}`;
  expect(post?.headers["webhook-signature"]).toBe(`${by(second)} ${by(first)}`);
});

test("invalid requests are explained", async () => {
  const unknown = "0197a1b2-0000-4000-8000-000000000000";
  expect(await run("webhook", "show", unknown)).toMatchObject({
    status: 1,
    err: expect.stringMatching(/no receiver/),
  });
  expect(await run("replay", "--account", account())).toMatchObject({
    status: 2,
    err: expect.stringMatching(/one of --delivery, --from and --parked/),
  });
  for (const [refusal = "", ...options] of [
    ["Only --from can be combined with --kind", "--parked", "--kind", "messages"],
    ["Only --from can be combined with --to", "--delivery", "1", "--to", "2030-01-01"],
    ["--event requires --parked", "--from", "2030-01-01", "--event", "1"],
  ])
    expect(await run("replay", "--account", account(), ...options)).toMatchObject({
      status: 2,
      err: expect.stringContaining(refusal),
    });
  expect((await run("webhook", "parked", await receiver())).out).toBe("Nothing is parked\n");
});

interface Refused {
  readonly id: number;
  readonly reason: string;
  readonly transport: string;
}

/** Like a transport that stored a payload which it could not parse in an earlier version. */
async function refuse(payload: object): Promise<number> {
  const [row] = await stand.db.query<{ id: number }>(
    `insert into inbound_dead_letters (account_id, channel_id, digest, stage, payload, reason)
     values ($1, $2, sha256(convert_to('payload ' || $3, 'UTF8')), 'payload', $3, 'for the test') returning id`,
    [stand.account.accountId, channel.id, JSON.stringify(payload)],
  );
  return row?.id ?? 0;
}

test("a messenger's refused report is shown, replayed and removed", async () => {
  const chat = { id: 4_711, type: "private", first_name: "Late" };
  const good = { update_id: 1, message: { message_id: 1, date: 1_790_000_000, chat, text: "replayed" } };
  const [readable, unreadable] = [await refuse(good), await refuse({ update_id: 2, message: { date: 1 } })];
  expect(await json<Refused[]>("inbound", "refused", "--account", account())).toMatchObject([
    { id: unreadable, transport: "telegram" },
    { id: readable, reason: "for the test" },
  ]);
  expect(await json<object>("inbound", "show", String(readable))).toEqual(good);
  const replayed = await run("inbound", "replay", "--channel", channel.id);
  expect(replayed).toMatchObject({
    status: 1,
    out: expect.stringMatching(/^1 of 2 have been stored, 1 were/),
  });
  await untilTaken("replayed");
  const left = await json<Refused[]>("inbound", "refused", "--channel", channel.id);
  expect(left).toMatchObject([{ id: unreadable, reason: expect.stringMatching(/chat id is missing/) }]);
  expect(await json("inbound", "remove", "--id", String(unreadable))).toEqual({ removed: 1 });
  expect((await run("inbound", "refused")).out).toBe("Nothing was refused\n");
  expect(await run("inbound", "replay")).toMatchObject({ status: 2 });
});

test("without a service a replay waits for one", async () => {
  await service.end("SIGTERM");
  const [newest] = await json<Logged[]>("webhook", "log", await receiver(), "--kind", "messages");
  const before = stand.receiver.posts.length;
  const asked = await json<Replay>("replay", "--account", account(), "--delivery", String(newest?.id));
  expect(asked).toMatchObject({ total: 1, delivered: 0, finishedAt: null });
  service = await stand.start();
  await stand.receiver.until((posts) => posts.length > before);
});
