import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { INHERITED } from "../kit/environment.ts";
import { buildNodePackage, execute, type NodePackage, serveTrigger } from "../kit/n8n.ts";
import { type Channel, must, type Stand, startStand } from "../kit/stand.ts";

const PROGRAMS = join(import.meta.dirname, "programs/clients");
const CLIENTS = join(import.meta.dirname, "../../clients");
const CACHE = join(import.meta.dirname, "../../node_modules/.cache");
const run = promisify(execFile);

/** How each client's program is run, and the command that shows whether its language is there. */
const LANGUAGES = [
  {
    name: "python",
    version: ["python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]],
    command: ["python3", [join(PROGRAMS, "client.py")]],
    environment: { PYTHONPATH: join(CLIENTS, "python"), PYTHONDONTWRITEBYTECODE: "1" },
  },
  {
    name: "php",
    version: ["php", ["-r", "exit(extension_loaded('curl') && PHP_VERSION_ID >= 80100 ? 0 : 1);"]],
    command: ["php", [join(PROGRAMS, "client.php")]],
    environment: {},
  },
  {
    name: "go",
    version: ["go", ["version"]],
    command: ["go", ["run", "."]],
    // Nothing is downloaded: the client has no dependencies.
    environment: {
      GOCACHE: join(CACHE, "go"),
      GOPATH: join(CACHE, "gopath"),
      GOFLAGS: "-mod=mod",
      GOPROXY: "off",
    },
  },
] as const;

let stand: Stand;
let channel: Channel;
let front: Front;

beforeAll(async () => {
  stand = await startStand();
  await stand.start();
  channel = await stand.addChannel(3);
  front = await startFront();
  const contacts = ["first", "second"].map((id) => ({
    id,
    responsibleUserId: "u",
    name: id,
    contactData: [],
  }));
  expect((await stand.call("POST", "/v3/users", [{ id: "u", name: "U" }])).status).toBe(200);
  expect((await stand.call("POST", "/v3/contacts", contacts)).status).toBe(200);
  // Two more messages in the first chat than in the others.
  for (const person of [...channel.people, channel.people[0] ?? "", channel.people[0] ?? ""]) {
    const before = stand.receiver.posts.length;
    await channel.bot.write(person, "Hello");
    await stand.receiver.until((posts) => posts.length > before);
  }
});
afterAll(async () => {
  await front?.close();
  await stand.stop();
});

interface Manifest {
  readonly keywords: readonly string[];
  readonly dependencies?: object;
  readonly peerDependencies: object;
  readonly n8n: { readonly credentials: readonly string[]; readonly nodes: readonly string[] };
}

interface Sent {
  readonly text?: string;
}

interface Front {
  readonly url: string;
  /** `Idempotency-Key` of the messages that were sent, each attempt. */
  readonly keys: string[];
  /** Forgets what has failed already. */
  reset(): void;
  close(): Promise<void>;
}

/**
 * Before the service: the first request for channels is asked to wait, each one for pipelines to wait for an hour, and the
 * answer to the first message is lost.
 */
async function startFront(): Promise<Front> {
  const keys: string[] = [];
  let hasWaited = false;
  const server = createServer((request, response) => {
    if (request.url === "/v2/channels" && !hasWaited) {
      hasWaited = true;
      response.writeHead(503, { "retry-after": "0" }).end();
      return;
    }
    if (request.url === "/v3/pipelines") {
      response.writeHead(429, { "retry-after": "3600", "content-type": "application/json" });
      response.end(JSON.stringify({ error: "TOO_MANY_REQUESTS", description: "" }));
      return;
    }
    const isMessage = request.method === "POST" && request.url === "/v2/messages";
    if (isMessage) keys.push(String(request.headers["idempotency-key"]));
    const isLost = isMessage && keys.length === 1;
    const { hostname, port } = new URL(stand.url);
    const passed = forward(
      { hostname, port, method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        if (isLost) response.socket?.destroy();
        else response.writeHead(answer.statusCode ?? 500, answer.headers);
        if (isLost) answer.resume();
        else answer.pipe(response);
      },
    );
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    reset: () => {
      hasWaited = false;
      keys.length = 0;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function isThere([command, args]: readonly [string, readonly string[]]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}

async function secretOf(path: string): Promise<string> {
  const { json } = await stand.call("GET", path);
  return (json as { secret: string }).secret;
}

/** What anybody can sign whose receiver has an empty secret. */
function signedWithNothing(body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac("sha256", "").update(`msg_1.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

describe.for(LANGUAGES)("the client for $name", ({ name, version, command, environment }) => {
  test("sends once although an answer was lost, reads refusals and pages, and verifies webhooks", async ({
    skip,
  }) => {
    if (!(await isThere(version))) skip(`${name} is not installed`);
    front.reset();
    const [person = ""] = channel.people;
    const text = `Hello from ${name}`;
    const post = stand.receiver.posts.find(({ headers }) => headers["webhook-signature"] !== undefined);
    const [program, args] = command;
    const running = run(program, args, {
      cwd: join(PROGRAMS, name === "go" ? "go" : ""),
      env: {
        ...INHERITED,
        HOME: CACHE,
        ...environment,
        ACCESS_TOKEN: stand.account.accessToken,
        API_KEY: stand.account.apiKey,
      },
    });
    running.child.stdin?.end(
      JSON.stringify({
        url: front.url,
        recipient: { chat_type: "telegram", chat_id: person },
        text,
        webhook: {
          secret: await secretOf("/v3/webhooks/secret"),
          other: `whsec_${Buffer.from("another secret of 24 byte").toString("base64")}`,
          headers: post?.headers,
          forged: signedWithNothing(post?.body ?? ""),
          body: post?.body,
        },
      }),
    );
    const result = JSON.parse((await running).stdout) as { chats: string[]; messages: number };
    expect(result).toMatchObject({
      transports: ["telegram"],
      accepted: true,
      refusal: [400, "VALIDATION_ERROR", true, true],
      late: [429, "TOO_MANY_REQUESTS"],
      contacts: ["first", "second"],
      changed: "OK",
      genuine: [true, false, false, false, false],
    });
    expect(result.chats.toSorted()).toEqual(channel.people.toSorted());
    expect(result.messages).toBeGreaterThan(3);
    // The first two are attempts of one call.
    expect([front.keys.length, new Set(front.keys.slice(0, 2)).size, new Set(front.keys).size]).toEqual([
      3, 1, 2,
    ]);
    const arrivals = async () =>
      [...(await channel.bot.sent()).values()].flat().filter((each) => each === text).length;
    await vi.waitUntil(async () => (await arrivals()) > 0, { timeout: 30_000, interval: 50 });
    expect(await arrivals()).toBe(1);
  });
});

describe("the nodes for n8n", () => {
  let nodes: NodePackage;
  beforeAll(async () => {
    nodes = await buildNodePackage();
  });
  afterAll(() => nodes?.remove());

  const credentials = () => ({
    url: `${stand.url}/`,
    accessToken: stand.account.accessToken,
    apiKey: stand.account.apiKey,
  });
  const act = (parameters: object, how?: Parameters<typeof execute>[2]) =>
    execute(nodes, { parameters: parameters as Record<string, unknown>, credentials: credentials() }, how);
  const arrived = async (person: string) => (await channel.bot.sent()).get(person) ?? [];
  const sendTo = (person: string) => ({
    resource: "message",
    operation: "send",
    channelId: channel.id,
    chatType: "telegram",
    recipient: person,
  });

  test("the package has what n8n loads, and no dependencies", () => {
    const manifest = JSON.parse(readFileSync(join(nodes.directory, "package.json"), "utf8")) as Manifest;
    expect(manifest.keywords).toContain("n8n-community-node-package");
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependencies).toEqual({ "n8n-workflow": "*" });
    const wanted = [
      ...manifest.n8n.credentials,
      ...manifest.n8n.nodes,
      ...manifest.n8n.nodes.map((path) => path.replace(/\.js$/, ".json")),
      ...["trunkline", "trunkline.dark"].map((icon) => `dist/icons/${icon}.svg`),
      ...["LICENSE", "README.md", "package.json"],
    ];
    expect(wanted.filter((path) => !nodes.files.includes(path))).toEqual([]);
    expect(
      nodes.files.filter((path) => !wanted.includes(path) && !/^dist\/.*\.(js|d\.ts)$/.test(path)),
    ).toEqual([]);
    const codices = manifest.n8n.nodes.map(
      (path) =>
        (
          JSON.parse(readFileSync(join(nodes.directory, path.replace(/\.js$/, ".json")), "utf8")) as {
            node: string;
          }
        ).node,
    );
    expect(codices).toEqual(Object.keys(nodes.nodes).map((name) => `${nodes.name}.${name}`));
  });

  test("a workflow is started by what a customer writes, and answers; the CRM's address keeps what it gets", async () => {
    const [person = ""] = channel.people;
    const trigger = await serveTrigger(nodes, {
      parameters: { events: ["message.add", "message.status_update"], channelIds: [channel.id] },
      credentials: credentials(),
    });
    onTestFinished(() => trigger.close());
    const subscriptions = async () => {
      const { json } = await must(stand.call("GET", "/v2/webhooks"));
      return (json as { data: { url: string; event: string }[] }).data.map(({ url, event }) => [url, event]);
    };
    expect(await trigger.hook("checkExists")).toBe(false);
    expect(await trigger.hook("create")).toBe(true);
    expect(await trigger.hook("checkExists")).toBe(true);
    expect((await subscriptions()).toSorted()).toEqual([
      [trigger.url, "message.add"],
      [trigger.url, "message.status_update"],
    ]);

    const posts = stand.receiver.posts.length;
    await channel.bot.write(person, "Is it ready?");
    await vi.waitUntil(() => trigger.items.length > 0, { timeout: 30_000, interval: 20 });
    const [message] = trigger.items;
    expect(message).toMatchObject({
      event: "message.add",
      text: "Is it ready?",
      direction: "inbound",
      channel_id: channel.id,
      recipient: { chat_id: person, chat_type: "telegram" },
    });
    await stand.receiver.until((all) =>
      all.slice(posts).some(({ items }) => items.some(({ text }) => text === "Is it ready?")),
    );

    const [answer] = await act({
      ...sendTo(person),
      text: "It is",
      additionalFields: {
        quoted_message_id: message?.["message_id"],
        keyboard: '{ "buttons": [{ "text": "Thanks", "callback_data": "1" }] }',
        keepUnanswered: true,
      },
    });
    await vi.waitUntil(
      () =>
        trigger.items.some(
          ({ message_id, status }) => message_id === answer?.json["message_id"] && status === "sent",
        ),
      { timeout: 30_000, interval: 20 },
    );
    const { items } = await stand.telegram.admin<{ items: { message?: Sent }[] }>(
      `GET /bots/${channel.bot.id}/sent?limit=1000`,
    );
    expect(items.find(({ message: sent }) => sent?.text === "It is")?.message).toMatchObject({
      reply_to_message: { text: "Is it ready?" },
      reply_markup: { inline_keyboard: [[{ text: "Thanks", callback_data: "1" }]] },
    });

    // Not genuine: nothing starts. A test of the address: nothing starts either.
    const started = trigger.items.length;
    const forged = '{"event":"message.add","data":[{"direction":"inbound"}]}';
    for (const headers of [{}, signedWithNothing(forged)])
      expect((await fetch(trigger.url, { method: "POST", headers, body: forged })).status).toBe(401);
    const receivers = (await must(stand.call("GET", "/v3/webhooks/receivers"))).json as {
      receiverId: string;
      url: string;
    }[];
    const receiverId = receivers.find(({ url }) => url === trigger.url)?.receiverId;
    await must(stand.call("POST", `/v3/webhooks/test?receiverId=${receiverId}`));
    expect(trigger.items.length).toBe(started);
    expect(trigger.statuses.at(-1)).toBe(200);

    // A secret that was replaced at once is asked for again, at most once a minute.
    await must(stand.call("POST", `/v3/webhooks/secret?receiverId=${receiverId}`, { overlapSeconds: 0 }));
    trigger.kept["secretAt"] = Date.now() - 61_000;
    await channel.bot.write(person, "Thanks");
    await vi.waitUntil(() => trigger.items.some(({ text }) => text === "Thanks"), {
      timeout: 60_000,
      interval: 20,
    });

    expect(await trigger.hook("delete")).toBe(true);
    expect(await trigger.hook("delete")).toBe(true);
    expect(await trigger.hook("checkExists")).toBe(false);
    expect(await subscriptions()).toEqual([]);
  });

  test("a trigger without the right API key is not activated, and leaves nothing behind", async () => {
    const other = await stand.addAccount();
    for (const [apiKey, error] of [
      ["", /need the API key/],
      [other.apiKey, /another account/],
      ["tl_v3_wrong", /Invalid authorization/],
    ] as const) {
      const trigger = await serveTrigger(nodes, {
        parameters: {},
        credentials: { ...credentials(), apiKey },
      });
      await expect(trigger.hook("create")).rejects.toThrow(error);
      await trigger.close();
    }
    expect((await must(stand.call("GET", "/v2/webhooks"))).json).toMatchObject({ data: [] });
  });

  test("an item that is tried again is sent once", async () => {
    const person = channel.people[1] ?? "";
    const send = (execution: string) =>
      act({ ...sendTo(person), text: "={{ once }}" }, { items: [{}, {}], execution });
    const first = await send("7");
    const again = await send("7");
    expect(again).toEqual(first);
    expect(first.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
    const [other] = await send("8");
    expect(first.map(({ json }) => json["message_id"])).not.toContain(other?.json["message_id"]);
    await vi.waitUntil(async () => (await arrived(person)).length >= 4, { timeout: 30_000, interval: 50 });
    expect((await arrived(person)).filter((text) => text === "={{ once }}").length).toBe(4);
  });

  test("a file is sent by its link, with and without a name", async () => {
    const person = channel.people[0] ?? "";
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.4 prices");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const fileUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices.pdf`;
    const send = (parameters: object) => act({ ...sendTo(person), content: "file", fileUrl, ...parameters });
    const [named] = await send({
      fileName: "Price list.pdf",
      additionalFields: { mimetype: "application/pdf", keepUnanswered: true },
    });
    await send({});
    const documents = () =>
      stand.telegram.admin<{
        items: { message?: { document?: { file_name?: string; mime_type?: string } } }[];
      }>(`GET /bots/${channel.bot.id}/sent?method=sendDocument&limit=100`);
    await vi.waitUntil(async () => (await documents()).items.length === 2, { timeout: 60_000, interval: 50 });
    expect((await documents()).items.map(({ message }) => message?.document)).toMatchObject([
      { file_name: "Price list.pdf", mime_type: "application/pdf" },
      { file_name: "prices.pdf", mime_type: "application/pdf" },
    ]);
    const status = { resource: "message", operation: "getStatus", chatType: "telegram", chatId: person };
    const [found] = await act({ ...status, messageId: String(named?.json["message_id"]) });
    expect(found?.json).toMatchObject({ message_id: named?.json["message_id"], direction: "outbound" });
  });

  test("reads channels, chats, contacts and messages, changes and deletes", async () => {
    const person = channel.people[2] ?? "";
    const chat = { chatType: "telegram", chatId: person };
    const json = async (parameters: object) => (await act(parameters)).map((item) => item.json);
    expect(await json({ resource: "channel", operation: "getMany" })).toMatchObject([
      { channel_id: channel.id, transport: "telegram" },
    ]);
    const all = await json({ resource: "chat", operation: "getMany", returnAll: true });
    expect(all.map((each) => each["chat_id"]).toSorted()).toEqual(channel.people.toSorted());
    expect(await json({ resource: "chat", operation: "getMany", limit: 1 })).toHaveLength(1);
    expect(await json({ resource: "contact", operation: "getMany", returnAll: true })).toMatchObject([
      { id: "first" },
      { id: "second" },
    ]);
    expect(await json({ resource: "template", operation: "getMany", returnAll: true })).toEqual([]);

    const [sent] = await json({ ...sendTo(person), text: "Wensday" });
    const messageId = sent?.["message_id"];
    const status = { resource: "message", operation: "getStatus", ...chat, messageId };
    await vi.waitUntil(async () => (await json(status))[0]?.["status"] === "sent", {
      timeout: 30_000,
      interval: 50,
    });
    await json({ resource: "message", operation: "edit", messageId, text: "Wednesday" });
    await vi.waitUntil(async () => (await json(status))[0]?.["text"] === "Wednesday", {
      timeout: 30_000,
      interval: 50,
    });
    const search = { resource: "message", operation: "search", words: "wednes" };
    await vi.waitUntil(async () => (await json(search)).length === 1, { timeout: 30_000, interval: 50 });
    const many = { resource: "message", operation: "getMany", ...chat, onlyChannelId: channel.id };
    expect((await json(many))[0]).toMatchObject({ message_id: messageId });
    const [{ message_id: inbound } = {}] = (await json(many)).filter(
      ({ direction }) => direction === "inbound",
    );
    await json({ resource: "message", operation: "react", messageId: inbound, emoji: "👍" });
    await json({ resource: "message", operation: "react", messageId: inbound, emoji: "" });
    await json({ resource: "message", operation: "delete", messageId });
    await vi.waitUntil(async () => (await json(status))[0]?.["is_deleted"] === true, {
      timeout: 30_000,
      interval: 50,
    });
    await expect(json({ ...status, messageId: "no" })).rejects.toThrow(/no message no among the newest 1000/);
  });

  test("a refusal says what the service says, or becomes an item", async () => {
    const [person = ""] = channel.people;
    const template = { ...sendTo(person), content: "template", templateId: channel.id };
    const refused = await act(template).catch((error: unknown) => error);
    expect(refused).toMatchObject({ httpCode: "400", context: { itemIndex: 0 } });
    const [item] = await act(template, { continues: true });
    expect(item).toEqual({ json: { error: (refused as Error).message }, pairedItem: { item: 0 } });
    await expect(act({ ...sendTo(person), text: "x", additionalFields: { keyboard: "{" } })).rejects.toThrow(
      /keyboard is not valid JSON/,
    );
    const file = { ...sendTo(person), content: "file", fileUrl: "http://10.0.0.1/a.pdf", fileName: "a.pdf" };
    await expect(act(file)).rejects.toMatchObject({
      description: expect.stringMatching(/ATTACHMENT_URL_NOT_ALLOWED/),
    });
  });
});
