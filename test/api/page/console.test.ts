import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { sealedCredentialsOf } from "../../../src/core/channel/channels.ts";
import { dropSink, useSink } from "../../../src/core/delivery/sink/sink.ts";
import { follow } from "../../../src/core/event/live-log.ts";
import { createLink } from "../../../src/core/inbound/link.ts";
import { indexForSearch } from "../../../src/core/message/search-index.ts";
import { firstLink } from "../../../src/core/operator/links.ts";
import { aboutMessage } from "../../../src/core/transport/current-message.ts";
import { waitingEvents } from "../../kit/event-log.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call, outcome } from "../kit/call.ts";
import { newOperator, type Person, redeem, signedIn } from "../kit/console.ts";
import { startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let stopDelivery: () => Promise<void>;
let receiver: Receiver;
let account: TestAccount;
let other: TestAccount;
let channelId: string;
let foreign: string;
let root: Person;
let admin: Person;
let viewer: Person;

beforeAll(async () => {
  node = await startNode();
  stopDelivery = await startDelivery(node);
  receiver = await startReceiver();
  [account, other] = [await addAccount(node.db), await addAccount(node.db)];
  channelId = await addChannel(node, account, { transport: "telegram" });
  foreign = await addChannel(node, other, { transport: "whatsapp", status: "disabled", reason: "qridle" });
  for (const { api } of [account, other])
    await call(node, "PATCH", "/v3/webhooks", {
      token: api,
      body: {
        webhooksUri: `${receiver.url}/hook?token=hush`,
        subscriptions: { messagesAndStatuses: true, channelsUpdates: true },
      },
    });
  await redeem(node, await firstLink(node.core), { login: "root" });
  root = await signedIn(node, "root");
  admin = await newOperator(node, { role: "admin", accountId: account.id });
  viewer = await newOperator(node, { role: "viewer", accountId: account.id });
});
afterAll(async () => {
  await stopDelivery();
  await receiver.stop();
  await node.stop();
});

const json = async <T>(person: Person, path: string): Promise<T> => {
  const answer = await person.ask("GET", path);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  return answer.json as T;
};
const send = async (chatId: string, text: string): Promise<string> => {
  const body = { channelId, chatType: "telegram", chatId, text, crmMessageId: text.replaceAll(" ", "-") };
  const answer = await call(node, "POST", "/v3/message", { token: account.api, body });
  if (answer.status >= 300) throw new Error(answer.text);
  return (answer.json as { messageId: string }).messageId;
};

interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
}

/** Every operation of the console that names an account. */
async function operationsOfAccounts(): Promise<Operation[]> {
  const { paths } = (await call(node, "GET", "/app/openapi.json")).json as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith("/app/api/console/accounts/{account}"))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase() as Operation["method"],
        path: path.slice("/app/api/console".length),
      })),
    );
}

test("an admin cannot access another account, and a viewer cannot change their own", async () => {
  const operations = await operationsOfAccounts();
  expect(operations.length).toBeGreaterThan(25);
  const fill = (path: string, of: TestAccount, channel: string): string =>
    path
      .replace("{account}", String(of.id))
      .replace(/\{(channel|id)\}/, channel)
      .replaceAll(/\{\w+\}/g, channel);
  for (const { method, path } of operations) {
    const body =
      method === "POST" || method === "PATCH" ? { kind: "api", any: true, credentials: {} } : undefined;
    const refused = await admin.ask(method, fill(path, other, foreign), body);
    // The user may not see the account; a route may also reject the fields first.
    expect(["404 ACCOUNT_NOT_FOUND", "400 VALIDATION_ERROR"], `${method} ${path}`).toContain(
      outcome(refused).split(" ").slice(0, 2).join(" "),
    );
    if (method !== "GET")
      expect(outcome(await viewer.ask(method, fill(path, account, channelId), body)), path).toBe(
        "403 FORBIDDEN",
      );
  }
  const ids = new Set<unknown>();
  for (const path of ["channels", "receivers", "accounts", "exports"])
    for (const each of await json<Record<string, unknown>[]>(admin, `/${path}`))
      ids.add(each["accountId"] ?? each["id"]);
  for (const { accountId } of (await json<{ data: { accountId: number }[] }>(admin, "/audit")).data)
    ids.add(accountId);
  expect([...ids]).toEqual([account.id]);
  for (const path of ["channels", "receivers", "exports", "audit", "overview"])
    expect(outcome(await admin.ask("GET", `/${path}?account=${other.id}`)), path).toBe(
      "404 ACCOUNT_NOT_FOUND",
    );
  expect(outcome(await admin.ask("GET", "/system"))).toBe("403 FORBIDDEN");
  // Of the installation, a viewer of one account learns no more than its version.
  expect(await json(viewer, "/system")).toMatchObject({ nodes: [], queues: [], settings: [] });
  expect(outcome(await root.ask("GET", `/accounts/99999999/v3/webhooks/receivers`))).toBe(
    "404 ACCOUNT_NOT_FOUND",
  );
});

test("a message is found by its known fields, and its history shows what happened to it", async () => {
  // As while a chat page is open: the log then also has events for pages, whose bodies are not JSON.
  await follow(node.db, account.id);
  await write(node, { account, channelId }, [["79001112233", "Where is my blue lamp?"]]);
  const id = await send("4242", "Your order is on its way");
  await indexForSearch(node.db, 100);
  await node.db.query("update chats set name = 'Ann Karpova' where chat_id = '4242'");
  const found = async (search: string, query = ""): Promise<(string | null)[]> =>
    (
      await json<{ data: { text: string | null }[] }>(
        admin,
        `/accounts/${account.id}/messages?search=${encodeURIComponent(search)}${query}`,
      )
    ).data.map(({ text }) => text);
  for (const search of [id, "order is on", "ORDER", "4242", "karpova", "Your-order-is-on-its-way"])
    expect(await found(search), search).toEqual(["Your order is on its way"]);
  expect(await found("+7 (900) 111-22-33")).toEqual(["Where is my blue lamp?"]);
  expect(await found("", "&direction=in")).toEqual(["Where is my blue lamp?"]);
  expect(await found("", `&channel=${foreign}`)).toEqual([]);
  expect(await found("nobody wrote this")).toEqual([]);
  const page = await json<{ data: { id: string }[]; next: string }>(
    admin,
    `/accounts/${account.id}/messages?limit=1`,
  );
  const next = await json<{ data: { id: string }[]; next: null }>(
    admin,
    `/accounts/${account.id}/messages?limit=1&cursor=${page.next}`,
  );
  expect([page.data[0]?.id, next.data.length, next.next]).toEqual([id, 1, null]);

  const story = await json<Record<string, unknown>>(admin, `/accounts/${account.id}/messages/${id}`);
  expect(story).toMatchObject({
    id,
    accountId: account.id,
    status: "queued",
    direction: "out",
    text: "Your order is on its way",
    attempts: 0,
    crmMessageId: "Your-order-is-on-its-way",
    error: null,
  });
  const [inbound] = (
    await json<{ data: { id: string }[] }>(admin, `/accounts/${account.id}/messages?direction=in`)
  ).data;
  const kinds = await node.db.query<{ kind: string }>(
    "select kind from events where account_id = $1 and subject = $2 order by kind",
    [account.id, inbound?.id],
  );
  expect(kinds.map(({ kind }) => kind)).toEqual(["live", "messages"]);
  expect(
    await json<Record<string, unknown>>(admin, `/accounts/${account.id}/messages/${inbound?.id}`),
  ).toMatchObject({ status: "inbound", events: [{ kind: "messages", status: "inbound" }] });
  expect(outcome(await admin.ask("GET", `/accounts/${account.id}/messages/${foreign}`))).toBe(
    "404 MESSAGES_NOT_FOUND",
  );
});

test("a channel's queue is shown, stopped, resumed and cleared; its state and log are shown", async () => {
  const path = `/accounts/${account.id}/channels/${channelId}`;
  await send("77", "first of two");
  await send("77", "second of two");
  const queue = await json<{ text: string; underWay: boolean }[]>(admin, `${path}/queue`);
  expect(queue.map(({ text }) => text).slice(-2)).toEqual(["first of two", "second of two"]);
  const line = () => json<Record<string, unknown>>(admin, path);
  expect(await line()).toMatchObject({ queued: queue.length, stoppedAt: null, status: "active" });
  expect(outcome(await admin.ask("POST", `${path}/stop`, {}))).toBe("200");
  expect((await line())["stoppedAt"]).toEqual(expect.any(String));
  const pacing = async () =>
    (
      await json<{ data: { queue: { waiting: { for: string }[] } }[] }>(
        admin,
        `/accounts/${account.id}/v2/channels/${channelId}/pacing`,
      )
    ).data[0]?.queue.waiting.map((each) => each.for);
  expect(await pacing()).toEqual(["stopped"]);
  expect(outcome(await admin.ask("POST", `${path}/go-on`, {}))).toBe("200");
  expect(await pacing()).toEqual(["turn"]);

  // What may have left already stays.
  await node.db.query("update send_jobs set unsure_since = now() where id = (select min(id) from send_jobs)");
  const cleared = await admin.ask("POST", `${path}/queue/clear`, {});
  expect(cleared.json).toEqual({ messages: queue.length - 1 });
  expect((await json<{ underWay: boolean }[]>(admin, `${path}/queue`)).map((job) => job.underWay)).toEqual([
    true,
  ]);
  await vi.waitUntil(
    () =>
      receiver.posts.filter((post) => JSON.stringify(post.items).includes("MESSAGE_CANCELLED")).length > 0,
    { interval: 20 },
  );
  const failed = await json<{ data: { errorCode: string }[] }>(
    admin,
    `/accounts/${account.id}/messages?status=error`,
  );
  expect(failed.data.map(({ errorCode }) => errorCode)).toEqual(
    Array(queue.length - 1).fill("MESSAGE_CANCELLED"),
  );

  await node.db.query("update channels set status = 'disabled', reason = 'unauthorized' where id = $1", [
    channelId,
  ]);
  await node.db.query("update channels set name = 'Lamps' where id = $1", [channelId]);
  await node.db.query("update channels set status = 'active', reason = null where id = $1", [channelId]);
  const states = await json<{ status: string; reason: string | null }[]>(admin, `${path}/states`);
  expect(states.map(({ status, reason }) => [status, reason])).toEqual([
    ["active", null],
    ["disabled", "unauthorized"],
    ["active", null],
  ]);
  for (const [index, level] of ["warn", "info", "warn"].entries())
    await node.db.query(
      "insert into channel_log (account_id, channel_id, level, message, details) values ($1, $2, $3, $4, $5)",
      [account.id, channelId, level, `line ${index}`, JSON.stringify({ method: `sendMessage${index}` })],
    );
  const log = (query: string) => json<{ id: number; message: string }[]>(admin, `${path}/log${query}`);
  const all = await log("");
  expect(all.map(({ message }) => message)).toEqual(["line 2", "line 1", "line 0"]);
  expect((await log("?level=warn&text=sendmessage2")).map(({ message }) => message)).toEqual(["line 2"]);
  expect((await log(`?after=${all[1]?.id}`)).map(({ message }) => message)).toEqual(["line 2"]);
  expect((await log(`?before=${all[1]?.id}`)).map(({ message }) => message)).toEqual(["line 0"]);
});

test("every exchange of a channel is recorded on request, without its query, and only failed ones otherwise", async () => {
  const path = `/accounts/${account.id}/channels/${channelId}`;
  const key = { accountId: account.id, channelId, epoch: 1 };
  const transport = node.core.transports.get("telegram");
  if (transport === undefined) throw new Error("no transport");
  const link = createLink(node.core, {
    proxy: {},
    key,
    transport,
    sealedCredentials: await sealedCredentialsOf(node.core, { accountId: account.id }, channelId),
    signal: new AbortController().signal,
    redact: (text) => text.replaceAll("openapi", "***"),
    onLinkState: async () => undefined,
  });
  const exchange = async () => {
    const url = `${node.url}/app/openapi.json?text=of+a+client`;
    await (await link.request({ method: "GET", url })).bytes();
  };
  const lines = async () =>
    (
      await json<{ level: string; message: string; details: unknown; messageId: string | null }[]>(
        admin,
        `${path}/log`,
      )
    ).filter(({ message }) => message.startsWith("the messenger"));
  /** Lines are stored in order: with that of a failure, all before it are there. */
  const failures = async (count: number) => {
    await expect(
      link.request({ method: "GET", url: "http://127.0.0.1:1/send?text=of+a+client" }),
    ).rejects.toThrow();
    await vi.waitUntil(async () => (await lines()).filter(({ level }) => level === "warn").length === count);
  };
  await exchange();
  await failures(1);
  expect((await lines()).map(({ level }) => level)).toEqual(["warn"]);

  expect((await admin.ask("GET", `${path}/recording`)).json).toEqual({ until: null });
  const started = (await admin.ask("POST", `${path}/recording`, {})).json as { until: string };
  expect(Date.parse(started.until) - Date.now()).toBeGreaterThan(10 * 60_000);
  expect((await admin.ask("GET", `${path}/recording`)).json).toEqual(started);
  await vi.waitUntil(() => node.core.recordings.take(channelId));
  await exchange();
  await failures(2);
  const recorded = (await lines())[1];
  expect(recorded).toMatchObject({
    level: "debug",
    message: "the messenger responded",
    details: { method: "GET", url: `${node.url}/app/***.json`, status: 200 },
  });

  expect((await admin.ask("DELETE", `${path}/recording`)).json).toEqual({ until: null });
  await vi.waitUntil(() => !node.core.recordings.take(channelId));
  await exchange();
  const about = await send("4343", "Why was this not sent?");
  await aboutMessage(about, () => failures(3));
  const story = await json<{ exchanges: { message: string; messageId: string }[] }>(
    admin,
    `/accounts/${account.id}/messages/${about}`,
  );
  expect(story.exchanges).toMatchObject([
    { message: "the messenger refused a request or did not respond", messageId: about },
  ]);
  expect((await lines()).map((each) => each.messageId)).toEqual([about, null, null, null]);
  expect((await lines()).map(({ level }) => level)).toEqual(["warn", "warn", "debug", "warn"]);
  expect(JSON.stringify(await lines())).not.toContain("of+a+client");
});

test("dead letters are shown, replayed and removed, with an audit entry for each", async () => {
  const path = `/accounts/${account.id}/channels/${channelId}/refused`;
  for (const n of [1, 2])
    await node.db.query(
      `insert into inbound_dead_letters (account_id, channel_id, digest, stage, payload, reason)
       values ($1, $2, $3, 'payload', '{"text":"of a client"}', 'text is missing')`,
      [account.id, channelId, Buffer.from([n])],
    );
  const shown = await admin.ask("GET", path);
  const report = { stage: "payload", reason: "text is missing", bytes: 22, times: 1, waits: false };
  expect(shown.json).toMatchObject([report, report]);
  expect(shown.text).not.toContain("of a client");
  const asked: string[] = [];
  onTestFinished(node.core.signals.on("deadLetters", (detail) => void asked.push(detail)));
  expect((await admin.ask("POST", `${path}/replay`, {})).json).toEqual({ reports: 2 });
  await vi.waitUntil(() => asked.length > 0);
  expect(await json<{ waits: boolean }[]>(admin, path)).toMatchObject([{ waits: true }, { waits: true }]);
  expect((await admin.ask("POST", `${path}/remove`, {})).json).toEqual({ reports: 2 });
  expect((await admin.ask("POST", `${path}/remove`, {})).json).toEqual({ reports: 0 });
  expect(await json(admin, path)).toEqual([]);
  const entries = await node.db.query(
    "select action, actor_kind, details from audit_log where account_id = $1 and action like 'inbound.%' order by id",
    [account.id],
  );
  const entry = { actor_kind: "console", details: { reports: 2 } };
  expect(entries).toEqual([
    { action: "inbound.replay", ...entry },
    { action: "inbound.remove", ...entry },
  ]);
});

test("the overview counts the day, and lists what needs attention, most urgent first", async () => {
  const overview = await json<{
    hours: Record<string, number>[];
    attention: { kind: string; subject: string; reason: string | null }[];
  }>(root, "/overview");
  expect(overview.hours).toHaveLength(24);
  const total = (name: string) => overview.hours.reduce((sum, hour) => sum + (hour[name] ?? 0), 0);
  expect([total("accepted"), total("sent"), total("failed"), total("inbound")]).toEqual([4, 0, 2, 1]);
  expect(overview.attention.map(({ kind, subject, reason }) => [kind, subject, reason])).toEqual([
    ["no_node", "", "sessions"],
    ["no_node", "", "jobs"],
    ["channel_down", foreign, "qridle"],
  ]);
  const own = await json<{ attention: object[] }>(admin, "/overview");
  expect(own.attention).toEqual([]);
});

test("a restricted account needs attention, and the channel's page says why", async () => {
  const since = "2026-03-01T10:00:00.000Z";
  const restriction = { kind: "new_chats", reason: "No new chats", since, endsAt: null, isEstimate: false };
  const restrict = (list: readonly object[]) =>
    node.db.query("update channels set restrictions = $2 where id = $1", [channelId, JSON.stringify(list)]);
  await restrict([restriction]);
  const { attention } = await json<{ attention: object[] }>(admin, "/overview");
  expect(attention).toMatchObject([
    { kind: "channel_restricted", level: "wait", subject: channelId, reason: "new_chats", since },
  ]);
  const shown = await json<{ restrictions: object[] }>(
    admin,
    `/accounts/${account.id}/channels/${channelId}`,
  );
  expect(shown.restrictions).toEqual([{ kind: "new_chats", reason: "No new chats", since, until: null }]);
  await restrict([]);
});

test("webhooks: receivers, a failed delivery, and a replay that is counted before", async () => {
  receiver.respond = (_request, response) => response.writeHead(500).end("broken");
  await write(node, { account, channelId }, [["79001112233", "hear me"]]);
  const path = `/accounts/${account.id}/v3/webhooks`;
  const refused = await vi.waitUntil(
    async () =>
      (await json<{ data: { id: number; receiverId: string }[] }>(root, `${path}/deliveries?result=refused`))
        .data[0],
    { interval: 20 },
  );
  const exchange = await json<Record<string, unknown>>(root, `${path}/deliveries/${refused.id}`);
  expect(exchange).toMatchObject({ status: 500, answer: "broken" });
  expect(String(exchange["body"])).toContain("hear me");
  const [failing] = await json<Record<string, unknown>[]>(root, "/receivers");
  expect(failing).toMatchObject({ accountId: account.id, state: "failing", url: `${receiver.url}/hook` });

  receiver.respond = (_request, response) => response.writeHead(200).end();
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const count = async () =>
    (await json<{ deliveries: number }>(root, `/accounts/${account.id}/replay-count?from=${from}`))
      .deliveries;
  // What is delivered after the count would be replayed, too.
  await vi.waitUntil(async () => (await waitingEvents(node.db, account.id)) === 0, { interval: 20 });
  await vi.waitUntil(async () => (await count()) >= 2, { interval: 20 });
  const counted = await count();
  const before = receiver.posts.length;
  const asked = await root.ask("POST", `${path}/replay`, { from });
  expect(asked.status).toBe(202);
  // Between the two counts nothing happens, except on a busy machine.
  const { total } = asked.json as { total: number };
  expect(total).toBeGreaterThanOrEqual(counted);
  expect(total).toBeLessThanOrEqual(await count());
  await vi.waitUntil(() => receiver.posts.length >= before + counted, { interval: 20 });
  const tested = await root.ask("POST", `${path}/test`, {});
  expect((tested.json as { ok: boolean }[]).every(({ ok }) => ok)).toBe(true);
  const audited = await json<{ data: { action: string; actor: string; actorId: string }[] }>(
    root,
    "/audit?action=webhook.replay",
  );
  expect(audited.data[0]).toMatchObject({ actor: "console", actorId: "root" });
});

test("the event sink: what waits for it, since when, and why", async () => {
  expect(await json(root, "/sink")).toEqual({ sink: null });
  const sink = { url: "nats://broker.example:4222 (trunkline)", kinds: ["messages"] };
  await useSink(node.db, sink);
  onTestFinished(async () => {
    await dropSink(node.db);
  });
  const began = Date.now();
  await write(node, { account, channelId }, [["79001112233", "for the broker"]]);
  // Its delivery has no broker.
  await expect
    .poll(() => json(root, "/sink"))
    .toEqual({
      sink: {
        ...sink,
        accounts: expect.any(Number),
        failing: 1,
        failingSince: expect.any(String),
        failure: "this node has no SINK_URL",
        failedAt: expect.any(String),
        queued: 1,
        queuedSince: expect.any(String),
        parked: 0,
      },
    });
  const { sink: shown } = await json<{ sink: Record<string, string> }>(root, "/sink");
  expect(Number(shown["accounts"])).toBeGreaterThan(1);
  for (const time of ["failingSince", "failedAt", "queuedSince"])
    expect(Date.parse(shown[time] ?? ""), time).toBeGreaterThan(began - 60_000);
  expect(await json(viewer, "/sink")).toEqual({ sink: null });
  expect(outcome(await admin.ask("GET", "/sink"))).toBe("403 FORBIDDEN");
});

test("accounts and tokens; the system with its settings", async () => {
  const made = await root.ask("POST", "/accounts", { name: "Third" });
  const { accountId, apiKey } = made.json as { accountId: number; apiKey: string };
  expect((await call(node, "GET", "/v3/channels", { token: apiKey })).status).toBe(200);
  expect(outcome(await admin.ask("POST", "/accounts", { name: "Fourth" }))).toBe("403 FORBIDDEN");
  const tokens = await json<{ id: string; kind: string }[]>(root, `/accounts/${accountId}/tokens`);
  expect(tokens.map(({ kind }) => kind).toSorted()).toEqual(["access", "api"]);
  const created = await root.ask("POST", `/accounts/${accountId}/tokens`, { kind: "sidecar" });
  const { id, token } = created.json as { id: string; token: string };
  expect((await call(node, "GET", "/v3/channels", { token })).status).toBe(200);
  // By the path of another account nothing is revoked.
  expect(outcome(await root.ask("DELETE", `/accounts/${other.id}/tokens/${id}`))).toBe("404 NOT_FOUND");
  expect(outcome(await root.ask("DELETE", `/accounts/${accountId}/tokens/${id}`))).toBe("200");
  await expect.poll(async () => (await call(node, "GET", "/v3/channels", { token })).status).toBe(401);
  const frames = (body: object) => root.ask("POST", `/accounts/${accountId}/frames`, body);
  expect(outcome(await frames({ any: false, origins: ["https://crm.example/path"] }))).toBe(
    "400 VALIDATION_ERROR origins",
  );
  expect(outcome(await frames({ any: false, origins: ["https://crm.example"] }))).toBe("200");
  const accounts = await json<Record<string, unknown>[]>(root, "/accounts");
  expect(accounts.find((each) => each["id"] === accountId)).toMatchObject({
    name: "Third",
    frameOrigins: ["https://crm.example"],
  });

  const system = await json<{ nodes: object[]; database: { bytes: number }; queues: object[] }>(
    root,
    "/system",
  );
  expect(system.nodes).toEqual([
    expect.objectContaining({ name: "test", roles: ["delivery"], schemaVersion: 0, isAlive: true }),
  ]);
  expect(system.database.bytes).toBeGreaterThan(1_000_000);
  expect(system.queues.length).toBeGreaterThan(4);
});
