import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import type { BinaryNode, proto as Proto, WASocket } from "baileys";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WebSocketServer } from "ws";
import { createTestLink } from "../../core/transport/conformance.ts";
import { endSocket, openSocket, TIMING, terminate } from "./connection.ts";
import { handleInTurn } from "./inbound/in-order.ts";
import { Journal } from "./inbound/journal.ts";
import { createKeyStore } from "./keys/key-store.ts";
import { KeyedMutex } from "./keys/keyed-mutex.ts";
import { initAuthCreds, proto } from "./library.ts";
import { DeviceLists } from "./people/device-lists.ts";

const ME = { id: "79990000001:1@s.whatsapp.net", lid: "9:1@lid" };
const BOB = { from: "79990000002@s.whatsapp.net", sender_lid: "5@lid" };

/** The real library, connected to a server that never responds; stanzas are injected where the library reads frames. */
let server: WebSocketServer;
let socket: WASocket;
/** The library's events, in order. */
let told: string[] = [];

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const { vault } = createTestLink({ credentials: {}, settings: {} });
  const creds = initAuthCreds();
  Object.assign(creds, { me: { ...ME }, accountSyncCounter: 1 });
  socket = openSocket({
    proxy: null,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    creds,
    keys: createKeyStore(vault),
    journal: new Journal(vault),
    turns: new KeyedMutex(),
    timing: TIMING,
    devices: new DeviceLists(),
    wantsHistory: false,
    getMessage: async () => undefined,
    cachedGroup: () => undefined,
  });
  [told, begun] = [[], []];
  socket.ev.on("messages.upsert", ({ messages }) => {
    for (const { message } of messages) if (message?.conversation) told.push(message.conversation);
  });
  socket.ev.on("call", ([call]) => told.push(`call ${call?.status}`));
  await socket.signalRepository.lidMapping.storeLIDPNMappings([
    { lid: "9@lid", pn: "79990000001@s.whatsapp.net" },
  ]);
  await new Promise<void>((resolve) => socket.ws.once("open", resolve));
  // From here on, the library holds back events no longer than a text requires.
  const offline = { tag: "offline", attrs: { count: "0" } };
  socket.ws.emit("CB:ib,,offline", { tag: "ib", attrs: {}, content: [offline] });
  await vi.waitUntil(() => !socket.ev.isBuffering(), { interval: 1 });
});
afterEach(async () => {
  await endSocket(socket);
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
});

const arrive = (node: BinaryNode): void => void socket.ws.emit(`CB:${node.tag}`, node);

/** The server's mark for pending messages. */
const OFFLINE = { offline: "0" };
let lastId = 0;
const stanza = (attrs: Record<string, string>, message: Proto.IMessage): BinaryNode => ({
  tag: "message",
  attrs: { id: `M${++lastId}`, t: "1700000000", type: "text", ...attrs },
  content: [{ tag: "plaintext", attrs: {}, content: proto.Message.encode(message).finish() }],
});
const text = (conversation: string, attrs: Record<string, string> = {}): BinaryNode =>
  stanza({ ...BOB, ...attrs }, { conversation });

/** A history from the phone, newest first. */
function historyOf(nodes: readonly BinaryNode[]): BinaryNode {
  const syncType = proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP;
  const messages = nodes.toReversed().map(({ attrs }) => ({
    message: {
      key: { remoteJid: BOB.from, fromMe: false, id: attrs["id"] ?? "" },
      message: { conversation: "old" },
    },
  }));
  const history = { syncType, conversations: [{ id: BOB.from, messages }] };
  const payload = deflateSync(proto.HistorySync.encode(history).finish());
  const historySyncNotification = { syncType, initialHistBootstrapInlinePayload: payload };
  const { HISTORY_SYNC_NOTIFICATION: type } = proto.Message.ProtocolMessage.Type;
  return stanza(
    { from: ME.id, category: "peer", ...OFFLINE },
    { protocolMessage: { type, historySyncNotification } },
  );
}

const call = (status: string): BinaryNode => ({
  tag: "call",
  attrs: { id: `M${++lastId}`, from: BOB.from, t: "1700000000" },
  content: [{ tag: status, attrs: { "call-id": "C1", "call-creator": BOB.from } }],
});
let begun: string[] = [];
const inTurn = (first: Promise<unknown> = Promise.resolve()) =>
  handleInTurn(socket, {
    first,
    before: ({ attrs }) => void begun.push(attrs["id"] ?? ""),
    after: () => undefined,
  });

/** The events up to this last stanza. */
async function toldUntil(last: string, attrs: Record<string, string> = {}): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.ev.on("messages.upsert", () => {
    if (told.includes(last)) resolve();
  });
  arrive(text(last, attrs));
  await promise;
  return told;
}

describe("processing in order", () => {
  test("pending, then new messages", async () => {
    inTurn();
    for (const each of ["one", "two", "three"]) arrive(text(each, OFFLINE));
    expect(await toldUntil("four")).toEqual(["one", "two", "three", "four"]);
  });

  test("texts and calls", async () => {
    inTurn();
    arrive(text("one"));
    arrive(call("offer"));
    arrive(text("two"));
    arrive(call("terminate"));
    expect(await toldUntil("three")).toEqual(["one", "call offer", "two", "call terminate", "three"]);
  });

  test("a history, and messages in it that arrived after it", async () => {
    inTurn();
    const nodes = [text("one", OFFLINE), text("two", OFFLINE)];
    for (const node of [historyOf(nodes), ...nodes]) arrive(node);
    expect(await toldUntil("three", OFFLINE)).toEqual(["one", "two", "three"]);
  });

  test("an unreadable stanza does not block later ones", async () => {
    inTurn();
    arrive({ ...text("empty"), content: [] });
    arrive({ tag: "message", attrs: { id: "M0", from: "nobody" } });
    arrive({ ...text("spoilt"), content: [{ tag: "plaintext", attrs: {}, content: Buffer.of(255) }] });
    arrive({ tag: "call", attrs: { id: "M0", from: BOB.from } });
    expect(await toldUntil("one")).toEqual(["one"]);
  });
});

describe("no new message is processed", () => {
  test("before the leftover messages", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    inTurn(promise.then(() => told.push("left over")));
    arrive(text("one"));
    const all = toldUntil("two");
    // More turns of the event loop than the library needs for a text.
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    resolve();
    expect(await all).toEqual(["left over", "one", "two"]);
  });

  test("if the leftover messages cannot be loaded", async () => {
    const idle = inTurn(Promise.reject(new Error("the store is unavailable")));
    arrive(text("one"));
    await idle();
    expect([told, begun]).toEqual([[], []]);
  });

  test("after a lost connection", async () => {
    const idle = inTurn();
    terminate(socket);
    arrive(text("one"));
    await idle();
    expect([told, begun]).toEqual([[], []]);
  });
});
