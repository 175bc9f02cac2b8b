import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { listAttention } from "../../../src/core/console/attention.ts";
import { queueDepths } from "../../../src/core/console/queue-depths.ts";
import { replayDeadLetters } from "../../../src/core/dead-letter/actions.ts";
import {
  deadLetterPayload,
  type ListedDeadLetter,
  listDeadLetters,
} from "../../../src/core/dead-letter/list.ts";
import { callbackLink } from "../../../src/core/inbound/callback/callback-link.ts";
import { loadFacts } from "../../../src/core/message/load-facts.ts";
import type { ChannelLink, Session } from "../../../src/core/transport/connector.ts";
import type { InboundMessage, TransportEvent } from "../../../src/core/transport/events.ts";
import type { RegisteredTransport } from "../../../src/core/transport/registry.ts";
import { DeadLetterReplayer } from "../../../src/work/dead-letter-replayer.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;
let accountId: number;
let channelId: string;
let link: ChannelLink;

const FILE_QUOTA = 1_000_000;

beforeAll(async () => {
  node = await startNode({ quotas: { fileBytes: FILE_QUOTA } });
});
beforeEach(async () => {
  const account = await addAccount(node.db);
  accountId = account.id;
  channelId = await addChannel(node, account, {
    transport: "telegram",
    credentials: { telegram_token: "hush" },
  });
  link = linkOf(channelId, await credentialsOf(channelId));
});
afterAll(() => node.stop());

async function credentialsOf(id: string): Promise<Buffer> {
  const [row] = await node.db.query<{ credentials: Buffer }>(
    "select credentials from channels where id = $1",
    [id],
  );
  return row?.credentials ?? Buffer.alloc(0);
}

function telegram(): RegisteredTransport {
  const transport = node.core.transports.get("telegram");
  if (transport === undefined) throw new Error("there is no telegram");
  return transport;
}

function linkOf(id: string, credentials: Buffer): ChannelLink {
  return callbackLink(node.core, telegram(), { account_id: accountId, id, epoch: 0, credentials });
}

const letters = (): Promise<ListedDeadLetter[]> => listDeadLetters(node.db, { channelId }, 100);

function message(externalId: string, more: Partial<InboundMessage> = {}): TransportEvent {
  const base = { chatType: "telegram", chatId: "7", externalId, direction: "in" } as const;
  const about = { sentAt: new Date("2026-01-02T03:04:05Z"), contact: { name: "Ann" } };
  return {
    kind: "message",
    message: { ...base, ...about, body: { type: "text", text: externalId }, ...more },
  };
}

async function stored(): Promise<string[]> {
  const rows = await node.db.query<{ external_id: string }>(
    "select external_id from messages where account_id = $1 order by id",
    [accountId],
  );
  return rows.map(({ external_id }) => external_id);
}

test("a channel whose messenger hangs does not delay the letters of another", async () => {
  const account = await addAccount(node.db);
  const otherId = await addChannel(node, account, { transport: "telegram" });
  const other = linkOf(otherId, await credentialsOf(otherId));
  await link.deadLetter({ odd: 1 }, "not known");
  await link.deadLetter({ odd: 2 }, "not known");
  await other.deadLetter({ odd: 3 }, "not known");
  const hung = Promise.withResolvers<void>();
  const taken: string[] = [];
  const sessionOf = (name: string, until: Promise<void>): Session =>
    ({
      async reprocess(payload: object) {
        taken.push(`${name} ${JSON.stringify(payload)}`);
        await until;
      },
    }) as Partial<Session> as Session;
  const replayer = new DeadLetterReplayer({
    core: node.core,
    sessions: {
      open: () => [
        { accountId, transport: telegram(), channelId, link, session: sessionOf("hanging", hung.promise) },
        {
          accountId: account.id,
          transport: telegram(),
          channelId: otherId,
          link: other,
          session: sessionOf("other", Promise.resolve()),
        },
      ],
    },
  });
  for (const id of [channelId, otherId]) await replayDeadLetters(node.db, { channelId: id });
  replayer.start();
  await vi.waitUntil(async () => (await listDeadLetters(node.db, { channelId: otherId }, 1)).length === 0);
  expect(taken.toSorted()).toEqual(['hanging {"odd":1}', 'other {"odd":3}']);
  hung.resolve();
  await vi.waitUntil(async () => (await letters()).length === 0);
  await replayer.stop();
});

test("an account with many hanging channels does not delay the letters of another", async () => {
  const hung = Promise.withResolvers<void>();
  const busy: string[] = [];
  const owner = await addAccount(node.db);
  const hanging = await Promise.all(
    Array.from({ length: 20 }, () => addChannel(node, owner, { transport: "telegram" })),
  );
  const opened = await Promise.all(
    [...hanging.map((id) => [owner.id, id] as const), [accountId, channelId] as const].map(
      async ([account, id]) => ({
        accountId: account,
        transport: telegram(),
        channelId: id,
        link: linkOf(id, await credentialsOf(id)),
        session: {
          async reprocess() {
            if (account === accountId) return;
            busy.push(id);
            await hung.promise;
          },
        } as Partial<Session> as Session,
      }),
    ),
  );
  for (const { channelId: id, link: of } of opened) {
    await of.deadLetter({ odd: id }, "not known");
    await replayDeadLetters(node.db, { channelId: id });
  }
  const replayer = new DeadLetterReplayer({ core: node.core, sessions: { open: () => opened } });
  replayer.start();
  await vi.waitUntil(async () => (await letters()).length === 0);
  expect(busy.length).toBeLessThan(8);
  hung.resolve();
  await vi.waitUntil(() => busy.length === hanging.length);
  await replayer.stop();
});

/** Runs the replayer over this channel until nothing waits. */
async function replay(session: Pick<Session, "reprocess">): Promise<void> {
  const open = { accountId, transport: telegram(), channelId, link, session: session as Session };
  const replayer = new DeadLetterReplayer({ core: node.core, sessions: { open: () => [open] } });
  await replayDeadLetters(node.db, { channelId });
  replayer.start();
  await vi.waitUntil(async () => (await letters()).every(({ isToReplay }) => !isToReplay), {
    timeout: 20_000,
  });
  await replayer.stop();
}

test.each([
  ["an id that no index takes", message(randomBytes(4_000).toString("hex"))],
  ["an id with NUL in it", message("a\0b", { chatId: "7\0" })],
  ["a date that is none", message("odd", { sentAt: new Date(Number.NaN) })],
  ["a name that is no text", message("odd", { contact: { name: 7 as never } })],
  ["a text that is null", message("odd", { body: { type: "text", text: null as never } })],
  ["a kind that nobody knows", { kind: "wink" } as never],
  [
    "activity in a chat with an invalid id",
    { kind: "activity", chatType: "telegram", chatId: "\0", at: new Date() },
  ],
] as const)("an event that cannot be stored is kept, and delays no other: %s", async (_, event) => {
  await Promise.all([link.emit(message("before")), link.emit(event), link.emit(message("after"))]);
  expect((await stored()).toSorted()).toEqual(["after", "before"]);
  expect(await letters()).toMatchObject([{ stage: "event", transport: "telegram", times: 1, accountId }]);
});

test("a payload that cannot be parsed is kept once, however often it arrives", async () => {
  const payload = { update_id: 1, text: "a\0b\ud800" };
  await link.deadLetter(payload, "no person");
  await Promise.all([1, 2].map(() => link.deadLetter(payload, "no chat")));
  const [letter, ...others] = await letters();
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ stage: "payload", reason: "no chat", isToReplay: false });
  expect(JSON.parse((await deadLetterPayload(node.db, letter?.id ?? 0)) ?? "")).toEqual(payload);
});

test("a replay stores what can be parsed by now, and keeps the rest with its new reason", async () => {
  await link.deadLetter({ good: "one" }, "unreadable");
  await link.deadLetter({ bad: 1 }, "unreadable");
  await link.deadLetter({ worse: 1 }, "unreadable");
  await replay({
    async reprocess(payload) {
      const { good, bad } = payload as { good?: string; bad?: number };
      if (good !== undefined) return link.emit(message(good));
      if (bad !== undefined) return link.deadLetter(payload, "still unreadable");
      throw new Error("it makes no sense");
    },
  });
  expect(await stored()).toEqual(["one"]);
  const left = (await letters()).map(({ reason, times }) => ({ reason, times }));
  expect(left).toEqual(
    expect.arrayContaining([
      { reason: "still unreadable", times: 2 },
      { reason: "it makes no sense", times: 2 },
    ]),
  );
  expect(left).toHaveLength(2);
});

test("a refused event is stored by a replay once the tables accept it", async () => {
  await node.db.query("alter table messages add constraint refuse_for_a_test check (external_id <> 'later')");
  await link.emit(message("later"));
  await node.db.query("alter table messages drop constraint refuse_for_a_test");
  expect(await stored()).toEqual([]);
  await replay({});
  expect(await stored()).toEqual(["later"]);
  expect(await letters()).toEqual([]);
  const [row] = await node.db.query<{ sent_at: Date }>("select sent_at from messages where account_id = $1", [
    accountId,
  ]);
  expect(row?.sent_at).toEqual(new Date("2026-01-02T03:04:05Z"));
});

test("a channel keeps its newest thousand", async () => {
  await Promise.all(Array.from({ length: 1_020 }, (_, index) => link.deadLetter({ index }, "no")));
  const [row] = await node.db.query<{ count: number }>(
    "select count(*)::int as count from inbound_dead_letters where channel_id = $1",
    [channelId],
  );
  expect(row?.count).toBe(1_000);
});

test("a group without a title keeps the known one, and before that is published under its id", async () => {
  const group = { chatType: "telegroup", chatId: "-100" } as const;
  const name = async (): Promise<string | undefined> => {
    const rows = await node.db.query<{ id: string }>(
      "select id from messages where account_id = $1 order by sent_at desc, external_id desc limit 1",
      [accountId],
    );
    const facts = await loadFacts(node.db, "", [{ accountId, id: rows[0]?.id ?? "" }]);
    return facts[0]?.contact.name;
  };
  await link.emit(message("1", { ...group, contact: { name: "" } }));
  expect(await name()).toBe("-100");
  await link.emit(message("2", { ...group, contact: { name: "Team" } }));
  await link.emit(message("3", { ...group, contact: { name: "" } }));
  expect(await name()).toBe("Team");
});

test("of what no connector knows, a channel keeps one sample of each kind, which is no alarm and is not replayed", async () => {
  const attention = await queueDepths(node.db);
  await link.reportUnknown("changes.mentions", { text: "first" });
  await link.reportUnknown("changes.mentions", { text: "second" });
  await link.reportUnknown("stand by!", { bytes: 12n, raw: new Uint8Array(3) });
  const kept = await letters();
  expect(kept.map(({ stage, reason, times }) => [stage, reason, times]).toSorted()).toEqual([
    ["unknown", "changes.mentions", 1],
    ["unknown", "stand_by_", 1],
  ]);
  const payloads = await Promise.all(kept.map(({ id }) => deadLetterPayload(node.db, id)));
  expect(payloads.toSorted()).toEqual(['{"bytes":"12","raw":"3 bytes"}', '{"text":"first"}']);
  expect(await replayDeadLetters(node.db, { channelId })).toEqual([]);
  await node.core.unknownReports.close();
  expect((await letters()).map(({ times }) => times).toSorted()).toEqual([1, 2]);
  expect(await queueDepths(node.db)).toEqual(attention);
  expect(await listAttention(node.db, accountId)).toEqual([]);
});

/** What of a person's text is stored as text, in bytes, and the files beside it. */
async function kept(): Promise<
  (readonly [externalId: string, type: string, what: string | number | null])[]
> {
  const rows = await node.db.query<{ external_id: string; type: string; bytes: number; key: string | null }>(
    `select m.external_id, m.type, octet_length(m.text) as bytes, f.key
     from messages m left join files f on f.account_id = m.account_id and f.id = m.file_id
     where m.account_id = $1 order by m.created_at, m.id`,
    [accountId],
  );
  return Promise.all(
    rows.map(async ({ external_id: externalId, type, bytes, key }) => {
      if (key === null) return [externalId, type, bytes] as const;
      const answer = await fetch(`${node.url}/files/${key}`);
      return [externalId, `${type} ${answer.headers.get("content-type")}`, await answer.text()] as const;
    }),
  );
}

const LONG = `${"ж".repeat(150_000)} the end`;
const CUT = 64 * 1024 - 1;

test("the whole of a long text is a file in an item of its own", async () => {
  const event = message("a", { body: { type: "text", text: LONG } });
  await link.emit(event);
  await link.emit(event);
  const file = "document text/plain; charset=utf-8";
  expect(await kept()).toEqual([
    ["a", "text", CUT],
    ["a#text", file, LONG],
  ]);
  const at = new Date("2026-01-02T03:05:00Z");
  const ref = { chatType: "telegram", chatId: "7", externalId: "a" } as const;
  const edited = `${LONG}, edited`;
  await link.emit({ kind: "edited", ref, at, body: { type: "text", text: edited } });
  expect((await kept()).slice(2)).toEqual([[`a#text${at.getTime()}`, file, edited]]);
  await link.emit({ kind: "deleted", ref, at });
  expect(await deletedIds()).toEqual(["a", "a#text", `a#text${at.getTime()}`]);
  const [used] = await node.db.query<{ file_bytes: number }>(
    "select file_bytes from account_usage where account_id = $1",
    [accountId],
  );
  expect(used?.file_bytes).toBe(Buffer.byteLength(LONG) + Buffer.byteLength(edited));
  expect(await letters()).toEqual([]);
});

async function deletedIds(): Promise<string[]> {
  const rows = await node.db.query<{ external_id: string }>(
    `select external_id from messages where account_id = $1 and deleted_at is not null order by external_id collate "C"`,
    [accountId],
  );
  return rows.map(({ external_id: id }) => id);
}

test("the whole of a long text that was deleted before it arrived is deleted, and no other", async () => {
  const at = new Date("2026-01-02T03:05:00Z");
  await link.emit({ kind: "deleted", ref: { chatType: "telegram", chatId: "7", externalId: "a" }, at });
  for (const id of ["a0", "a", "a1"]) await link.emit(message(id, { body: { type: "text", text: LONG } }));
  expect(await deletedIds()).toEqual(["a", "a#text"]);
  expect(await letters()).toEqual([]);
});

test("a long text without room for its file is kept as a dead letter, and complete after the replay", async () => {
  const event = message("b", { body: { type: "text", text: LONG } });
  const setUsed = (bytes: number) =>
    node.db.query(
      `insert into account_usage (account_id, file_bytes) values ($1, $2)
       on conflict (account_id) do update set file_bytes = excluded.file_bytes`,
      [accountId, bytes],
    );
  for (const used of [FILE_QUOTA, FILE_QUOTA - 1_000]) {
    await setUsed(used);
    await link.emit(event);
    expect(await kept()).toEqual([["b", "text", CUT]]);
    expect(await letters()).toMatchObject([
      { stage: "event", reason: expect.stringMatching(/quota of files/) },
    ]);
  }
  const files = await node.db.query("select 1 from files where account_id = $1", [accountId]);
  expect(files).toEqual([]);
  await setUsed(0);
  await link.emit(event);
  expect((await kept()).at(1)).toEqual(["b#text", "document text/plain; charset=utf-8", LONG]);
  const before = await letters();
  await setUsed(FILE_QUOTA);
  await link.emit(event);
  expect(await letters()).toEqual(before);
});

test("ids that no index takes are refused", async () => {
  await link.emit(message("i".repeat(3_000)));
  expect(await letters()).toMatchObject([{ stage: "event", reason: expect.stringMatching(/externalId/) }]);
  expect(await kept()).toEqual([]);
});
