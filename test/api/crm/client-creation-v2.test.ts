import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { changeCrmSettings } from "../../../src/core/crm/settings.ts";
import { switchNewClients } from "../../../src/core/crm/users.ts";
import { answerJson } from "../../kit/crm.ts";
import { describeInterface } from "../../kit/interface.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call, outcome } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { openInbox } from "../kit/inbox.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const CONTACT_ADD = "crm_entities.contact_add";
const DEAL_ADD = "crm_entities.deal_add";
const CLIENT = "79001112233";

let node: TestNode;
let stopDelivery: () => Promise<void>;
let account: TestAccount;
let channelId: string;
/** The CRM's address for v2 events, and the one for v3. */
let v2: Receiver;
let v3: Receiver;

beforeAll(async () => {
  node = await startNode();
  stopDelivery = await startDelivery(node);
});
afterAll(async () => {
  await stopDelivery();
  await node.stop();
});
beforeEach(async () => {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  [v2, v3] = await Promise.all([startReceiver(), startReceiver()]);
  v2.respond = ({ body }, response) => {
    const { event, data } = JSON.parse(body) as { event: string; data: object[] };
    answerJson(response, { ...data[0], id: event === CONTACT_ADD ? 7 : "deal-1" });
  };
  v3.respond = ({ body }, response) => {
    const { createContact, createDeal } = JSON.parse(body) as { createContact?: object; createDeal?: object };
    if (createContact !== undefined) answerJson(response, { ...createContact, id: "contact-of-v3" });
    else answerJson(response, { ...createDeal, id: "deal-of-v3" });
  };
  const scope = { accountId: account.id };
  await api("POST", "/v3/users", [{ id: "ann", name: "Ann" }]);
  await switchNewClients(node.db, scope, { id: "ann", getsNewClients: true });
  await api("POST", "/v3/pipelines", [{ id: "p", name: "Sales", stages: [{ id: "s", name: "New" }] }]);
  await changeCrmSettings(node.db, scope, { newClients: "in_turn" });
  const subscriptions = { contactsAndDealsCreation: true };
  await api("PATCH", "/v3/webhooks", { webhooksUri: v3.url, subscriptions });
});
afterEach(() => Promise.all([v2.stop(), v3.stop()]));

type Method = "GET" | "POST" | "PATCH" | "DELETE";
const ask = (method: Method, path: string, body?: unknown) =>
  call(node, method, path, { token: path.startsWith("/v3") ? account.api : account.access, body });

async function api<T>(method: Method, path: string, body?: unknown): Promise<T> {
  const answer = await ask(method, path, body);
  expect(answer.status).toBeLessThan(300);
  return answer.json as T;
}

const subscribe = (...events: string[]) =>
  api<{ data: { id: string }[] }>("POST", "/v2/webhooks", {
    data: events.map((event) => ({ url: v2.url, event })),
  });
const say = (text: string) => write(node, { account, channelId }, [[CLIENT, text]]);

interface Listed {
  readonly count: number;
  readonly data: readonly { readonly id: string; readonly contacts?: readonly string[] }[];
}
const untilDeal = () => vi.waitUntil(async () => (await api<Listed>("GET", "/v3/deals")).count === 1);
const bodiesOf = (receiver: Receiver) => receiver.posts.map(({ body }) => JSON.parse(body) as object);

test("a CRM subscribed to the v2 events gets one request by them, and responds in their spelling", async () => {
  await subscribe(CONTACT_ADD, DEAL_ADD);
  await say("hello");
  await untilDeal();
  expect(bodiesOf(v3)).toEqual([]);
  const contact_data = [{ chat_type: "whatsapp", chat_id: CLIENT }];
  const recipient = {
    chat_id: CLIENT,
    chat_type: "whatsapp",
    name: `Customer ${CLIENT}`,
    username: null,
    phone: null,
  };
  const meta = { idempotency_key: expect.any(String), timestamp: expect.any(Number) };
  expect(bodiesOf(v2)).toEqual([
    {
      event: CONTACT_ADD,
      data: [
        { responsible_user_id: "ann", name: `Customer ${CLIENT}`, contact_data, recipient, source: "auto" },
      ],
      meta,
    },
    { event: DEAL_ADD, data: [{ responsible_user_id: "ann", contacts: ["7"], source: "auto" }], meta },
  ]);
  expect(await api("GET", "/v3/contacts/7")).toMatchObject({
    responsibleUserId: "ann",
    contactData: [{ chatType: "whatsapp", chatId: CLIENT }],
  });
  await say("hello again");
  expect(await api<Listed>("GET", "/v3/contacts")).toMatchObject({ count: 1 });
});

test("a CRM that takes contacts by the v2 event and deals on v3 gets each request there", async () => {
  await subscribe(CONTACT_ADD);
  await say("hello");
  await untilDeal();
  expect(bodiesOf(v2)).toMatchObject([{ event: CONTACT_ADD }]);
  expect(bodiesOf(v3)).toEqual([
    { createDeal: { responsibleUserId: "ann", contacts: ["7"], source: "auto" } },
  ]);
});

describe("a CRM subscribed to the v2 event of deals only", () => {
  const OTHER = "79004445566";
  beforeEach(async () => {
    await api("PATCH", "/v3/webhooks", { subscriptions: { contactsAndDealsCreation: false } });
    await subscribe(DEAL_ADD);
    const contactData = [{ chatType: "whatsapp", chatId: CLIENT }];
    await api("POST", "/v3/contacts", [{ id: "c", responsibleUserId: "ann", name: "Ann", contactData }]);
  });
  const said = (chatId: string) => write(node, { account, channelId }, [[chatId, "hello"]]);

  test("gets the request for a client whose contact exists, and none for another client", async () => {
    await said(OTHER);
    await said(CLIENT);
    await untilDeal();
    const asked = [{ responsible_user_id: "ann", contacts: ["c"], source: "auto" }];
    expect(bodiesOf(v2)).toMatchObject([{ event: DEAL_ADD, data: asked }]);
    expect(bodiesOf(v3)).toEqual([]);
  });

  test("can be asked for a deal on the chat page only if the contact exists", async () => {
    await changeCrmSettings(node.db, { accountId: account.id }, { newClients: "nobody" });
    await said(CLIENT);
    await said(OTHER);
    const inbox = await openInbox(node, account.api);
    const chats = await node.db.query<{ id: string; chat_id: string }>(
      "select id, chat_id from chats where account_id = $1",
      [account.id],
    );
    for (const [chatId, isPossible] of [
      [CLIENT, true],
      [OTHER, false],
    ] as const) {
      const path = `chats/${chats.find((chat) => chat.chat_id === chatId)?.id}`;
      expect((await inbox.get(`${path}/client`)).json).toMatchObject({ can_create_deal: isPossible });
      expect((await inbox.send("POST", `${path}/deals`)).json).toEqual({ asked: isPossible });
    }
    await untilDeal();
    expect(bodiesOf(v2)).toMatchObject([{ data: [{ contacts: ["c"], source: "byUser" }] }]);
  });
});

test("the chat page asks for no contact while the client's chat id is unknown", async () => {
  const telegram = await addChannel(node, account, { transport: "telegram" });
  const message = { channelId: telegram, chatType: "telegram", phone: "79001112244", text: "hello" };
  await api("POST", "/v3/message", message);
  const [chat] = await node.db.query<{ id: string }>("select id from chats where account_id = $1", [
    account.id,
  ]);
  const inbox = await openInbox(node, account.api);
  const path = `chats/${chat?.id}`;
  expect((await inbox.get(`${path}/client`)).json).toMatchObject({ can_create_deal: false });
  expect((await inbox.send("POST", `${path}/deals`)).json).toEqual({ asked: false });
  await node.db.query("update chats set chat_id = '4711' where account_id = $1", [account.id]);
  expect((await inbox.get(`${path}/client`)).json).toMatchObject({ can_create_deal: true });
  expect((await inbox.send("POST", `${path}/deals`)).json).toEqual({ asked: true });
});

test("no deal is waited for after a contact if nobody takes deals", async () => {
  await api("PATCH", "/v3/webhooks", { subscriptions: { contactsAndDealsCreation: false } });
  await subscribe(CONTACT_ADD);
  await say("hello");
  await vi.waitUntil(async () => (await api<Listed>("GET", "/v3/contacts")).count === 1);
  await subscribe(DEAL_ADD);
  await say("hello again");
  await untilDeal();
  expect(bodiesOf(v2)).toMatchObject([{ event: CONTACT_ADD }, { event: DEAL_ADD }]);
});

test("only one address can create entities: a second one is refused until the first unsubscribes", async () => {
  const { data } = await subscribe(CONTACT_ADD, DEAL_ADD);
  await subscribe(CONTACT_ADD);
  const elsewhere = { data: [{ url: v3.url, event: CONTACT_ADD }] };
  const refused = await ask("POST", "/v2/webhooks", elsewhere);
  expect(refused.json).toEqual({
    error: "WEBHOOK_SUBSCRIPTION_EXISTS",
    description: "Another address is already subscribed to this event, and only one may be",
    data: { url: v2.url, event: CONTACT_ADD },
  });
  const described = (await describeInterface()).paths["/v2/webhooks"]?.["post"]?.responses;
  expect(JSON.stringify(described)).toContain("WEBHOOK_SUBSCRIPTION_EXISTS");
  const move = { data: [{ id: data[1]?.id, url: v3.url, event: CONTACT_ADD }] };
  expect(outcome(await ask("PATCH", "/v2/webhooks", move))).toBe("400 WEBHOOK_SUBSCRIPTION_EXISTS");
  await api("DELETE", "/v2/webhooks", { data: [{ id: data[0]?.id }] });
  expect((await ask("POST", "/v2/webhooks", elsewhere)).status).toBeLessThan(300);
});

test("a client requested when the subscription ended is requested again, on v3", async () => {
  const { data } = await subscribe(CONTACT_ADD, DEAL_ADD);
  await v2.down();
  await say("hello");
  await api("DELETE", "/v2/webhooks", { data: data.map(({ id }) => ({ id })) });
  await say("is anybody there?");
  await untilDeal();
  expect(bodiesOf(v3)).toMatchObject([
    { createContact: {} },
    { createDeal: { contacts: ["contact-of-v3"] } },
  ]);
});

test.each(["236498711101@lid", "US.1474000000000001"])(
  "a CRM that echoes the request creates one contact and one deal of %s",
  async (chatId) => {
    await write(node, { account, channelId }, [[chatId, "hello"]]);
    await untilDeal();
    await write(node, { account, channelId }, [[chatId, "hello again"]]);
    expect(bodiesOf(v3).map((body) => Object.keys(body)[0])).toEqual(["createContact", "createDeal"]);
    expect(await api("GET", "/v3/contacts")).toMatchObject({
      count: 1,
      data: [{ contactData: [{ chatType: "whatsapp", chatId }] }],
    });
  },
);
