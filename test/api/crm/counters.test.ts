import { connect } from "node:net";
import { io, type ManagerOptions, type Socket } from "socket.io-client";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { revokeToken } from "../../../src/core/account/tokens.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { call, outcome } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { openInbox } from "../kit/inbox.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

// The counter of unanswered messages as it changes, as pages of a CRM follow it by socket.io.

let database: TestDatabase;
let node: TestNode;
/** Another node of the same installation, to which the clients connect. */
let other: TestNode;
let account: TestAccount;
let channel: string;
beforeAll(async () => {
  database = await startTestDatabase();
  node = await startNode({ database });
  other = await startNode({ database });
});
afterAll(async () => {
  await node.stop();
  await other.stop();
  await database.stop();
});
beforeEach(async () => {
  account = await addAccount(node.db);
  channel = await addChannel(node, account, { transport: "whatsapp" });
  await load("users", [
    { id: "ann", name: "Ann" },
    { id: "7", name: "Bob" },
  ]);
});

async function load(kind: string, body: unknown): Promise<void> {
  expect(outcome(await call(node, "POST", `/v3/${kind}`, { token: account.api, body }))).toBe("200");
}
const contactOf = (responsibleUserId: string, chatId: string) => ({
  id: `c${chatId}`,
  name: "Client",
  responsibleUserId,
  contactData: [{ chatType: "whatsapp", chatId }],
});
const arrive = (...messages: [string, string][]) => write(node, { account, channelId: channel }, messages);

interface Counter {
  readonly counter: number;
  readonly counterV2: number;
  readonly type: string | null;
}
interface Client {
  readonly socket: Socket;
  readonly told: readonly Counter[];
  /** Resolves when the counter shows this. */
  shows(counter: string): Promise<void>;
}

/** Connects as the original's documentation says: asks for the host, connects, and names the employee. */
async function follow(
  userId: unknown,
  options: Partial<ManagerOptions> = {},
  key = account.api,
): Promise<Client> {
  const answer = await fetch(`${other.url}/counters/ws_host/api_v3/${account.api}`);
  const { host } = (await answer.json()) as { host: string };
  expect([answer.headers.get("access-control-allow-origin"), host]).toEqual([
    "*",
    new URL(other.core.settings.publicUrl).host,
  ]);
  const socket = io(other.url, { path: "/ws-counters/", transports: ["websocket", "polling"], ...options });
  onTestFinished(() => void socket.close());
  const told: Counter[] = [];
  socket.on("counterUpdate", (counter: Counter) => told.push(counter));
  socket.on("connect", () => socket.emit("counterConnecting", { type: "api_v3", apiKey: key, userId }));
  const last = () => {
    const counter = told.at(-1);
    return counter === undefined ? "" : `${counter.counter} ${counter.counterV2} ${counter.type}`;
  };
  return { socket, told, shows: (counter) => expect.poll(last, { timeout: 60_000 }).toBe(counter) };
}

describe("a counter", () => {
  test.each([["websocket"], ["polling"]])(
    "follows messages, answers and the CRM, by %s",
    async (transport) => {
      await load("contacts", [contactOf("ann", "79300000001")]);
      await arrive(["79300000001", `one by ${transport}`]);
      const ann = await follow("ann", { transports: [transport] });
      const bob = await follow(7, { transports: [transport] });
      await ann.shows("1 1 red");
      await bob.shows("1 1 grey");
      await arrive(["79300000001", `two by ${transport}`], ["79300000002", `three by ${transport}`]);
      await ann.shows("2 2 red");
      await bob.shows("3 3 grey");
      await load("contacts", [contactOf("7", "79300000001")]);
      await bob.shows("2 2 red");
      await ann.shows("3 3 grey");
      // An employee who says on the chat page that no answer is needed, which is no webhook.
      const page = await openInbox(node, account.api);
      const { chats } = (await page.get("chats?search=79300000001")).json as { chats: { id: string }[] };
      await page.send("POST", `chats/${chats[0]?.id}/unanswered`, { unanswered: false });
      await bob.shows("1 1 grey");
      expect(outcome(await call(node, "DELETE", "/v2/chats/unanswered", { token: account.access }))).toBe(
        "200",
      );
      await Promise.all([ann.shows("0 0 null"), bob.shows("0 0 null")]);
      expect(new Set(ann.told.map((each) => JSON.stringify(each))).size).toBeGreaterThan(3);
    },
  );

  test("of another account or employee is not told; a revoked key ends the connection", async () => {
    const stranger = await addAccount(node.db);
    const foreign = await follow("ann", {}, stranger.api);
    await foreign.shows("0 0 null");
    await arrive(["79300000003", "unheard"]);
    const own = await follow("nobody whom the CRM has uploaded");
    await own.shows("1 1 grey");
    const long = await follow("e".repeat(255));
    await long.shows("1 1 grey");
    expect(foreign.told).toHaveLength(1);
    const gone = new Promise((resolve) => own.socket.on("disconnect", resolve));
    await revokeToken(node.db, account.api);
    expect(await gone).toBe("io server disconnect");
    expect(outcome(await call(other, "GET", `/counters/ws_host/api_v3/${account.api}`))).toBe(
      "401 INVALID_APIKEY",
    );
  });
});

test("the connection ends when the account has moved to another cell", async () => {
  const ann = await follow("ann");
  await ann.shows("0 0 null");
  const gone = new Promise((resolve) => ann.socket.on("disconnect", resolve));
  await node.db.query(
    "insert into account_moves (account_id, side, move_id, state, address) values ($1, 'source', gen_random_uuid(), 'moved', 'http://127.0.0.1:9')",
    [account.id],
  );
  node.core.signals.notify("moves");
  expect(await gone).toBe("io server disconnect");
});

describe("a client that does not behave", () => {
  test.each<[string, unknown]>([
    ["names no key", { type: "api_v3", userId: "ann" }],
    ["names an unknown key", { type: "api_v3", apiKey: "tl_ak_unknown", userId: "ann" }],
    ["names no employee", { type: "api_v3", apiKey: "own", userId: "" }],
    ["names a thing", { type: "api_v3", apiKey: "own", userId: { id: "ann" } }],
    ["speaks of another interface", { type: "api_v9", apiKey: "own", userId: "ann" }],
    ["sends nothing", undefined],
    ["sends a list", [[["ann"]]]],
  ])("%s is disconnected", async (_, sent) => {
    const socket = io(other.url, { path: "/ws-counters/", transports: ["websocket"], reconnection: false });
    onTestFinished(() => void socket.close());
    const gone = new Promise((resolve) => socket.on("disconnect", resolve));
    const own = typeof sent === "object" && sent !== null && "apiKey" in sent && sent.apiKey === "own";
    socket.on("connect", () =>
      socket.emit("counterConnecting", own ? { ...sent, apiKey: account.api } : sent),
    );
    expect(await gone).toBe("io server disconnect");
  });

  test.each([["before it names an employee"], ["after it was told"]])(
    "leaves the namespace %s, and loses its connection",
    async (when) => {
      const socket = new WebSocket(
        `${other.url.replace("http", "ws")}/ws-counters/?EIO=4&transport=websocket`,
      );
      onTestFinished(() => socket.close());
      const gone = new Promise((resolve) => socket.addEventListener("close", resolve));
      // Packets of engine.io and socket.io: 0 open, 2 ping, 3 pong, 40 connect, 41 disconnect, 42 event.
      socket.addEventListener("message", ({ data }) => {
        if (data === "2") socket.send("3");
        else if (String(data).startsWith("0")) socket.send("40");
        else if (String(data).startsWith("40") && when.startsWith("after"))
          socket.send(
            `42${JSON.stringify(["counterConnecting", { type: "api_v3", apiKey: account.api, userId: "ann" }])}`,
          );
        else if (/^4[02]/.test(String(data))) socket.send("41");
      });
      await gone;
    },
  );

  test("sends too much is disconnected, and others stay", async () => {
    const ann = await follow("ann");
    await ann.shows("0 0 null");
    const socket = io(other.url, { path: "/ws-counters/", transports: ["websocket"], reconnection: false });
    onTestFinished(() => void socket.close());
    const gone = new Promise((resolve) => socket.on("disconnect", resolve));
    socket.on("connect", () => socket.emit("counterConnecting", "x".repeat(100_000)));
    await gone;
    await arrive(["79300000004", "after it"]);
    await ann.shows("1 1 grey");
  });
});

test("other addresses offer no upgrade: a request that proposes one is answered as any other", async () => {
  const { hostname, port } = new URL(other.url);
  const ask = (path: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.on("error", reject);
      socket.once("data", (data) => {
        resolve(data.toString().split("\r\n")[0] ?? "");
        socket.destroy();
      });
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
      );
    });
  expect(await ask("/healthz")).toBe("HTTP/1.1 200 OK");
  expect(await ask("/ws-counters")).toBe("HTTP/1.1 404 Not Found");
});
