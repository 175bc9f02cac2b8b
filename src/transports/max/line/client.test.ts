import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { FAST } from "../testing.ts";
import { binaryCodec } from "../wire/binary-codec.ts";
import { CMD, type Frame } from "../wire/frame.ts";
import { OP } from "../wire/opcodes.ts";
import { MaxClient, type Push } from "./client.ts";

interface World {
  readonly client: MaxClient;
  readonly server: WebSocket;
  /** The frames that the client wrote, in order, without its own pings. */
  readonly written: Frame[];
  readonly pushes: Push[];
  readonly logs: string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  say(frame: Partial<Frame>): void;
  /** The next frame from the client. */
  nextFrame(): Promise<Frame>;
}

/** A client and the server's end of its connection. */
async function connect(
  more: { mayAct?: () => boolean; logsFrames?: boolean; pingMs?: number; callMs?: number } = {},
): Promise<World> {
  const { mayAct = () => true, logsFrames = false, pingMs = 60_000, callMs = FAST.callMs } = more;
  const listening = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  const [pushes, logs, written]: [Push[], string[], Frame[]] = [[], [], []];
  const arrived = once(listening, "connection");
  const client = new MaxClient({
    proxy: null,
    ...{ url: `ws://127.0.0.1:${port}/`, codec: binaryCodec, userAgent: "Browser", mayAct, logsFrames },
    timing: { ...FAST, pingMs, callMs },
    onPush: (push) => void pushes.push(push),
    log: (_, message, details) => void logs.push(`${message} ${JSON.stringify(details)}`),
  });
  const [server, { headers }] = (await arrived) as [WebSocket, { headers: World["headers"] }];
  onTestFinished(() => {
    client.close();
    listening.close();
    server.terminate();
  });
  server.on("message", (data: Buffer) => void written.push(binaryCodec.decode(data)));
  await client.opened();
  let seen = 0;
  return {
    ...{ client, server, written, pushes, logs, headers },
    say: (frame) =>
      server.send(binaryCodec.encode({ cmd: CMD.answer, seq: 0, opcode: 1, payload: null, ...frame })),
    async nextFrame() {
      await vi.waitUntil(() => written.length > seen, { interval: 2 });
      return written[seen++] as Frame;
    },
  };
}

test("sends the web client's origin", async () => {
  const { headers } = await connect();
  expect(headers).toMatchObject({ origin: "https://web.max.ru", "user-agent": "Browser" });
});

test("matches responses to requests in any order", async () => {
  const { client, say, nextFrame } = await connect();
  const [first, second] = [
    client.call(OP.history, { chatId: 1 }),
    client.call(OP.chatInfo, { chatIds: [1] }),
  ];
  const frames = [await nextFrame(), await nextFrame()];
  expect(frames.map(({ cmd, seq, opcode }) => [cmd, seq, opcode])).toEqual([
    [0, 0, OP.history],
    [0, 1, OP.chatInfo],
  ]);
  say({ seq: 1, opcode: OP.chatInfo, payload: { chats: [] } });
  say({ seq: 0, opcode: OP.history });
  expect([await first, await second]).toEqual([{}, { chats: [] }]);
});

describe("a response", () => {
  test.each<[string, Partial<Frame>, object]>([
    [
      "that refuses",
      { cmd: CMD.error, payload: { error: "not.found", message: "no" } },
      { key: "not.found", words: "no" },
    ],
    ["that is not found", { cmd: CMD.notFound }, { key: "not.found" }],
    ["that refuses without text", { cmd: CMD.error }, { key: "", words: "" }],
  ])("%s is an error", async (_, frame, expected) => {
    const { client, say, nextFrame } = await connect();
    const asked = client.call(OP.history, {});
    await nextFrame();
    say({ seq: 0, opcode: OP.history, ...frame });
    await expect(asked).rejects.toMatchObject(expected);
  });

  test.each<[string, Partial<Frame>]>([
    ["with another opcode", { opcode: OP.typing }],
    ["with another sequence number", { seq: 7 }],
  ])("%s is not the response", async (_, frame) => {
    const { client, say, nextFrame } = await connect({ callMs: 200 });
    const asked = client.call(OP.history, {});
    await nextFrame();
    say({ seq: 0, opcode: OP.history, ...frame });
    const late = { sent: true, isConnected: true, message: "MAX did not respond in time" };
    await expect(asked).rejects.toMatchObject(late);
  });

  test("that is unreadable fails the request, not the connection", async () => {
    const { client, server, say, nextFrame } = await connect();
    const asked = client.call(OP.history, {});
    await nextFrame();
    server.send(Buffer.from("0a0100000031000000 01c1".replaceAll(" ", ""), "hex"));
    await expect(asked).rejects.toMatchObject({ sent: true, isConnected: true });
    const again = client.call(OP.history, {});
    const { seq } = await nextFrame();
    say({ seq, opcode: OP.history, payload: { messages: [] } });
    expect(await again).toEqual({ messages: [] });
  });
});

test("responds to pings with an empty payload, and sends its own", async () => {
  const { say, nextFrame } = await connect({ pingMs: 40 });
  say({ cmd: CMD.request, seq: 513, opcode: OP.ping, payload: {} });
  const frames = [await nextFrame(), await nextFrame()].toSorted((a, b) => b.cmd - a.cmd);
  expect(frames).toEqual([
    { cmd: CMD.answer, seq: 513, opcode: OP.ping, payload: null },
    { cmd: CMD.request, seq: expect.any(Number), opcode: OP.ping, payload: { interactive: false } },
  ]);
});

test("passes on pushes, including unreadable ones", async () => {
  const { server, say, pushes } = await connect();
  say({ cmd: CMD.request, opcode: OP.readMark, payload: { chatId: 1 } });
  server.send(Buffer.from("0a000000008000000001c1", "hex"));
  await vi.waitUntil(() => pushes.length === 2);
  expect(pushes).toEqual([
    { opcode: OP.readMark, payload: { chatId: 1 } },
    { opcode: OP.newMessage, payload: undefined, raw: "CgAAAACAAAAAAcE=" },
  ]);
});

describe("a connection ends", () => {
  test.each<[string, (world: World) => void, boolean]>([
    ["when the other side closes", ({ server }) => server.close(), false],
    ["when it breaks", ({ server }) => server.terminate(), false],
    // The response is overdue before the silence is long enough.
    ["when it is silent", () => undefined, true],
    ["when it receives an invalid frame", ({ server }) => server.send("hello"), false],
    ["when it is closed here", ({ client }) => client.close(), false],
  ])("%s: pending requests fail", async (_, end, isConnected) => {
    const world = await connect(isConnected ? { callMs: 200 } : {});
    const asked = world.client.call(OP.history, {}).catch((error: unknown) => error);
    end(world);
    expect(await world.client.ended).toEqual(expect.any(String));
    expect(await asked).toMatchObject({ sent: true, isConnected });
    await expect(world.client.call(OP.history, {})).rejects.toMatchObject({
      sent: false,
      isConnected: false,
    });
  });

  test("before it was established", async () => {
    const client = new MaxClient({
      proxy: null,
      ...{
        url: "ws://127.0.0.1:9/",
        codec: binaryCodec,
        userAgent: "",
        mayAct: () => true,
        logsFrames: false,
      },
      ...{ timing: FAST, onPush: () => undefined, log: () => undefined },
    });
    await expect(client.opened()).rejects.toMatchObject({ sent: false });
    await client.ended;
  });
});

test("a node that may not act writes nothing, not even a ping", async () => {
  let may = true;
  const { client, say, written, pushes } = await connect({ mayAct: () => may, pingMs: 20 });
  may = false;
  const before = written.length;
  await expect(client.call(OP.send, {})).rejects.toMatchObject({ sent: false });
  say({ cmd: CMD.request, seq: 9, opcode: OP.ping });
  say({ cmd: CMD.request, opcode: OP.readMark, payload: {} });
  await vi.waitUntil(() => pushes.length === 1);
  expect(written.length - before).toBeLessThanOrEqual(1);
  expect(written.filter(({ cmd }) => cmd === CMD.answer)).toEqual([]);
});

test("an aborted request is dropped", async () => {
  const { client, nextFrame } = await connect();
  const end = new AbortController();
  const asked = client.call(OP.history, {}, end.signal);
  await nextFrame();
  end.abort();
  await expect(asked).rejects.toMatchObject({ sent: true });
  await expect(client.call(OP.history, {}, end.signal)).rejects.toMatchObject({ sent: false });
});

test("frames are logged by shape only, if enabled", async () => {
  const { client, say, nextFrame, logs } = await connect({ logsFrames: true });
  const asked = client.call(OP.login, { token: "secret-token" });
  await nextFrame();
  say({ seq: 0, opcode: OP.login, payload: { profile: { name: "secret-name" } } });
  await asked;
  expect(logs).toHaveLength(2);
  expect(logs.join()).toContain('"token":"string"');
  expect(logs.join()).not.toContain("secret");
});
