import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { publish } from "../../../src/core/event/publish.ts";
import type { StatusFact } from "../../../src/core/payload/facts.ts";
import { newId } from "../../../src/platform/ids.ts";
import { waitingEvents } from "../../kit/event-log.ts";
import { call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

// What an account leaves behind, and uses up, that changes its webhooks again and again.

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
});
beforeEach(async () => {
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const v3 = (body: object, of = account) => call(node, "PATCH", "/v3/webhooks", { token: of.api, body });
const v2 = (method: "POST" | "PATCH" | "DELETE", data: unknown) =>
  call(node, method, "/v2/webhooks", { token: account.access, body: { data } });
const dataOf = ({ json }: { readonly json: unknown }) => (json as { data: { id: string }[] }).data;

async function rowsOf(table: string, condition: string): Promise<number> {
  const rows = await node.db.query(`select 1 from ${table} where ${condition}`, [account.id]);
  return rows.length;
}
/** An event of the kind `message.status_update`. */
async function publishOne(channelId: string): Promise<void> {
  const status: StatusFact = {
    accountId: account.id,
    messageId: newId(),
    requestId: null,
    channelId,
    chat: newId(),
    status: "sent",
    at: new Date(),
    error: null,
  };
  await node.db.tx((tx) => publish(tx, [{ kind: "status", status }]));
}

test("a receiver that changes its mind keeps one cursor, and waits for the events that it took", async () => {
  const channelId = await addChannel(node, account, { transport: "telegram" });
  await v2("POST", [{ url: "http://127.0.0.1:9/a", event: "channel.delete" }]);
  for (let change = 1; change <= 3; change++) {
    const [row] = dataOf(await v2("POST", [{ url: "http://127.0.0.1:9/a", event: "message.status_update" }]));
    await publishOne(channelId);
    expect(outcome(await v2("DELETE", [{ id: row?.id }]))).toBe("200");
    await publishOne(channelId);
  }
  expect(await rowsOf("webhook_cursors", "account_id = $1")).toBe(1);
  expect(await waitingEvents(node.db, account.id)).toBe(3);
});

test("addresses without subscriptions are forgotten, except the latest", async () => {
  for (let round = 1; round <= 4; round++) {
    const wanted = Array.from({ length: 100 }, (_, number) => ({
      url: `http://127.0.0.1:9/${round}/${number}`,
      event: "message.add",
    }));
    const added = dataOf(await v2("POST", wanted));
    expect(added).toHaveLength(100);
    await v2(
      "DELETE",
      added.map(({ id }) => ({ id })),
    );
  }
  expect(await rowsOf("webhook_endpoints", "account_id = $1 and version = 'v2'")).toBe(200);
  expect(await rowsOf("webhook_endpoints", "account_id = $1 and url like '%/4/%'")).toBe(100);
});

describe("addresses that move", () => {
  const EVENTS = ["channel.delete", "message.status_update"];
  const url = (name: string) => `http://127.0.0.1:9/${name}`;
  const cursors = () => rowsOf("webhook_cursors", "account_id = $1");
  const endpoints = () => rowsOf("webhook_endpoints", "account_id = $1 and version = 'v2'");
  /** Subscribes `addresses` addresses to both events. Returns a function that moves them to new ones, one event each. */
  async function subscribe(addresses: number) {
    const places = Array.from({ length: addresses }, (_, place) => place);
    const subscribed = places.flatMap((place) =>
      EVENTS.map((event) => ({ url: url(`first/${place}`), event })),
    );
    const added = dataOf(await v2("POST", subscribed));
    return async (name: string) => {
      const moved = added.map(({ id }, index) => ({ id, url: url(`${name}/${index >> 1}`) }));
      const first = await v2(
        "PATCH",
        moved.filter((_, index) => index % 2 === 0),
      );
      expect(outcome(first)).toBe("200");
      return v2(
        "PATCH",
        moved.filter((_, index) => index % 2 === 1),
      );
    };
  }

  test("with all their subscriptions at a time leave nothing behind", async () => {
    for (let round = 1; round <= 5; round++) {
      const added = dataOf(
        await v2(
          "POST",
          EVENTS.map((event) => ({ url: url(`${round}`), event })),
        ),
      );
      const moved = added.map(({ id }) => ({ id, url: url(`${round + 1}`) }));
      expect(outcome(await v2("PATCH", moved))).toBe("200");
    }
    expect([await endpoints(), await cursors()]).toEqual([1, 1]);
  });

  test("with one subscription after the other leave no cursors behind, and a limited number of addresses", async () => {
    const move = await subscribe(40);
    for (let round = 1; round <= 8; round++) expect(outcome(await move(`${round}`))).toBe("200");
    expect(await cursors()).toBe(40);
    // Those of the last round are counted with the next change.
    expect(await endpoints()).toBe(40 + 200 + 40);
  });

  test("leave no cursors behind while much of others waits", async () => {
    const channelId = await addChannel(node, account, { transport: "telegram" });
    await v2("POST", [{ url: url("other"), event: "message.status_update" }]);
    const data = ["channel.delete", "channel.create"].map((event) => ({ url: url("first"), event }));
    const added = dataOf(await v2("POST", data));
    for (let events = 0; events <= 500; events++) await publishOne(channelId);
    for (const { id } of added) expect(outcome(await v2("PATCH", [{ id, url: url("next") }]))).toBe("200");
    expect(await cursors()).toBe(2);
  });

  test("while events wait for them are limited in number", async () => {
    const channelId = await addChannel(node, account, { transport: "telegram" });
    const move = await subscribe(50);
    for (const round of ["second", "third"]) {
      await publishOne(channelId);
      expect(outcome(await move(round))).toBe("200");
    }
    expect(await cursors()).toBe(150);
    await publishOne(channelId);
    expect(outcome(await move("fourth"))).toBe("400 WEBHOOK_TOO_MANY_ADDRESSES");
    // As if all events were delivered.
    await node.db.query(
      "update webhook_cursors set position = (select last_value from log_ids) where account_id = $1",
      [account.id],
    );
    expect(outcome(await move("fourth"))).toBe("200");
    expect(await cursors()).toBe(50);
  });
});

test("changes of one account wait without connections to the database", async () => {
  const other = await addAccount(node.db);
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = node.db.session(async (session) => {
    await session.query("begin");
    await session.query("select 1 from accounts where id = $1 for update", [account.id]);
    locked.resolve();
    await held.promise;
    await session.query("commit");
  });
  await locked.promise;
  const changes = Array.from({ length: 30 }, () => v3({ subscriptions: { templateStatus: true } }));
  // The first of them waits for the row, the others for the first.
  await vi.waitUntil(
    () => node.db.usage().open - node.db.usage().idle === 1 && node.db.usage().waiting === 0,
  );
  expect(outcome(await v3({ subscriptions: { templateStatus: true } }, other))).toBe("200");
  expect(node.db.usage()).toMatchObject({ waiting: 0 });
  held.resolve();
  await holder;
  expect((await Promise.all(changes)).map(outcome)).toEqual(Array(30).fill("200"));
});
