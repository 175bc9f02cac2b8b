import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addTrigger } from "../../kit/database.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** PostgreSQL crashes, and loses the acknowledgements that it had not flushed: what is repeated keeps its id. */

let node: TestNode;
let receiver: Receiver;
let account: TestAccount;
let channelId: string;
let stop: () => Promise<void>;

beforeEach(async () => {
  node = await startNode();
  receiver = await startReceiver();
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  const body = { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } };
  await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
  stop = await startDelivery(node);
});
afterEach(async () => {
  await stop();
  await receiver.stop();
  await node.stop();
});

const tell = (...texts: string[]): Promise<void> =>
  write(
    node,
    { account, channelId },
    texts.map((text) => ["79001110001", text]),
  );

/** Its webhook alone, acknowledged. */
async function alone(text: string): Promise<void> {
  const before = await logged();
  await tell(text);
  await vi.waitUntil(async () => (await logged()) > before);
}
const logged = async () =>
  (await node.db.query("select 1 from webhook_attempts where account_id = $1 and status = 200", [account.id]))
    .length;

const COLUMNS = "position, batch_to, batch_limit";
const cursorRow = async () => {
  const [row] = await node.db.query(`select ${COLUMNS} from webhook_cursors where account_id = $1`, [
    account.id,
  ]);
  return row ?? {};
};

/** The server is back as of the time when the cursor was `row`. */
async function crash(row: Record<string, unknown>): Promise<void> {
  await stop();
  await node.db.query(
    `update webhook_cursors set position = $2, batch_to = $3, batch_limit = $4, claim = null, due = now()
     where account_id = $1`,
    [account.id, row["position"], row["batch_to"], row["batch_limit"]],
  );
  stop = await startDelivery(node);
}

/** The ids of the requests with each text, in order. */
const idsOf = (): Map<string, string[]> => {
  const ids = new Map<string, string[]>();
  for (const { headers, items } of receiver.posts)
    for (const { text = "" } of items)
      ids.set(text, [...(ids.get(text) ?? []), String(headers["webhook-id"])]);
  return ids;
};

async function expectRepeats(texts: readonly string[]): Promise<void> {
  await vi.waitUntil(() => texts.every((text) => idsOf().get(text)?.length === 2));
  for (const text of texts) expect(new Set(idsOf().get(text)), text).toHaveProperty("size", 1);
}

test("events that were acknowledged one by one are repeated one by one", async () => {
  await alone("first");
  const row = await cursorRow();
  expect(row).toMatchObject({ batch_to: null, batch_limit: 1 });
  for (const text of ["second", "third", "fourth"]) await alone(text);
  await crash(row);
  await expectRepeats(["second", "third", "fourth"]);
  expect(idsOf().get("first")).toHaveLength(1);
  // New ones are sent together again, once all of these are acknowledged.
  await vi.waitUntil(async () => (await logged()) === 7);
  receiver.respond = (_, response) => setImmediate(() => response.writeHead(200).end());
  await tell("fifth", "sixth");
  await vi.waitUntil(() => idsOf().has("sixth"));
  expect(idsOf().get("sixth")).toEqual(idsOf().get("fifth"));
});

test("while answers cannot be stored, the log says so once, and the events are acknowledged afterwards", async () => {
  const warn = vi.spyOn(node.core.log, "warn");
  const dropTrigger = await addTrigger(node.db, "before insert on webhook_attempts", {
    run: "raise exception 'could not extend file: No space left on device' using errcode = '53100'",
  });
  await tell("first");
  await vi.waitUntil(() => receiver.posts.length >= 3);
  await dropTrigger();
  await vi.waitUntil(async () => (await logged()) > 0);
  const told = warn.mock.calls.filter(([, message]) => message === "a receiver's queue stopped for now");
  expect(told).toHaveLength(1);
});

test("events that were acknowledged one by one after a batch are repeated so", async () => {
  const row = Promise.withResolvers<Record<string, unknown>>();
  receiver.respond = async (_, response) => {
    row.resolve(await cursorRow());
    response.writeHead(200).end();
  };
  await tell("first", "second");
  const during = await row.promise;
  expect(during["batch_to"]).not.toBeNull();
  receiver.respond = null;
  await vi.waitUntil(async () => (await logged()) > 0);
  for (const text of ["third", "fourth"]) await alone(text);
  await crash(during);
  await expectRepeats(["first", "second", "third", "fourth"]);
  expect(idsOf().get("first")).toEqual(idsOf().get("second"));
});
