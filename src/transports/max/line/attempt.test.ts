import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { BoundedMap } from "../bounded-map.ts";
import { Marker } from "../inbound/marker.ts";
import { SentLog } from "../outbound/sent-log.ts";
import { ANN, DIALOG, FAST, linkTo, ME } from "../testing.ts";
import { binaryCodec } from "../wire/binary-codec.ts";
import { CMD, type Frame } from "../wire/frame.ts";
import { OP } from "../wire/opcodes.ts";
import { Attempt } from "./attempt.ts";

const START = 1_790_000_000_000;
const CHAT = { id: DIALOG, type: "DIALOG", lastEventTime: START + 1 };
const LOGIN = { profile: { id: ME }, chats: [CHAT], time: START + 1 };

interface Server {
  answer(payload: object): void;
  push(opcode: number, payload: object): void;
  drop(): void;
}

/** How a linked account's connection to a server with these responses ends. The others are empty. */
async function connect(answers: Readonly<Record<number, (server: Server) => void>>) {
  const listening = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(listening, "listening");
  listening.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      const frame = binaryCodec.decode(data);
      const server = serverOf(socket, frame);
      (answers[frame.opcode] ?? (() => server.answer({})))(server);
    });
  });
  const link = linkTo(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    link.abort();
    listening.close();
    await link.dispose();
  });
  const marker = new Marker(link);
  await marker.advance(START, { now: true });
  return new Attempt({
    ...{ link, marker, timing: FAST, signal: link.signal, sent: new SentLog(link.vault) },
    phones: new BoundedMap(1),
    account: { deviceId: "d", token: "t" },
    tell: async () => undefined,
    keepToken: async () => undefined,
  }).run();
}

function serverOf(socket: WebSocket, { seq, opcode }: Frame): Server {
  return {
    answer: (payload) => socket.send(binaryCodec.encode({ cmd: CMD.answer, seq, opcode, payload })),
    push: (type, payload) =>
      socket.send(binaryCodec.encode({ cmd: CMD.request, seq: 0, opcode: type, payload })),
    drop: () => socket.terminate(),
  };
}

test("the time of a connection counts from the end of its catch-up", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const ended = await connect({
    [OP.login]: (server) => server.answer(LOGIN),
    [OP.history]: (server) => {
      vi.advanceTimersByTime(90_000);
      server.drop();
    },
  });
  expect(ended).toMatchObject({ kind: "lost", activeMs: 0 });
});

test("too many pushes before the account is known end the connection", async () => {
  const message = { id: "1", time: START, sender: ANN, text: "Hello" };
  const ended = await connect({
    [OP.login]: (server) => {
      for (let pushes = 0; pushes <= 500; pushes++) server.push(OP.newMessage, { chatId: DIALOG, message });
    },
  });
  expect(ended).toMatchObject({ kind: "lost", detail: "too many pushes" });
});
