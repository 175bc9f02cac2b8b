import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { FileFetcher } from "../../../src/work/file-fetcher.ts";
import type { Sessions } from "../../../src/work/session/sessions.ts";
import { holdTx } from "../../kit/database.ts";
import { type Post, type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call, outcome } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { arrive, write } from "../kit/inbound.ts";
import { openInbox } from "../kit/inbox.ts";
import { createMessenger, startSending, type TestMessenger } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const LANES = 20;
const WIDE = { perSecond: 1_000, burst: 1_000 };

let node: TestNode;
let messenger: TestMessenger;
let receiver: Receiver;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  messenger = createMessenger(
    { channel: WIDE, chat: WIDE, jitterMs: 0 },
    { media: { image: { maxBytes: 1_000_000 } } },
  );
  node = await startNode({ transports: [messenger.transport] });
  receiver = await startReceiver();
  ends.push(
    () => node.stop(),
    () => receiver.stop(),
    await startDelivery(node, { maxCursors: LANES }),
    await startSending(node, { pacing: false, allowNetworks: ["127.0.0.0/8"] }),
  );
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

async function newcomer(): Promise<{ account: TestAccount; channelId: string }> {
  const account = await addAccount(node.db);
  return { account, channelId: await addChannel(node, account, { transport: "whatsapp" }) };
}
const subscribe = ({ access }: TestAccount, paths: readonly string[]) =>
  call(node, "POST", "/v2/webhooks", {
    token: access,
    body: { data: paths.map((path) => ({ url: `${receiver.url}/${path}`, event: "message.add" })) },
  });
const numbered = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

test("an account's hanging receivers do not delay another's", async () => {
  const [hanging, quick] = [await newcomer(), await newcomer()];
  const held: ServerResponse[] = [];
  receiver.respond = ({ path }, response) =>
    path.startsWith("/hang") ? held.push(response) : response.writeHead(200).end();
  onTestFinished(() => {
    receiver.respond = null;
    for (const response of held) response.writeHead(200).end();
  });
  await subscribe(hanging.account, numbered(3 * LANES, "hang"));
  await subscribe(quick.account, ["quick"]);
  await write(node, hanging, [["79001110001", "to many"]]);
  await vi.waitUntil(() => held.length > 0);
  await write(node, quick, [["79001110002", "to one"]]);
  await receiver.until((posts) => posts.some(({ path }) => path === "/quick"));
  expect(held.length).toBeLessThan(LANES / 2);
});

test("an account's replays to a hanging receiver do not delay another's, and are limited", async () => {
  const [hanging, quick] = [await newcomer(), await newcomer()];
  const held: ServerResponse[] = [];
  receiver.respond = ({ path, headers }, response) =>
    path === "/hanging" && headers["webhook-replay"] === "true"
      ? held.push(response)
      : response.writeHead(200).end();
  onTestFinished(() => {
    receiver.respond = null;
    for (const response of held) response.writeHead(200).end();
  });
  const replay = ({ account }: typeof hanging) =>
    call(node, "POST", "/v3/webhooks/replay", { token: account.api, body: { from: "2000-01-01" } });
  for (const [path, { account, channelId }] of [["hanging", hanging] as const, ["quick", quick] as const]) {
    const body = { webhooksUri: `${receiver.url}/${path}`, subscriptions: { messagesAndStatuses: true } };
    await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
    await write(node, { account, channelId }, [["79001110003", `to ${path}`]]);
    const logged = () => call(node, "GET", "/v3/webhooks/deliveries", { token: account.api });
    await vi.waitUntil(async () => ((await logged()).json as { data: unknown[] }).data.length > 0);
  }
  for (let count = 0; count < 20; count++) expect((await replay(hanging)).status).toBe(202);
  expect(outcome(await replay(hanging))).toBe("400 WEBHOOK_REPLAY_QUEUE_FULL");
  await vi.waitUntil(() => held.length > 0);
  await replay(quick);
  const isReplayed = (post: Post) => post.path === "/quick" && post.headers["webhook-replay"] === "true";
  await receiver.until((posts) => posts.some(isReplayed));
  expect(held.length).toBeLessThanOrEqual(2);
});

test("replays of many accounts to hanging receivers give up their slots to another's", async () => {
  const crowd = await Promise.all(Array.from({ length: 10 }, () => newcomer()));
  const quick = await newcomer();
  const held: ServerResponse[] = [];
  receiver.respond = ({ path, headers }, response) =>
    path === "/crowd" && headers["webhook-replay"] === "true"
      ? held.push(response)
      : response.writeHead(200).end();
  onTestFinished(() => {
    receiver.respond = null;
    for (const response of held) response.writeHead(200).end();
  });
  const replay = ({ account }: typeof quick) =>
    call(node, "POST", "/v3/webhooks/replay", { token: account.api, body: { from: "2000-01-01" } });
  for (const each of [...crowd, quick]) {
    const { account } = each;
    const path = each === quick ? "quick" : "crowd";
    const body = { webhooksUri: `${receiver.url}/${path}`, subscriptions: { messagesAndStatuses: true } };
    await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
    const logged = async () => {
      const { json } = await call(node, "GET", "/v3/webhooks/deliveries", { token: account.api });
      return (json as { data: unknown[] }).data.length;
    };
    for (const count of [1, 2]) {
      await write(node, each, [["79001110004", `${count} to ${path}`]]);
      await vi.waitUntil(async () => (await logged()) === count);
    }
  }
  for (const each of [...crowd, ...crowd]) expect((await replay(each)).status).toBe(202);
  await vi.waitUntil(() => held.length === 20);
  expect((await replay(quick)).status).toBe(202);
  const clock = vi.spyOn(node.core.clock, "monotonicMs");
  onTestFinished(() => clock.mockRestore());
  clock.mockImplementation(() => performance.now() + 20_000);
  // Each has a second delivery left.
  for (const response of held.splice(0)) response.writeHead(200).end();
  const isReplayed = (post: Post) => post.path === "/quick" && post.headers["webhook-replay"] === "true";
  await receiver.until((posts) => posts.some(isReplayed));
  const ids = crowd.map(({ account }) => account.id);
  const finished = "select 1 from webhook_replays where account_id = any($1) and finished_at is not null";
  expect(await node.db.query(finished, [ids])).toEqual([]);
});

test("an account's tests of a silent receiver run one after another", async () => {
  const { account } = await newcomer();
  const held: ServerResponse[] = [];
  receiver.respond = ({ path }, response) =>
    path === "/silent" ? held.push(response) : response.writeHead(200).end();
  onTestFinished(() => {
    receiver.respond = null;
  });
  const events = ["message.add", "message.status_update", "group_chat.update"];
  const data = events.map((event) => ({ url: `${receiver.url}/silent`, event }));
  expect((await call(node, "POST", "/v2/webhooks", { token: account.access, body: { data } })).status).toBe(
    200,
  );
  const { json } = await call(node, "GET", "/v3/webhooks/receivers", { token: account.api });
  const [{ receiverId } = { receiverId: "" }] = json as { receiverId: string }[];
  const path = `/v3/webhooks/test?receiverId=${receiverId}`;
  const tests = Array.from({ length: 12 }, () => call(node, "POST", path, { token: account.api, body: {} }));
  expect(outcome(await Promise.race(tests))).toBe("503 UNAVAILABLE");
  await vi.waitUntil(() => held.length >= events.length);
  expect(held).toHaveLength(events.length);
  receiver.respond = null;
  for (const response of held) response.writeHead(200).end();
  expect((await Promise.all(tests)).map(({ status }) => status).toSorted()).toEqual([
    ...Array(11).fill(200),
    503,
  ]);
});

test("the reads of an account's chat pages do not delay another account", async () => {
  const [loud, quick] = [await newcomer(), await newcomer()];
  const page = await openInbox(node, loud.account.api);
  const reads = await holdTx(node.db, async (tx) => {
    await tx.query("lock table chat_order in access exclusive mode");
    const pending = Array.from({ length: 20 }, () => page.get("chats"));
    const { status } = await call(node, "GET", "/v2/channels", { token: quick.account.access });
    expect(status).toBe(200);
    return { pending };
  });
  const answers = await Promise.all(reads.pending);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

test("an account has at most a hundred addresses", async () => {
  const { account } = await newcomer();
  expect((await subscribe(account, numbered(100, "a"))).status).toBe(200);
  expect(outcome(await subscribe(account, ["one-more"]))).toBe("400 WEBHOOK_TOO_MANY_ADDRESSES");
  expect((await subscribe(account, ["a1"])).status).toBe(200);
});

test("an account with more addresses from before the limit may remove some, and keep and change the others", async () => {
  const { account } = await newcomer();
  await subscribe(account, numbered(60, "a"));
  await node.db.query(
    `with more as (
       insert into webhook_endpoints (account_id, id, version, url, kinds, secret)
       select account_id, gen_random_uuid(), version, url || '-too', kinds, secret from webhook_endpoints
       where account_id = $1 and version = 'v2' returning id)
     insert into webhook_subscriptions (account_id, id, endpoint_id, event)
     select $1, gen_random_uuid(), id, 'message.add' from more`,
    [account.id],
  );
  const { json } = await call(node, "GET", "/v2/webhooks", { token: account.access });
  const [first, second] = (json as { data: { id: string; url: string }[] }).data;
  const change = (method: "PATCH" | "DELETE", data: object) =>
    call(node, method, "/v2/webhooks", { token: account.access, body: { data: [data] } });
  expect((await change("DELETE", { id: first?.id })).status).toBe(200);
  expect((await subscribe(account, [new URL(second?.url ?? "").pathname.slice(1)])).status).toBe(200);
  expect((await change("PATCH", { id: second?.id, event: "message.edit" })).status).toBe(200);
  expect(outcome(await subscribe(account, ["one-more"]))).toBe("400 WEBHOOK_TOO_MANY_ADDRESSES");
});

test("one tenant's files do not delay another's", async () => {
  const [much, little] = [await newcomer(), await newcomer()];
  const opened: string[] = [];
  const stand = [much, little].map(({ account, channelId }) => ({ accountId: account.id, channelId }));
  const openFile = ({ token }: { token: string }, signal: AbortSignal) => {
    opened.push(token);
    return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const sessions = {
    sendable: () => stand,
    get: () => ({ session: { openFile }, link: { signal: new AbortController().signal } }),
  };
  const sent = (to: typeof much, token: string): Promise<void> =>
    arrive(node, to, {
      chatType: "whatsapp",
      chatId: "79001110004",
      externalId: token,
      contact: { name: "Customer" },
      body: { type: "media", media: "image", file: { token }, text: "" },
    });
  await Promise.all(numbered(100, "much").map((token) => sent(much, token)));
  await sent(little, "little");
  const fetcher = new FileFetcher({ core: node.core, sessions: sessions as unknown as Sessions });
  fetcher.start();
  onTestFinished(() => fetcher.stop());
  await vi.waitUntil(() => opened.includes("little"));
  expect(opened.length).toBeLessThan(64);
});

test("slow hosts of files occupy only part of a node's capacity", async () => {
  const asked: ServerResponse[] = [];
  let answers = false;
  const host = createServer((_request, response) => {
    asked.push(response);
    if (answers) response.end("file");
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void host.close());
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/a.png`;
  const { account, channelId } = await newcomer();
  const send = (chat: number, content: object) =>
    call(node, "POST", "/v2/messages", {
      token: account.access,
      body: {
        channel_id: channelId,
        recipient: { chat_type: "whatsapp", chat_id: `7900222${1000 + chat}` },
        ...content,
      },
    });
  for (let chat = 0; chat < 40; chat++) expect((await send(chat, { attachment: { url } })).status).toBe(200);
  await send(99, { text: "meanwhile" });
  await messenger.untilArrived("meanwhile");
  await vi.waitUntil(() => asked.length >= 32);
  expect(asked).toHaveLength(32);
  answers = true;
  for (const response of asked) response.end("file");
  await vi.waitUntil(() => messenger.arrived.filter(({ text }) => text === "").length === 40);
});

test("an account's hanging sends do not delay another's", async () => {
  const [much, little] = [await newcomer(), await newcomer()];
  const channels = [much.channelId];
  for (let count = 1; count < 9; count++)
    channels.push(await addChannel(node, much.account, { transport: "whatsapp" }));
  let hanging = 0;
  const mayArrive = Promise.withResolvers<void>();
  messenger.hinder = (chatId) => {
    if (!chatId.startsWith("7900333")) return undefined;
    hanging++;
    return mayArrive.promise;
  };
  onTestFinished(() => {
    messenger.hinder = () => undefined;
    mayArrive.resolve();
  });
  const send = ({ access }: TestAccount, channel_id: string, chat_id: string, text: string) =>
    call(node, "POST", "/v2/messages", {
      token: access,
      body: { channel_id, recipient: { chat_type: "whatsapp", chat_id }, text },
    });
  for (const channel of channels) {
    const chats = Array.from({ length: 64 }, (_, chat) => `7900333${1000 + chat}`);
    await Promise.all(chats.map((chat) => send(much.account, channel, chat, "hangs")));
  }
  await vi.waitUntil(() => hanging >= 256);
  await send(little.account, little.channelId, "79001110005", "not kept waiting");
  await messenger.untilArrived("not kept waiting");
  expect(hanging).toBeLessThan(9 * 64);
});

test("an account that uses part of its share gets no more than the rest by one poll", async () => {
  const { account, channelId } = await newcomer();
  const held: ServerResponse[] = [];
  receiver.respond = ({ path }, response) =>
    path.startsWith("/share") ? held.push(response) : response.writeHead(200).end();
  onTestFinished(() => {
    receiver.respond = null;
    for (const response of held) response.writeHead(200).end();
  });
  await subscribe(account, ["share-first"]);
  await write(node, { account, channelId }, [["79001110001", "to one"]]);
  await vi.waitUntil(() => held.length === 1);
  await subscribe(account, numbered(3 * LANES, "share"));
  await write(node, { account, channelId }, [["79001110002", "to all"]]);
  // Its share is a tenth.
  await vi.waitUntil(() => held.length > 1);
  const claimed =
    "select count(*)::int as cursors from webhook_cursors where account_id = $1 and claim is not null";
  await vi.waitUntil(async () => (await node.db.query(claimed, [account.id]))[0]?.["cursors"] === LANES / 10);
  expect(held).toHaveLength(LANES / 10);
});
