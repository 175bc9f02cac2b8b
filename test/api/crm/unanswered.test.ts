import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAcceptQueue } from "../../../src/core/message/accept.ts";
import { recordReports } from "../../../src/core/message/record.ts";
import type { Report } from "../../../src/core/message/report.ts";
import { sendMessage } from "../../../src/core/message/send.ts";
import { call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const DAY_MS = 86_400_000;

let node: TestNode;
let account: TestAccount;
let channel: string;
let written = 0;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  account = await addAccount(node.db);
  channel = await addChannel(node, account, { transport: "telegram" });
  await load("users", [
    { id: "ann", name: "Ann" },
    { id: "bob", name: "Bob" },
  ]);
});

async function load(kind: string, body: unknown): Promise<void> {
  const answer = await call(node, "POST", `/v3/${kind}`, { token: account.api, body });
  expect(outcome(answer)).toBe("200");
}

interface Written {
  readonly direction?: "in" | "echo";
  readonly externalId?: string;
  readonly sentAt?: Date;
  readonly isSystem?: true;
  readonly isHistory?: true;
  readonly contact?: { readonly name: string; readonly username?: string; readonly phone?: string };
}

/** A message as the messenger reports it. */
function message(chatId: string, more: Written = {}): Report {
  const event = {
    chatType: "telegram" as const,
    chatId,
    externalId: `m${++written}`,
    direction: "in" as const,
    sentAt: new Date(),
    contact: { name: "Client" },
    body: { type: "text" as const, text: "Hello" },
    ...more,
  };
  return { accountId: account.id, channelId: channel, event: { kind: "message", message: event } };
}

const report = async (...reports: Report[]): Promise<void> => void (await recordReports(node.core, reports));
const reply = (chatId: string, more: object = {}) =>
  call(node, "POST", "/v2/messages", {
    token: account.access,
    body: { channel_id: channel, recipient: { chat_type: "telegram", chat_id: chatId }, text: "Hi", ...more },
  });

interface Counter {
  readonly counterV2: number;
  readonly type: string | null;
  readonly lastMsgDateTime: string | null;
}

async function counter(user = "ann"): Promise<Counter> {
  const answer = await call(node, "GET", `/v3/unanswered/${user}`, { token: account.api });
  expect(answer.status).toBe(200);
  return answer.json as Counter;
}
async function count(user = "ann"): Promise<string> {
  const { counterV2, type } = await counter(user);
  return `${counterV2} ${type}`;
}

const switchOn = (user: string) =>
  node.db.query("update crm_users set gets_new_clients = true where account_id = $1 and id = $2", [
    account.id,
    user,
  ]);
const contact = (id: string, responsibleUserId: string, chat: object) => ({
  id,
  responsibleUserId,
  name: id,
  contactData: [{ chatType: "telegram", ...chat }],
});

describe("responsible employees", () => {
  test("without any there is nothing to show", async () => {
    expect(await counter()).toEqual({ counterV2: 0, type: null, lastMsgDateTime: null });
  });

  test("a new client counts for employees who get new clients, and is grey for the others", async () => {
    await switchOn("bob");
    const sentAt = new Date(Date.now() - 5_000);
    await report(message("1", { sentAt: new Date(Date.now() - 9_000) }), message("1", { sentAt }));
    expect(await counter("bob")).toEqual({
      counterV2: 2,
      type: "red",
      lastMsgDateTime: sentAt.toISOString(),
    });
    expect(await counter("ann")).toEqual({
      counterV2: 2,
      type: "grey",
      lastMsgDateTime: sentAt.toISOString(),
    });
  });

  test("a contact's messages count for the responsible employee, however the chat is identified", async () => {
    await switchOn("bob");
    await load("contacts", [
      contact("by-id", "ann", { chatId: "1" }),
      contact("by-username", "ann", { username: "Second" }),
      contact("by-phone", "ann", { phone: "79990" }),
      contact("twice", "ann", { chatId: "1", username: "second", phone: "79990" }),
      { ...contact("other-type", "ann", {}), contactData: [{ chatType: "vk", chatId: "4" }] },
    ]);
    await report(
      message("1"),
      message("2", { contact: { name: "", username: "second" } }),
      message("3", { contact: { name: "", phone: "79990" } }),
      message("4", { contact: { name: "", username: "third", phone: "7998" } }),
    );
    expect([await count("ann"), await count("bob")]).toEqual(["3 red", "1 red"]);
  });

  test("a contact with a chat id is not found by its username", async () => {
    await load("contacts", [contact("c", "ann", { chatId: "1", username: "same" })]);
    await report(message("2", { contact: { name: "", username: "same" } }));
    expect(await count("ann")).toBe("1 grey");
  });

  test("open deals count as well, closed ones do not", async () => {
    await load("contacts", [contact("c", "bob", { chatId: "1" })]);
    await report(message("1"));
    const deal = { id: "d", responsibleUserId: "ann", name: "", contacts: ["x", "c"], closed: false };
    await load("deals", [deal]);
    expect([await count("ann"), await count("bob")]).toEqual(["1 red", "1 red"]);
    await load("deals", [{ ...deal, closed: true }]);
    expect([await count("ann"), await count("bob")]).toEqual(["1 grey", "1 red"]);
  });

  test("a client of an unknown employee is unassigned", async () => {
    await switchOn("ann");
    await load("contacts", [contact("c", "gone", { chatId: "1" })]);
    await report(message("1"));
    expect([await count("ann"), await count("bob")]).toEqual(["1 red", "1 grey"]);
  });

  test("another account's messages do not count, and its employees are missing", async () => {
    const ours = account;
    account = await addAccount(node.db);
    channel = await addChannel(node, account, { transport: "telegram" });
    await load("users", [{ id: "zoe", name: "Zoe" }]);
    await report(message("1"));
    expect(await count("zoe")).toBe("1 grey");
    account = ours;
    expect(await count("ann")).toBe("0 null");
    for (const id of ["zoe", "nobody", "%00"]) {
      const v3 = await call(node, "GET", `/v3/unanswered/${id}`, { token: account.api });
      const v2 = await call(node, "GET", `/v2/counters/unanswered/${id}`, { token: account.access });
      expect([outcome(v3), outcome(v2)]).toEqual(["404 USER_NOT_FOUND", "404 USER_NOT_FOUND"]);
    }
  });
});

describe("counted messages", () => {
  test("none of the messenger's own notices, nor imported ones", async () => {
    await report(message("1", { isSystem: true }), message("2", { isHistory: true }));
    expect(await count()).toBe("0 null");
    await report(message("1"));
    expect(await count()).toBe("1 grey");
    const chats = await node.db.query(
      "select chat_id, last_inbound_at is not null as wrote from chats where account_id = $1 order by 1",
      [account.id],
    );
    expect(chats).toEqual([
      { chat_id: "1", wrote: true },
      { chat_id: "2", wrote: true },
    ]);
    await report(message("3", { isSystem: true }));
    const wrote = await node.db.query(
      "select 1 from chats where account_id = $1 and chat_id = '3' and last_inbound_at is not null",
      [account.id],
    );
    expect(wrote).toEqual([]);
  });

  test("each message once, however often it is reported", async () => {
    const first = message("1");
    await report(first, first, message("1"));
    await report(first);
    expect(await count()).toBe("2 grey");
  });

  test("an echo answers earlier messages, in its chat only", async () => {
    await report(message("1"), message("2"), message("1"), message("1", { direction: "echo" }), message("1"));
    expect(await count()).toBe("2 grey");
    await report(message("2", { direction: "echo" }));
    expect(await count()).toBe("1 grey");
    const echo = message("1", { direction: "echo" });
    await report(echo, message("1"));
    expect(await count()).toBe("1 grey");
    await report(echo);
    expect(await count()).toBe("1 grey");
  });

  test("only messages of the last 7 days", async () => {
    const sent = (ageMs: number) => ({ sentAt: new Date(Date.now() - ageMs) });
    await report(
      message("1", sent(7 * DAY_MS + 60_000)),
      message("1", sent(7 * DAY_MS - 60_000)),
      message("2"),
    );
    expect(await count()).toBe("2 grey");
    await node.db.query("update unanswered set at = at - interval '2 minutes' where account_id = $1", [
      account.id,
    ]);
    expect(await count()).toBe("1 grey");
  });

  test("a messenger's clock that is ahead does not keep a message longer", async () => {
    await report(message("1", { sentAt: new Date(Date.now() + DAY_MS) }));
    expect(Date.parse((await counter()).lastMsgDateTime ?? "")).toBeLessThanOrEqual(Date.now());
  });
});

describe("answers", () => {
  beforeEach(() => report(message("1"), message("1"), message("2")));

  test("our own message, in its chat", async () => {
    expect((await reply("1")).status).toBe(200);
    expect(await count()).toBe("1 grey");
    expect((await reply("2", { reset_unanswered: null })).status).toBe(200);
    expect(await count()).toBe("0 null");
  });

  test("one with reset_unanswered false does not", async () => {
    await reply("1", { reset_unanswered: false });
    expect(await count()).toBe("3 grey");
    await Promise.all([reply("1", { reset_unanswered: false }), reply("1", { reset_unanswered: true })]);
    expect(await count()).toBe("1 grey");
  });

  test("a refused one does not", async () => {
    expect((await reply("1", { text: "" })).status).toBe(400);
    expect(await count()).toBe("3 grey");
  });

  test("a repeated acceptance does not answer messages in between", async () => {
    const request = {
      channelId: channel,
      recipient: { chatType: "telegram", chatId: "1" },
      text: "Hi",
    };
    const operationId = "00000000-0000-4000-8000-000000000001";
    const send = () => sendMessage(node.core, { accountId: account.id }, request, operationId);
    await send();
    await report(message("1"));
    await send();
    expect(await count()).toBe("2 grey");
  });

  test("DELETE /v2/chats/unanswered, for the whole account and no other", async () => {
    const ours = { account, channel };
    account = await addAccount(node.db);
    channel = await addChannel(node, account, { transport: "telegram" });
    await load("users", [{ id: "ann", name: "Ann" }]);
    await report(message("1"));
    const theirs = account;
    ({ account, channel } = ours);
    const cleared = await call(node, "DELETE", "/v2/chats/unanswered", { token: account.access, raw: "[]" });
    expect(cleared.json).toEqual({
      data: { account_id: String(account.id), cleared: true },
      meta: { timestamp: expect.any(Number) },
    });
    expect(await count()).toBe("0 null");
    account = theirs;
    expect(await count()).toBe("1 grey");
  });

  test("the removal of the channel", async () => {
    const other = await addChannel(node, account, { transport: "telegram" });
    const kept = message("1");
    await report({ ...kept, channelId: other });
    await call(node, "DELETE", `/v2/channels/${channel}`, { token: account.access });
    expect(await count()).toBe("1 grey");
  });
});

test("v2 shows the same counter", async () => {
  const v2 = () => call(node, "GET", "/v2/counters/unanswered/ann", { token: account.access });
  expect((await v2()).json).toEqual({
    data: { counter: 0, type: null },
    meta: { timestamp: expect.any(Number) },
  });
  await report(message("1"), message("1"));
  expect((await v2()).json).toMatchObject({ data: { counter: 2, type: "grey" } });
});

test("for any sequence of batches, the count is that of the messages after the last answer", async () => {
  const chat = fc.constantFrom("1", "2", "3");
  const reported = fc.array(fc.tuple(chat, fc.constantFrom<"in" | "echo">("in", "in", "echo")), {
    minLength: 1,
    maxLength: 12,
  });
  const replied = fc.tuple(chat, fc.boolean());
  const steps = fc.array(fc.oneof(reported, replied), { maxLength: 6 });
  await fc.assert(
    fc
      .asyncProperty(steps, async (run) => {
        const waiting = new Map<string, number>();
        for (const step of run) {
          if (isReply(step)) {
            await reply(step[0], { reset_unanswered: step[1] });
            if (step[1]) waiting.delete(step[0]);
            continue;
          }
          await report(...step.map(([chatId, direction]) => message(chatId, { direction })));
          for (const [chatId, direction] of step) {
            if (direction === "echo") waiting.delete(chatId);
            else waiting.set(chatId, (waiting.get(chatId) ?? 0) + 1);
          }
        }
        const expected = [...waiting.values()].reduce((sum, each) => sum + each, 0);
        expect((await counter()).counterV2).toBe(expected);
      })
      .afterEach(() => call(node, "DELETE", "/v2/chats/unanswered", { token: account.access })),
    { numRuns: 40 },
  );
});

type Batch = readonly (readonly [chatId: string, direction: "in" | "echo"])[];
type Reply = readonly [chatId: string, resets: boolean];

function isReply(step: Batch | Reply): step is Reply {
  return typeof step[1] === "boolean";
}

test("counting is exact while nodes store and answer at the same time", async () => {
  const second = createAcceptQueue(node.db, () => undefined);
  const answer = (accept: typeof second, chatIds: readonly string[]) =>
    Promise.all(
      chatIds.map((chatId) =>
        sendMessage(
          { ...node.core, accept },
          { accountId: account.id },
          { channelId: channel, recipient: { chatType: "telegram", chatId }, text: "Hi" },
          null,
        ),
      ),
    );
  const reportAll = (chatIds: readonly string[], more: Written = {}) =>
    report(...chatIds.map((chatId) => message(chatId, more)));
  const everyAnswer = (chatIds: readonly string[]) => [
    answer(node.core.accept, chatIds),
    answer(second, chatIds.toReversed()),
    reportAll(chatIds, { direction: "echo" }),
    reportAll(chatIds.toReversed(), { direction: "echo" }),
  ];
  const chats = Array.from({ length: 20 }, (_, index) => `${index}`);

  await Promise.all(Array.from({ length: 10 }, () => reportAll(chats)));
  expect(await count()).toBe("200 grey");
  await Promise.all([
    ...everyAnswer(chats.slice(0, 10)),
    ...Array.from({ length: 8 }, () => reportAll(chats.slice(10))),
  ]);
  expect(await count()).toBe("180 grey");
  await Promise.all(everyAnswer(chats));
  expect(await count()).toBe("0 null");
  await second.close();
});
