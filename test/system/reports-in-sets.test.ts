import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Core } from "../../src/core/core.ts";
import { recordReports } from "../../src/core/message/record.ts";
import type { Report } from "../../src/core/message/report.ts";
import type { Queryable } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../api/kit/service.ts";
import { addReceiver } from "../kit/cursors.ts";

/** Messengers' reports are stored in sets: with the same result as one by one, but with few statements. */

let node: TestNode;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

const CHATS = 3;
const MESSAGES_PER_CHAT = 3;
const AT = new Date("2026-03-01T12:00:00Z");

/** A channel with chats in which some of our messages were sent, and a receiver of all events. */
interface Setting {
  readonly account: TestAccount;
  readonly channelId: string;
}

async function newSetting(): Promise<Setting> {
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "telegram" });
  await addReceiver(node.db, account.id, ["statuses", "messages"], "v3");
  for (let chat = 0; chat < CHATS; chat++) {
    const id = newId();
    await node.db.query(
      `insert into chats (account_id, id, channel_id, chat_type, chat_id) values ($1, $2, $3, 'telegram', $4)`,
      [account.id, id, channelId, String(chat)],
    );
    await node.db.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, external_id, sent_at)
       select $1, gen_random_uuid(), $2, $3, 'out', 'text', 'sent', n::text, n::text, now() - interval '1 hour' + n * interval '1 second'
       from generate_series(0, $4::int) n`,
      [account.id, channelId, id, MESSAGES_PER_CHAT - 1],
    );
  }
  return { account, channelId };
}

type Told =
  | {
      readonly kind: "receipt";
      readonly status: "delivered" | "read";
      readonly chat: number;
      readonly message: number;
    }
  | { readonly kind: "failed" | "readUpTo" | "message"; readonly chat: number; readonly message: number };

function reportOf({ account, channelId }: Setting, told: Told, place: number): Report {
  const chat = { chatType: "telegram", chatId: String(told.chat) } as const;
  const ref = { ...chat, externalId: String(told.message) };
  const of = { accountId: account.id, channelId };
  switch (told.kind) {
    case "receipt":
      return { ...of, event: { kind: "receipt", ref, status: told.status, at: AT } };
    case "failed":
      return {
        ...of,
        event: { kind: "failed", ref, error: { code: "SPAM", description: `${place}` } },
      } as Report;
    case "readUpTo":
      return {
        ...of,
        event: { kind: "readUpTo", ...chat, upTo: { externalId: String(told.message) }, at: AT },
      };
    case "message": {
      const message = {
        ...chat,
        externalId: `in ${place}`,
        direction: "in",
        contact: { name: "Customer" },
        body: { type: "text", text: `written ${place}` },
        sentAt: AT,
      } as const;
      return { ...of, event: { kind: "message", message } };
    }
  }
}

/** The stored and published data, without values that differ between runs. */
async function resultOf({ account }: Setting): Promise<unknown> {
  const messages = await node.db.query(
    `select c.chat_id, m.external_id, m.status, m.delivered_at is not null as delivered, m.error
     from messages m join chats c on c.account_id = m.account_id and c.id = m.chat
     where m.account_id = $1 order by c.chat_id, m.external_id`,
    [account.id],
  );
  const told = await node.db.query<{ chat_id: string; what: string }>(
    `select c.chat_id, e.kind || ' ' || m.external_id || ' ' || coalesce(e.body::json ->> 'status', '') as what
     from events e join messages m on m.account_id = e.account_id and m.id::text = e.subject
     join chats c on c.account_id = m.account_id and c.id = m.chat
     where e.account_id = $1 order by e.id`,
    [account.id],
  );
  return { messages, told: Object.groupBy(told, ({ chat_id: chat }) => chat) };
}

const place = { chat: fc.nat(CHATS - 1), message: fc.nat(MESSAGES_PER_CHAT - 1) };
const anyTold: fc.Arbitrary<Told> = fc.oneof(
  fc.record({
    kind: fc.constant("receipt" as const),
    status: fc.constantFrom("delivered" as const, "read" as const),
    ...place,
  }),
  fc.record({ kind: fc.constantFrom("failed" as const, "readUpTo" as const, "message" as const), ...place }),
);

test("a batch stores and publishes the same as its reports one by one, whatever it contains", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyTold, { minLength: 1, maxLength: 12 }), async (all) => {
      const [together, single] = [await newSetting(), await newSetting()];
      await recordReports(
        node.core,
        all.map((told, index) => reportOf(together, told, index)),
      );
      for (const [index, told] of all.entries())
        await recordReports(node.core, [reportOf(single, told, index)]);
      expect(await resultOf(together)).toEqual(await resultOf(single));
    }),
    { numRuns: 30 },
  );
}, 120_000);

test("the number of statements does not grow with the number of reports, however their kinds and chats are mixed", async () => {
  const statementsFor = async (count: number): Promise<number> => {
    const setting = await newSetting();
    await node.db.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, external_id, sent_at)
       select account_id, gen_random_uuid(), channel_id, id, 'out', 'text', 'sent', 'x' || n, now()
       from chats, generate_series(1, 200) n where account_id = $1 and chat_id = '0'`,
      [setting.account.id],
    );
    const reports = Array.from({ length: count }, (_, n): Report => {
      // Every fourth comes from an unknown chat.
      if (n % 2 === 1)
        return reportOf(setting, { kind: "message", chat: n % 4 === 1 ? 1 : n, message: 0 }, n);
      const ref = { chatType: "telegram", chatId: "0", externalId: `x${n / 2 + 1}` } as const;
      return {
        accountId: setting.account.id,
        channelId: setting.channelId,
        event: { kind: "receipt", ref, status: "delivered", at: AT },
      };
    });
    const counted = withCount(node.core);
    await recordReports(counted.core, reports);
    const [row] = await node.db.query<{ delivered: number; chats: number }>(
      `select (select count(*)::int from messages where account_id = $1 and status = 'delivered') as delivered,
              (select count(*)::int from chats where account_id = $1) as chats`,
      [setting.account.id],
    );
    expect(row).toEqual({ delivered: count / 2, chats: CHATS + count / 4 });
    return counted.statements();
  };
  const few = await statementsFor(4);
  expect(few).toBeLessThan(12);
  expect(await statementsFor(256)).toBe(few);
});

/** The same core, which counts its statements, in transactions and outside. */
function withCount(core: Core): { readonly core: Core; statements(): number } {
  let statements = 0;
  const count =
    (queryable: Queryable): Queryable["query"] =>
    (statement, values) => {
      statements++;
      return queryable.query(statement, values);
    };
  const { db } = core;
  return {
    core: {
      ...core,
      db: {
        ...db,
        query: count(db),
        tx: (work) => db.tx((tx) => work({ ...tx, query: count(tx) })),
        bulk: (size, work) => db.bulk(size, (tx) => work({ ...tx, query: count(tx) })),
      },
    },
    statements: () => statements,
  };
}
