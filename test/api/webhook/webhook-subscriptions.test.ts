import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { removeSilentCursors } from "../../../src/core/delivery/cursor/queues.ts";
import { lockLogs } from "../../../src/core/event/log.ts";
import { publish } from "../../../src/core/event/publish.ts";
import { recordChangeOutcome } from "../../../src/core/message/change.ts";
import type { MessengerEvent } from "../../../src/core/message/report.ts";
import { newId } from "../../../src/platform/ids.ts";
import { holdTx } from "../../kit/database.ts";
import { waitingEvents } from "../../kit/event-log.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call, outcome } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let stopDelivery: () => Promise<void>;
let receiver: Receiver;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  stopDelivery = await startDelivery(node);
});
beforeEach(async () => {
  account = await addAccount(node.db);
  receiver = await startReceiver();
  return () => receiver.stop();
});
afterAll(async () => {
  await stopDelivery();
  await node.stop();
});

interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly event: string;
}
type Method = "POST" | "PATCH" | "DELETE";

const request = (method: Method, data: unknown) =>
  call(node, method, "/v2/webhooks", { token: account.access, body: { data } });
const dataOf = ({ json }: { readonly json: unknown }) => (json as { data: Subscription[] }).data;
const list = async () => dataOf(await call(node, "GET", "/v2/webhooks", { token: account.access }));
const url = (path: string) => `${receiver.url}/${path}`;
const add = async (...pairs: readonly (readonly [string, string])[]) =>
  dataOf(
    await request(
      "POST",
      pairs.map(([path, event]) => ({ url: url(path), event })),
    ),
  );
const attempts = async () =>
  (await node.db.query("select 1 from webhook_attempts where account_id = $1", [account.id])).length;
const v3 = (body: object) => call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
/** What came, as "path event" or "path key", each once, in order. */
const came = () => [
  ...new Set(
    receiver.posts.map(({ path, body }) => {
      const json = JSON.parse(body) as { event?: string };
      return `${path} ${json.event ?? Object.keys(json).join("+")}`;
    }),
  ),
];

test("at first there are none", async () => {
  expect(await list()).toEqual([]);
});

test("a message that is stored while the account makes its first subscription reaches a receiver", async () => {
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  await v3({ webhooksUri: url("v3"), subscriptions: { messagesAndStatuses: true } });
  const waiting = async () =>
    (
      await node.db.query(
        `select 1 from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
      )
    ).length;
  let stored: Promise<void> | undefined;
  await holdTx(node.db, async (tx) => {
    await lockLogs(tx, [account.id]);
    stored = write(node, { account, channelId }, [["79991110001", "meanwhile"]]);
    await vi.waitUntil(async () => (await waiting()) === 1);
    await add(["v2", "message.add"]);
  });
  await stored;
  await receiver.until((posts) =>
    posts.some(({ path, body }) => path === "/v2" && body.includes("meanwhile")),
  );
});

test("subscriptions are listed as they were made", async () => {
  const added = await add(["a", "message.add"], ["b", "message.add"], ["a", "channel.create"]);
  expect(added).toMatchObject([
    { url: url("a"), event: "message.add" },
    { url: url("b"), event: "message.add" },
    { url: url("a"), event: "channel.create" },
  ]);
  expect(await list()).toEqual(added);
});

test("creating an existing one returns it", async () => {
  const [first] = await add(["a", "message.add"]);
  expect(await add(["a", "message.add"])).toEqual([first]);
  expect(await list()).toEqual([first]);
});

test.each([
  [undefined, "400 VALIDATION_ERROR data"],
  [[], "400 VALIDATION_ERROR data"],
  [[{ url: "https://crm.example/" }], "400 VALIDATION_ERROR data[0].event"],
  [[{ event: "message.add" }], "400 VALIDATION_ERROR data[0].url"],
  [[{ url: "https://crm.example/", event: "message.remove" }], "400 VALIDATION_ERROR data[0].event"],
  [[{ url: "https://crm.example/", event: "message.add", x: 1 }], "400 VALIDATION_ERROR data[0].x"],
  [[{ url: "crm.example", event: "message.add" }], "400 uriNotValid"],
  [[{ url: "http://10.0.0.1/", event: "message.add" }], "400 uriNotValid"],
])("POST %j is faulty and stores nothing", async (data, expected) => {
  const good = { url: url("a"), event: "message.add" };
  expect(
    outcome(await request("POST", data === undefined || data.length === 0 ? data : [...data, good])),
  ).toBe(expected);
  expect(await list()).toEqual([]);
});

test("addresses and events change; omitted fields stay", async () => {
  const [one, two] = await add(["a", "message.add"], ["a", "message.edit"]);
  const changed = dataOf(
    await request("PATCH", [
      { id: one?.id, url: url("b") },
      { id: two?.id, event: "message.delete" },
    ]),
  );
  expect(changed).toEqual([
    { id: one?.id, url: url("b"), event: "message.add" },
    { id: two?.id, url: url("a"), event: "message.delete" },
  ]);
  expect(await list()).toEqual(changed);
});

test("a change to an existing subscription refuses the whole request", async () => {
  const before = await add(["a", "message.add"], ["a", "message.edit"], ["b", "message.add"]);
  const answer = await request("PATCH", [
    { id: before[2]?.id, event: "channel.create" },
    { id: before[0]?.id, event: "message.edit" },
  ]);
  expect(outcome(answer)).toBe("400 WEBHOOK_SUBSCRIPTION_EXISTS");
  expect(await list()).toEqual(before);
});

test("DELETE accepts ids, also as objects, and refuses the whole request", async () => {
  const [one, two, three] = await add(["a", "message.add"], ["a", "message.edit"], ["b", "message.add"]);
  const unknown = "0197a1b2-0000-4000-8000-000000000000";
  expect(outcome(await request("DELETE", [one?.id, unknown]))).toBe("404 WEBHOOK_SUBSCRIPTION_NOT_FOUND");
  expect(await list()).toHaveLength(3);
  expect((await request("DELETE", [one?.id, { id: two?.id }])).json).toMatchObject({ data: null });
  expect(await list()).toEqual([three]);
});

test("another account's subscriptions are missing", async () => {
  const [mine] = await add(["a", "message.add"]);
  account = await addAccount(node.db);
  expect(await list()).toEqual([]);
  for (const method of ["PATCH", "DELETE"] as const)
    expect(outcome(await request(method, [{ id: mine?.id }]))).toBe("404 WEBHOOK_SUBSCRIPTION_NOT_FOUND");
});

describe("delivery", () => {
  test("each address gets its events, and one address several in order", async () => {
    await add(["a", "message.add"], ["b", "message.add"], ["b", "message.delete"]);
    const channelId = await addChannel(node, account, { transport: "whatsapp" });
    await write(node, { account, channelId }, [["79001112233", "one"]]);
    await node.core.reports.add({
      accountId: account.id,
      channelId,
      event: {
        kind: "deleted",
        ref: { chatType: "whatsapp", chatId: "79001112233", externalId: "one" },
        at: new Date(),
      },
    });
    await receiver.until(() => came().length >= 3);
    expect(came().filter((line) => line.startsWith("/a"))).toEqual(["/a message.add"]);
    expect(came().filter((line) => line.startsWith("/b"))).toEqual(["/b message.add", "/b message.delete"]);
    const body = JSON.parse(receiver.posts[0]?.body ?? "");
    expect(body).toMatchObject({
      event: "message.add",
      data: [
        { channel_id: channelId, direction: "inbound", text: "one", recipient: { chat_id: "79001112233" } },
      ],
      meta: { idempotency_key: expect.any(String), timestamp: expect.any(Number) },
    });
  });

  test("v3 gets the events for connecting channels only while there is no subscription to them", async () => {
    await v3({ webhooksUri: url("v3"), subscriptions: { channelsUpdates: true } });
    const remove = async () => {
      const channelId = await addChannel(node, account, { transport: "telegram" });
      await call(node, "DELETE", `/v2/channels/${channelId}`, { token: account.access });
    };
    await remove();
    await receiver.until(() => came().length >= 2);
    expect(came()).toEqual(["/v3 channelsUpdates", "/v3 channel.status_update"]);

    const [status] = await add(["v2", "channel.status_update"], ["v2", "channel.delete"]);
    await remove();
    await receiver.until(() => came().includes("/v2 channel.delete"));
    await receiver.until((posts) => posts.filter(({ path }) => path === "/v3").length >= 3);
    expect(came().filter((line) => line.startsWith("/v2"))).toEqual([
      "/v2 channel.status_update",
      "/v2 channel.delete",
    ]);
    const kinds = async () =>
      (
        await node.db.query<{ kinds: string[] }>(
          "select kinds from webhook_endpoints where account_id = $1 and version = 'v3'",
          [account.id],
        )
      )[0]?.kinds;
    expect(await kinds()).toEqual(["channelsUpdates", "channel.qr_update", "messages_dump.status_update"]);

    await request("DELETE", [status?.id]);
    expect(await kinds()).toContain("channel.status_update");
  });

  test("the creation of a channel is published", async () => {
    await add(["a", "channel.create"]);
    const body = { transport: "telegram", credentials: { telegram_token: `good:${account.id}` } };
    const answer = await call(node, "POST", "/v2/channels", { token: account.access, body });
    const [{ channel_id: id } = { channel_id: "" }] = (answer.json as { data: { channel_id: string }[] })
      .data;
    await receiver.until((posts) => posts.length > 0);
    expect(JSON.parse(receiver.posts[0]?.body ?? "")).toMatchObject({
      event: "channel.create",
      data: [{ channel_id: id, transport: "telegram", status: "init", reason: null }],
    });
  });

  test("waiting events follow an address that moves, and are deleted with the last subscription", async () => {
    await receiver.down();
    const [only] = await add(["a", "message.add"]);
    const channelId = await addChannel(node, account, { transport: "whatsapp" });
    await write(node, { account, channelId }, [["79001112233", "one"]]);
    await request("PATCH", [{ id: only?.id, url: url("moved") }]);
    // A request to the old address may have been under way.
    const failed = await attempts();
    await vi.waitUntil(async () => (await attempts()) >= failed + 2);
    await receiver.up();
    await receiver.until(() => came().length > 0);
    expect(came()).toEqual(["/moved message.add"]);

    await receiver.down();
    await write(node, { account, channelId }, [["79001112233", "two"]]);
    await request("DELETE", [only?.id]);
    expect(await waitingEvents(node.db, account.id)).toBe(0);
  });

  test("an address that moves does not wait for the end of its pause", async () => {
    await receiver.down();
    const [only] = await add(["a", "message.add"]);
    const channelId = await addChannel(node, account, { transport: "whatsapp" });
    await write(node, { account, channelId }, [["79001112233", "one"]]);
    const rests = () =>
      node.db.query(
        `update webhook_cursors set due = now() + interval '12 hours'
         where account_id = $1 and attempts > 0 and claim is null returning id`,
        [account.id],
      );
    await vi.waitUntil(async () => (await rests()).length > 0);
    await receiver.up();
    await request("PATCH", [{ id: only?.id, url: url("moved") }]);
    await receiver.until(() => came().length > 0);
    expect(came()).toEqual(["/moved message.add"]);
  });

  test("waiting events follow an address whose subscriptions all move together", async () => {
    await receiver.down();
    const added = await add(["a", "message.add"], ["a", "message.delete"]);
    const channelId = await addChannel(node, account, { transport: "whatsapp" });
    await write(node, { account, channelId }, [["79001112233", "one"]]);
    const moved = added.map(({ id, event }) => ({ id, url: url("moved"), event }));
    expect(dataOf(await request("PATCH", moved))).toEqual(moved);
    // A request to the old address may have been under way.
    const failed = await attempts();
    await vi.waitUntil(async () => (await attempts()) >= failed + 2);
    await receiver.up();
    await receiver.until(() => came().length > 0);
    expect(came()).toEqual(["/moved message.add"]);
    const changes = await node.db.query(
      "select details ->> 'previousAddress' as previous from audit_log where account_id = $1 and action = 'webhook.change'",
      [account.id],
    );
    expect(changes).toEqual([{ previous: url("a") }, { previous: url("a") }]);
  });

  test("waiting events of an address whose subscriptions move one by one are delivered to it; then its cursor is removed", async () => {
    await receiver.down();
    const added = await add(["a", "message.add"], ["a", "message.delete"]);
    const channelId = await addChannel(node, account, { transport: "whatsapp" });
    await write(node, { account, channelId }, [["79001112233", "one"]]);
    for (const { id } of added) await request("PATCH", [{ id, url: url("b") }]);
    const removeCursors = async () => {
      await node.db.tx((tx) => removeSilentCursors(tx, null));
      const rows = await node.db.query("select 1 from webhook_cursors where account_id = $1", [account.id]);
      return rows.length;
    };
    expect(await removeCursors()).toBe(2);
    await receiver.up();
    await receiver.until(() => came().includes("/a message.add"));
    await vi.waitUntil(async () => (await removeCursors()) === 1);
    await write(node, { account, channelId }, [["79001112233", "two"]]);
    await receiver.until(() => came().includes("/b message.add"));
    await add(["a", "message.add"]);
    await write(node, { account, channelId }, [["79001112233", "three"]]);
    await receiver.until((posts) => posts.some(({ path, body }) => path === "/a" && body.includes("three")));
  });

  test("the statuses of our message are published in both versions", async () => {
    await v3({ webhooksUri: url("v3"), subscriptions: { messagesAndStatuses: true } });
    await add(["v2", "message.status_update"], ["v2", "message.edit"]);
    const channelId = await addChannel(node, account, { transport: "whatsapp" });
    const ref = { chatType: "whatsapp", chatId: "79001112233", externalId: "ours" } as const;
    await write(node, { account, channelId }, [[ref.chatId, "a question"]]);
    const messageId = newId();
    await node.db.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, author_id, external_id, sent_at)
       select $1, $2, $3, id, 'out', 'text', 'sent', 'helo', 'crm-1', $4, now() from chats where account_id = $1`,
      [account.id, messageId, channelId, ref.externalId],
    );
    const told = (path: string, key: string) =>
      receiver.posts
        .filter((post) => post.path === path)
        .flatMap(({ body }) => {
          const json = JSON.parse(body) as Record<string, object[]>;
          return (
            (json["event"] === undefined ? json[key] : String(json["event"]) === key ? json["data"] : []) ??
            []
          );
        });
    const report = (event: MessengerEvent) =>
      node.core.reports.add({ accountId: account.id, channelId, event });
    const at = new Date();

    await report({ kind: "receipt", ref, status: "delivered", at });
    await vi.waitUntil(() => told("/v2", "message.status_update").length === 1);
    expect(told("/v2", "message.status_update")).toEqual([
      {
        message_id: messageId,
        request_id: messageId,
        channel_id: channelId,
        status: "delivered",
        reason: null,
      },
    ]);

    await node.db.query(
      "insert into crm_users (account_id, id, name) values ($1, 'crm-1', 'Eve'), ($1, 'crm-2', 'Max')",
      [account.id],
    );
    const job = {
      accountId: account.id,
      messageId,
      id: 1,
      kind: "edit",
      change: { text: "hello", authorId: "crm-2" },
    };
    await node.core.db.tx(async (tx) =>
      publish(tx, await recordChangeOutcome(node.core, tx, { job: job as never, error: null })),
    );
    await vi.waitUntil(() => told("/v2", "message.edit").length === 1);
    await vi.waitUntil(() => told("/v3", "messages").length === 2);
    expect(told("/v3", "messages")[1]).toMatchObject({
      messageId,
      text: "hello",
      authorId: "crm-2",
      authorName: "Max",
      isEdited: true,
      oldInfo: { oldText: "helo", oldAuthorId: "crm-1", oldAuthorName: "Eve" },
    });
    expect(told("/v2", "message.edit")[0]).toMatchObject({
      crm_user_id: "crm-2",
      old_info: { old_text: "helo", old_author_id: "crm-1", old_author_name: "Eve" },
    });

    await report({
      kind: "edited",
      ref,
      body: { type: "text", text: "hullo" },
      at: new Date(Date.now() + 1_000),
    });
    await vi.waitUntil(() => told("/v2", "message.edit").length === 2);
    await vi.waitUntil(() => told("/v3", "statuses").length === 2);
    expect(told("/v3", "statuses")).toMatchObject([{ status: "delivered" }, { messageId, status: "edited" }]);
    expect(told("/v2", "message.edit")[1]).toMatchObject({
      text: "hullo",
      old_info: { old_text: "hello", old_author_id: "crm-2", old_author_name: "Max" },
    });
    expect(told("/v2", "message.status_update")).toHaveLength(1);

    const change = { attachment: { url: "https://crm.example/price.pdf" } };
    await node.core.db.tx(async (tx) =>
      publish(
        tx,
        await recordChangeOutcome(node.core, tx, { job: { ...job, id: 2, change } as never, error: null }),
      ),
    );
    await vi.waitUntil(() => told("/v2", "message.edit").length === 3);
    // The file has replaced the text.
    expect(told("/v2", "message.edit")[2]).toMatchObject({
      type: "document",
      text: null,
      old_info: { old_text: "hullo" },
    });

    // Two requests at the same moment: the message is deleted once.
    const removed = [3, 4].map((id) => ({ ...job, id, kind: "remove", change: null }) as never);
    const published = await Promise.all(
      removed.map((each) =>
        node.core.db.tx(async (tx) =>
          publish(tx, await recordChangeOutcome(node.core, tx, { job: each, error: null })),
        ),
      ),
    );
    expect(published.filter((kinds) => kinds.length > 0)).toHaveLength(1);
  });
});
