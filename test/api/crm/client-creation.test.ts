import type { ServerResponse } from "node:http";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { findClient } from "../../../src/core/crm/client.ts";
import { orderDeal } from "../../../src/core/crm/creations.ts";
import { changeCrmSettings, type NewClientRule } from "../../../src/core/crm/settings.ts";
import { switchNewClients } from "../../../src/core/crm/users.ts";
import { publish } from "../../../src/core/event/publish.ts";
import { recordOutcomes, type SendOutcome } from "../../../src/core/message/outcome.ts";
import { recordReports } from "../../../src/core/message/record.ts";
import type { Report } from "../../../src/core/message/report.ts";
import { newId } from "../../../src/platform/ids.ts";
import { answerJson, type Crm, type CrmRequest, type RequestKind, startCrm } from "../../kit/crm.ts";
import { addTrigger, holdTx, startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { waitingEvents } from "../../kit/event-log.ts";
import { type Answer, call } from "../kit/call.ts";
import { answers, startDelivery } from "../kit/delivery.ts";
import { openInbox } from "../kit/inbox.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let database: TestDatabase;
let node: TestNode;
/** Another node of the same installation; it delivers too. */
let other: TestNode;
let stops: (() => Promise<void>)[];
let account: TestAccount;
let scope: { accountId: number };
let channel: string;
let crm: Crm;

beforeAll(async () => {
  database = await startTestDatabase();
  node = await startNode({ database });
  other = await startNode({ database });
  stops = [await startDelivery(node), await startDelivery(other)];
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await node.stop();
  await other.stop();
  await database.stop();
});
beforeEach(async () => {
  account = await addAccount(node.db);
  scope = { accountId: account.id };
  channel = await addChannel(node, account, { transport: "telegram" });
  crm = await startCrm();
});
afterEach(() => crm.receiver.stop());

async function api(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<Answer> {
  const token = path.startsWith("/v3") ? account.api : account.access;
  const answer = await call(node, method, path, { token, body });
  expect([answer.status, answer.text]).toEqual([
    expect.toSatisfy((code: number) => code < 300),
    expect.anything(),
  ]);
  return answer;
}

interface Shop {
  readonly rule?: NewClientRule;
  readonly employees?: readonly string[];
  readonly pipeline?: boolean;
  readonly subscribed?: boolean;
}

/** Everything that is needed for new clients to be asked for, but what is left out. */
async function openShop(shop: Shop = {}): Promise<void> {
  const { rule = "in_turn", employees = ["ann", "bob", "cid"], pipeline = true, subscribed = true } = shop;
  await api(
    "POST",
    "/v3/users",
    ["ann", "bob", "cid"].map((id) => ({ id, name: id })),
  );
  for (const id of employees) await switchNewClients(node.db, scope, { id, getsNewClients: true });
  const stages = [{ id: "s", name: "New" }];
  await api("POST", "/v3/pipelines", [{ id: "p", name: "Sales", ...(pipeline ? { stages } : {}) }]);
  await changeCrmSettings(node.db, scope, { newClients: rule });
  await subscribe(subscribed);
}

const subscribe = (on: boolean, webhooksUri = crm.receiver.url) =>
  api("PATCH", "/v3/webhooks", {
    webhooksUri,
    subscriptions: { messagesAndStatuses: true, contactsAndDealsCreation: on },
  });

let numbers = 0;
interface Written {
  readonly chatType?: "telegram" | "telegroup";
  readonly direction?: "in" | "echo";
  readonly contact?: { readonly name: string; readonly username?: string };
  readonly channelId?: string;
}

/** A message as the messenger reports it. */
function message(chatId: string, { channelId = channel, ...more }: Written = {}): Report {
  const event = {
    chatType: "telegram" as const,
    chatId,
    externalId: `m${++numbers}`,
    direction: "in" as const,
    sentAt: new Date(),
    contact: { name: `Client ${chatId}` },
    body: { type: "text" as const, text: `text ${numbers}` },
    ...more,
  };
  return { accountId: account.id, channelId, event: { kind: "message", message: event } };
}

/** The client writes; resolves when the CRM has the message. */
async function write(chatId: string, more: Written = {}): Promise<void> {
  const written = message(chatId, more);
  await recordReports(node.core, [written]);
  await until(() => isDelivered(written));
}

function isDelivered({ event }: Report): boolean {
  if (event.kind !== "message" || event.message.body.type !== "text") return false;
  const { text } = event.message.body;
  return crm.receiver.taken().some((item) => item.text === text);
}

const until = (condition: () => boolean | Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(condition, { interval: 10 });
const untilAsked = (count: number) => until(() => crm.asked().length >= count);

/** An employee answers, and the messenger takes it or not. */
async function reply(
  chatId: string,
  author: string | null,
  taken = true,
  before: (messageId: string) => Promise<void> = async () => undefined,
): Promise<void> {
  const body = { channel_id: channel, recipient: { chat_type: "telegram", chat_id: chatId }, text: "Hi" };
  await api("POST", "/v2/messages", author === null ? body : { ...body, crm_user_id: author });
  const [job] = await node.db.query<{ id: number; chat: string; message_id: string }>(
    "select id, chat, message_id from send_jobs where account_id = $1",
    [account.id],
  );
  if (job === undefined) throw new Error("nothing is to be sent");
  await before(job.message_id);
  const result: SendOutcome["result"] = taken
    ? { kind: "sent", externalId: `m${++numbers}`, chatId, sentAt: new Date() }
    : { kind: "failed", error: { code: "SPAM", description: "no" } };
  const outcome = { accountId: account.id, channelId: channel, chat: job.chat, messageId: job.message_id };
  await node.db.tx(async (tx) => {
    await publish(tx, await recordOutcomes(node.core, tx, [{ ...outcome, jobId: job.id, result }]));
  });
}

/** Resolves when every request was answered and nothing is left to ask. */
const untilIdle = () => until(async () => (await waitingEvents(node.db, account.id)) === 0);

const listed = async (kind: "contacts" | "deals") =>
  ((await api("GET", `/v3/${kind}`)).json as { data: Record<string, unknown>[] }).data;

const chatOf = async (chatId: string): Promise<string> => {
  const [row] = await node.db.query<{ id: string }>(
    "select id from chats where account_id = $1 and chat_id = $2",
    [account.id, chatId],
  );
  return row?.id ?? "";
};
const contactOf = (id: string, chatId: string, responsibleUserId: string) => ({
  id,
  responsibleUserId,
  name: id,
  contactData: [{ chatType: "telegram", chatId }],
});
const kinds = (): RequestKind[] => crm.asked().map(({ kind }) => kind);
const responsibles = (): string[] => crm.asked().map(({ body }) => body.responsibleUserId);

describe("in rotation", () => {
  test("a new client's first message requests the contact, the response causes the request for the deal; both are stored", async () => {
    await openShop();
    await write("100", { contact: { name: "Zoe" } });
    await untilAsked(2);
    await untilIdle();
    const [contact = {}] = await listed("contacts");
    expect(crm.asked().map(({ kind, body }) => ({ kind, body }))).toEqual([
      {
        kind: "createContact",
        body: {
          responsibleUserId: "ann",
          name: "Zoe",
          contactData: [{ chatType: "telegram", chatId: "100" }],
          source: "auto",
        },
      },
      {
        kind: "createDeal",
        body: { responsibleUserId: "ann", contacts: [contact["id"]], source: "auto" },
      },
    ]);
    expect(await listed("contacts")).toMatchObject([
      { responsibleUserId: "ann", name: "Zoe", contactData: [{ chatType: "telegram", chatId: "100" }] },
    ]);
    expect(await listed("deals")).toMatchObject([
      { responsibleUserId: "ann", contacts: [contact["id"]], closed: false },
    ]);
  });

  test("the request for the deal is announced, as any other event", async () => {
    await openShop();
    const told = [node, other].map(({ core }) => vi.spyOn(core.signals, "notify"));
    onTestFinished(() => told.forEach((spy) => void spy.mockRestore()));
    await write("100");
    await untilAsked(2);
    await until(() =>
      told.some((spy) => spy.mock.calls.some(([, what]) => what === `${account.id} createDeal`)),
    );
  });

  test("a client is requested once, however many messages arrive", async () => {
    await openShop();
    await write("100");
    await untilAsked(2);
    await untilIdle();
    await write("100");
    await write("100", { channelId: await addChannel(node, account, { transport: "telegram" }) });
    await untilIdle();
    expect(kinds()).toEqual(["createContact", "createDeal"]);
  });

  test("each client is assigned to the next employee, and none of the messages counts twice", async () => {
    await openShop();
    for (const chat of ["100", "100", "200", "300", "400"]) await write(chat);
    await untilAsked(8);
    await untilIdle();
    const order = ["ann", "bob", "cid", "ann"];
    for (const kind of ["createContact", "createDeal"])
      expect(
        crm.asked().flatMap((asked) => (asked.kind === kind ? asked.body.responsibleUserId : [])),
      ).toEqual(order);
  });

  test("a person without a name is named by another identifier", async () => {
    await openShop();
    await write("100", { contact: { name: "", username: "zoe" } });
    await write("200", { contact: { name: " " } });
    await untilAsked(4);
    expect(crm.asked().flatMap(({ body }) => body.name ?? [])).toEqual(["zoe", "200"]);
  });

  test("an employee's reply causes no request", async () => {
    await openShop();
    await write("100");
    await untilAsked(2);
    await untilIdle();
    await reply("100", "bob");
    await untilIdle();
    expect(crm.asked()).toHaveLength(2);
  });
});

describe("to the first respondent", () => {
  beforeEach(() => openShop({ rule: "first_respondent" }));

  test.each([
    ["delivered", 1],
    ["failed", 0],
  ] as const)("a report that overtakes the response to the send: %s", async (news, asked) => {
    await write("100");
    await reply("100", "bob", true, async (messageId) => {
      const ref = { chatType: "telegram", chatId: "100", externalId: `m${numbers + 1}`, messageId } as const;
      const at = new Date();
      const error = { code: "SPAM", description: "No" } as const;
      const event =
        news === "failed"
          ? ({ kind: "failed", ref, error, at } as const)
          : ({ kind: "receipt", ref, status: news, at } as const);
      await recordReports(node.core, [{ accountId: account.id, channelId: channel, event }]);
    });
    await untilIdle();
    expect(crm.asked().length > 0 ? 1 : 0).toBe(asked);
  });

  test("the first sent reply of a known employee requests contact and deal", async () => {
    await write("100");
    await reply("100", null);
    await reply("100", "ann", false);
    await untilIdle();
    expect(kinds()).toEqual([]);
    await reply("100", "bob");
    await reply("100", "cid");
    await untilAsked(2);
    await untilIdle();
    expect(kinds()).toEqual(["createContact", "createDeal"]);
    expect(responsibles()).toEqual(["bob", "bob"]);
  });

  test("an employee's id of the greatest length is accepted back in the answers and in uploads", async () => {
    const longest = "e".repeat(255);
    await write("100");
    await reply("100", longest);
    await untilAsked(2);
    await untilIdle();
    expect(responsibles()).toEqual([longest, longest]);
    const contacts = await listed("contacts");
    const deals = await listed("deals");
    expect([...contacts, ...deals]).toMatchObject([
      { responsibleUserId: longest },
      { responsibleUserId: longest },
    ]);
    await api("POST", "/v3/contacts", contacts);
    await api("POST", "/v3/deals", deals);
  });

  test("a message from the phone has no employee", async () => {
    await write("100");
    await write("100", { direction: "echo" });
    await untilIdle();
    expect(kinds()).toEqual([]);
  });

  test("a message to a person who never wrote is not a reply", async () => {
    await reply("100", "bob");
    await untilIdle();
    expect(kinds()).toEqual([]);
  });
});

describe("no request is made", () => {
  test.each<[string, Shop]>([
    ["by the rule", { rule: "nobody" }],
    ["without a funnel that has stages", { pipeline: false }],
    ["without an employee who gets new clients", { employees: [] }],
    ["without the subscription", { subscribed: false }],
  ])("%s", async (_, shop) => {
    await openShop(shop);
    await write("100");
    await untilIdle();
    expect(kinds()).toEqual([]);
    await openShop();
    await write("100");
    await untilAsked(2);
  });

  test("in a group", async () => {
    await openShop();
    await write("-100", { chatType: "telegroup" });
    await untilIdle();
    expect(kinds()).toEqual([]);
  });

  test("if contact and deal exist, even a closed one", async () => {
    await openShop();
    await api("POST", "/v3/contacts", [contactOf("c", "100", "ann")]);
    await api("POST", "/v3/deals", [
      { id: "d", responsibleUserId: "ann", name: "", contacts: ["c"], closed: true },
    ]);
    await write("100");
    await untilIdle();
    expect(kinds()).toEqual([]);
  });
});

test("a contact without a deal gets a deal, of its responsible employee where there is one", async () => {
  await openShop();
  await api("POST", "/v3/contacts", [contactOf("c", "100", "cid"), contactOf("lost", "200", "gone")]);
  await write("100");
  await untilAsked(1);
  await write("200");
  await untilAsked(2);
  await untilIdle();
  expect(crm.asked().map(({ kind, body }) => [kind, body.responsibleUserId, body.contacts])).toEqual([
    ["createDeal", "cid", ["c"]],
    ["createDeal", "ann", ["lost"]],
  ]);
});

describe("a CRM that has the client already", () => {
  test("responds with the client, and the stored card stays complete", async () => {
    await openShop();
    const card = { ...contactOf("old", "999", "cid"), uri: "https://crm.example/old" };
    await api("POST", "/v3/contacts", [card]);
    crm.create = ({ kind, body }) =>
      kind === "createContact" ? { id: "old" } : { ...body, id: "d", name: "" };
    await write("100");
    await untilAsked(2);
    await untilIdle();
    expect(await listed("contacts")).toEqual([
      {
        ...card,
        contactData: [
          { chatType: "telegram", chatId: "999" },
          { chatType: "telegram", chatId: "100" },
        ],
      },
    ]);
    expect(crm.asked()[1]?.body).toMatchObject({ responsibleUserId: "cid", contacts: ["old"] });
    await write("100");
    await untilIdle();
    expect(crm.asked()).toHaveLength(2);
  });

  test("and uploads it while it responds: the upload stays complete", async () => {
    await openShop();
    const answered = Promise.withResolvers<void>();
    crm.create = ({ kind, body }) => {
      if (kind === "createDeal") return { ...body, id: "d", name: "" };
      answered.resolve();
      return { id: "new" };
    };
    const written = write("100");
    await holdTx(node.db, async (tx) => {
      await tx.query(
        `insert into contacts (account_id, id, responsible_user_id, name, uri)
         values ($1, 'new', 'cid', 'Uploaded', 'https://crm.example/new')`,
        [account.id],
      );
      await tx.query(
        `insert into contact_chats (account_id, contact_id, position, chat_type, chat_id)
         values ($1, 'new', 0, 'telegram', '999')`,
        [account.id],
      );
      await answered.promise;
      await vi.waitUntil(
        async () =>
          (
            await node.db.query(
              "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            )
          ).length >= 1,
      );
    });
    await written;
    await untilAsked(2);
    await untilIdle();
    expect(await listed("contacts")).toEqual([
      {
        ...contactOf("new", "999", "cid"),
        name: "Uploaded",
        uri: "https://crm.example/new",
        contactData: [
          { chatType: "telegram", chatId: "999" },
          { chatType: "telegram", chatId: "100" },
        ],
      },
    ]);
  });

  test("gets no request for a deal if that exists too", async () => {
    await openShop();
    await api("POST", "/v3/deals", [
      { id: "d", responsibleUserId: "cid", name: "Old", contacts: ["old"], closed: true },
    ]);
    crm.create = () => ({ id: "old", responsibleUserId: "cid", name: "Old", contactData: [] });
    await write("100");
    await untilAsked(1);
    await untilIdle();
    await write("100");
    await untilIdle();
    expect(kinds()).toEqual(["createContact"]);
  });

  test("may respond with a closed deal of other contacts", async () => {
    await openShop();
    crm.create = ({ kind }) =>
      kind === "createContact"
        ? { id: "c", name: "C" }
        : { id: 5, responsibleUserId: "cid", name: "Old", contacts: [1], closed: true };
    await write("100");
    await untilAsked(2);
    await untilIdle();
    expect(await listed("deals")).toEqual([
      { id: "5", responsibleUserId: "cid", name: "Old", contacts: ["1", "c"], closed: true },
    ]);
    await write("100");
    await untilIdle();
    expect(crm.asked()).toHaveLength(2);
  });
});

describe("a CRM in trouble", () => {
  test.each<[string, (response: ServerResponse) => unknown, limitMs?: number]>([
    ["500", (response) => response.writeHead(500).end("no")],
    ["404", (response) => response.writeHead(404).end()],
    ["a redirect", (response) => response.writeHead(302, { location: "/x" }).end()],
    ["an empty success", (response) => response.writeHead(200).end()],
    ["a page", (response) => response.writeHead(200).end("<html>\0</html>")],
    ["an entity without an id", (response) => answerJson(response, { name: "Zoe" })],
    [
      "an answer that breaks off",
      (response) => response.writeHead(200, { "content-length": 90 }).write('{"id"'),
      800,
    ],
    [
      "an answer that is too long",
      (response) => answerJson(response, { id: "c", name: "x".repeat(300_000) }),
    ],
    ["a broken line", (response) => response.destroy()],
    ["no answer in time", () => undefined, 800],
  ])(
    "that responds with %s gets the requests for contact and deal again, under the same webhook-id",
    async (...given) => {
      const [, fail, limitMs] = given;
      await openShop();
      const failed = new Set<RequestKind>();
      crm.answer = (request, response) => {
        const isFirst = !failed.has(request.kind);
        answers.limitMs = isFirst ? undefined : limitMs;
        failed.add(request.kind);
        return isFirst ? fail(response) : answerJson(response, crm.create(request));
      };
      answers.limitMs = limitMs;
      onTestFinished(() => {
        answers.limitMs = undefined;
      });
      await write("100");
      await untilAsked(4);
      await untilIdle();
      expect(kinds()).toEqual(["createContact", "createContact", "createDeal", "createDeal"]);
      const [first, second, third, fourth] = crm.asked();
      expect([second, fourth]).toEqual([first, third]);
      expect(await listed("contacts")).toHaveLength(1);
      expect(await listed("deals")).toHaveLength(1);
    },
  );

  test("that responds with success three times without an entity gets no more requests; the request is parked", async () => {
    await openShop();
    crm.answer = (_, response) => response.writeHead(200).end("ok");
    await write("100");
    await untilAsked(3);
    await untilIdle();
    await write("100");
    await untilIdle();
    expect(kinds()).toEqual(["createContact", "createContact", "createContact"]);
    const parked = await node.db.query(
      "select reason from webhook_retries where account_id = $1 and state = 'parked'",
      [account.id],
    );
    expect(parked).toEqual([{ reason: "the answer holds no entity" }]);
    const [receiver] = await node.db.query(
      "select failing_since from webhook_endpoints where account_id = $1",
      [account.id],
    );
    expect(receiver).toEqual({ failing_since: null });

    crm.answer = null;
    await node.db.query(
      "update client_creations set asked_at = now() - interval '4 days' where account_id = $1",
      [account.id],
    );
    await write("100");
    await untilAsked(5);
    await untilIdle();
    expect(kinds().slice(3)).toEqual(["createContact", "createDeal"]);
  });

  test("that uploads the contact itself gets a request for the deal only, and then none", async () => {
    await openShop();
    crm.answer = (_, response) => response.writeHead(503).end();
    await write("100");
    await untilAsked(1);
    await api("POST", "/v3/contacts", [contactOf("own", "100", "bob")]);
    await until(() => kinds().includes("createDeal"));
    expect(crm.asked().at(-1)?.body).toMatchObject({ responsibleUserId: "bob", contacts: ["own"] });
    await api("POST", "/v3/deals", [{ id: "d", responsibleUserId: "bob", name: "", contacts: ["own"] }]);
    await untilIdle();
    const count = crm.asked().length;
    await write("100");
    await untilIdle();
    expect(crm.asked()).toHaveLength(count);
  });

  test("delays no message, not even of the same client", async () => {
    await openShop();
    const held: ServerResponse[] = [];
    crm.answer = (_, response) => held.push(response);
    await recordReports(node.core, [message("100")]);
    await untilAsked(1);
    await write("100");
    await write("200");
    await reply("100", "ann");
    await until(() => crm.receiver.taken().some(({ kind }) => kind === "statuses"));
    expect(kinds()).toEqual(["createContact"]);
    for (const response of held) response.destroy();
  });

  test("that refuses one client is not asked for another one whose contact it has uploaded meanwhile", async () => {
    await openShop();
    const isFirst = () => crm.asked().length === 1;
    crm.answer = async (request, response) => {
      if (request.body.name !== "Client 100") return answerJson(response, crm.create(request));
      if (isFirst()) {
        await write("200");
        await api("POST", "/v3/contacts", [contactOf("own", "200", "bob")]);
      }
      response.writeHead(400).end();
    };
    await write("100");
    await untilAsked(2);
    const [, second] = crm.asked();
    expect(second).toMatchObject({
      kind: "createDeal",
      body: { responsibleUserId: "bob", contacts: ["own"] },
    });
    crm.answer = null;
    await until(async () => (await listed("deals")).length === 2);
    expect(crm.asked().flatMap(({ body }) => body.name ?? [])).not.toContain("Client 200");
  });

  test("is asked again if its response cannot be stored while the next request is skipped", async () => {
    await openShop();
    await api("POST", "/v3/webhooks/pause");
    await recordReports(node.core, [message("100")]);
    await recordReports(node.core, [message("200")]);
    const dropTrigger = await addTrigger(node.db, "before insert on contacts", {
      when: "new.name = 'Client 100'",
      run: "raise exception 'refused'",
    });
    onTestFinished(dropTrigger);
    crm.answer = async (request, response) => {
      if (crm.asked().length === 1) await api("POST", "/v3/contacts", [contactOf("own", "200", "bob")]);
      else await dropTrigger();
      answerJson(response, crm.create(request));
    };
    await api("POST", "/v3/webhooks/resume");
    await untilIdle();
    const contacts = await listed("contacts");
    expect(contacts.map(({ name }) => name).toSorted()).toEqual(["Client 100", "own"]);
  });

  test("that refuses one client gets the others", async () => {
    await openShop();
    crm.answer = (request, response) =>
      request.body.name === "Client 100"
        ? response.writeHead(400).end()
        : answerJson(response, crm.create(request));
    await write("100");
    await write("200");
    await write("300");
    await until(async () => (await listed("deals")).length === 2);
    crm.answer = null;
    await until(async () => (await listed("deals")).length === 3);
    const contacts = await listed("contacts");
    expect(contacts.map(({ name }) => name).toSorted()).toEqual(["Client 100", "Client 200", "Client 300"]);
  });
});

describe("concurrently", () => {
  test("a client writes on two nodes and two channels, many times: one contact, one deal", async () => {
    await openShop();
    const second = await addChannel(node, account, { transport: "telegram" });
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        recordReports(index % 2 === 0 ? node.core : other.core, [
          message("100", index % 3 === 0 ? { channelId: second } : {}),
        ]),
      ),
    );
    await untilAsked(2);
    await untilIdle();
    expect(kinds()).toEqual(["createContact", "createDeal"]);
  });

  test("the same client in two channels within one transaction counts once", async () => {
    await openShop();
    const second = await addChannel(node, account, { transport: "telegram" });
    await recordReports(node.core, [message("100"), message("100", { channelId: second }), message("100")]);
    await untilAsked(2);
    await untilIdle();
    expect(kinds()).toEqual(["createContact", "createDeal"]);
  });

  test("thirty new clients on two nodes are assigned evenly, and a restart continues the rotation", async () => {
    await openShop();
    const chats = Array.from({ length: 30 }, (_, index) => String(1_000 + index));
    await Promise.all(
      chats.map((chat, index) => recordReports(index % 2 === 0 ? node.core : other.core, [message(chat)])),
    );
    await untilAsked(60);
    await untilIdle();
    const contacts = crm.asked().filter(({ kind }) => kind === "createContact");
    const shares = Object.groupBy(contacts, ({ body }) => body.responsibleUserId);
    expect(Object.values(shares).map((share) => share?.length)).toEqual([10, 10, 10]);
    expect(new Set(contacts.map(({ webhookId }) => webhookId)).size).toBe(30);

    const [row] = await node.db.query<{ last: string }>(
      "select last_in_turn as last from crm_settings where account_id = $1",
      [account.id],
    );
    const fresh = await startNode({ database });
    await recordReports(fresh.core, [message("2000")]);
    await fresh.stop();
    await untilAsked(62);
    const order = ["ann", "bob", "cid"];
    expect(responsibles().at(-1)).toBe(order[(order.indexOf(row?.last ?? "") + 1) % 3]);
  });

  test("two replies to one client cause one request", async () => {
    await openShop({ rule: "first_respondent" });
    await write("100");
    const chat = await chatOf("100");
    const orders = Array.from({ length: 6 }, (_, index) =>
      orderDeal(index % 2 === 0 ? node.core : other.core, scope, { chat, userId: "bob" }),
    );
    await Promise.all([...orders, reply("100", "ann")]);
    await untilAsked(2);
    await untilIdle();
    expect(kinds()).toEqual(["createContact", "createDeal"]);
  });
});

describe("by button", () => {
  const press = async (chatId: string, userId = "bob") =>
    orderDeal(node.core, scope, { chat: await chatOf(chatId), userId });

  test("a client without a contact gets that first, then the deal, whatever the rule is", async () => {
    await openShop({ rule: "nobody", employees: [], pipeline: false });
    await write("100");
    const page = await openInbox(node, account.api);
    await page.send("PATCH", `chats/${await chatOf("100")}/card`, { name: "Anna Karpova" });
    expect(await press("100")).toBe(true);
    await untilAsked(2);
    await untilIdle();
    expect(kinds()).toEqual(["createContact", "createDeal"]);
    expect(crm.asked().map(({ body }) => body)).toMatchObject([
      { responsibleUserId: "bob", source: "byUser", name: "Anna Karpova" },
      { responsibleUserId: "bob", source: "byUser" },
    ]);
  });

  test("a contact gets one more deal with each answered press", async () => {
    await openShop({ rule: "nobody" });
    await write("100");
    await api("POST", "/v3/contacts", [contactOf("c", "100", "ann")]);
    for (const count of [1, 2]) {
      expect(await press("100")).toBe(true);
      await untilAsked(count);
      await untilIdle();
    }
    expect(crm.asked().map(({ kind, body }) => [kind, body.contacts])).toEqual([
      ["createDeal", ["c"]],
      ["createDeal", ["c"]],
    ]);
    expect(await listed("deals")).toHaveLength(2);
  });

  test("is not possible for a group, an unknown chat, or a CRM that does not take such requests", async () => {
    await openShop();
    await write("-100", { chatType: "telegroup" });
    expect(await press("-100")).toBe(false);
    expect(await orderDeal(node.core, scope, { chat: newId(), userId: "bob" })).toBe(false);
    await subscribe(false);
    await write("200");
    expect(await press("200")).toBe(false);
    expect(kinds()).toEqual([]);
  });
});

test("an address that is removed and set again gets the request again", async () => {
  await openShop();
  const refused = new Set<string>();
  const refuse = ({ webhookId }: CrmRequest, response: ServerResponse) => {
    refused.add(webhookId);
    response.writeHead(503).end();
  };
  crm.answer = refuse;
  await write("100");
  await untilAsked(1);
  await api("PATCH", "/v3/webhooks", { webhooksUri: "" });
  // A repetition of the refused request may still be on its way.
  crm.answer = (request, response) =>
    refused.has(request.webhookId) ? refuse(request, response) : answerJson(response, crm.create(request));
  await subscribe(true);
  await write("100");
  const again = () => crm.asked().filter(({ webhookId }) => !refused.has(webhookId));
  await until(() => again().length >= 2);
  await untilIdle();
  expect(again().map(({ kind }) => kind)).toEqual(["createContact", "createDeal"]);
  expect(await findClient(node.db, scope, await chatOf("100"))).toMatchObject({ hasDeal: true });
});

test("a client is not reserved for a request that no receiver takes any more when it is published", async () => {
  await openShop();
  await subscribe(false);
  await recordReports(node.core, [message("late")]);
  await subscribe(true);
  const [chat] = await node.db.query<{ id: string }>("select id from chats where account_id = $1", [
    account.id,
  ]);
  const ends = "update webhook_endpoints set kinds = '{}' where account_id = $1";
  const tx: typeof node.core.db.tx = (work) =>
    node.core.db.tx((inner) =>
      work({
        ...inner,
        query: async (statement, values) => {
          const isPublishing = typeof statement === "object" && statement.name === "events_append";
          if (isPublishing) await node.db.query(ends, [account.id]);
          return inner.query(statement, values);
        },
      }),
    );
  const core = { ...node.core, db: { ...node.core.db, tx } };
  await orderDeal(core, scope, { chat: chat?.id ?? "", userId: "ann" });
  const reserved = "select 1 from client_creations where account_id = $1";
  expect(await node.db.query(reserved, [account.id])).toEqual([]);
  await subscribe(true);
  await orderDeal(node.core, scope, { chat: chat?.id ?? "", userId: "ann" });
  expect(await node.db.query(reserved, [account.id])).toHaveLength(1);
});
