import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createLog } from "../../../src/platform/log.ts";
import { call, outcome } from "../kit/call.ts";
import { startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;
const lines: string[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(line) };
  node = await startNode({ log: createLog({ level: "warn", pretty: false, destination }) });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await node.stop();
});

const BODY_BYTES = 4 * 1024 * 1024;

/** A request whose body lacks its last byte. */
async function almost(bytes: number): Promise<Socket> {
  const { hostname, port } = new URL(node.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined).resume();
  sockets.push(socket);
  await once(socket, "connect");
  const head = ["POST /in/nowhere HTTP/1.1", `Host: ${hostname}`, "Content-Type: application/json"];
  socket.write(`${[...head, `Content-Length: ${bytes}`].join("\r\n")}\r\n\r\n`);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once("close", resolve).write(Buffer.alloc(bytes - 1), () => resolve());
  await promise;
  return socket;
}

const connections = () => promisify(node.http.server.getConnections.bind(node.http.server))();

test("endless bodies displace older endless ones, and no others", async () => {
  const [first, second] = [await almost(BODY_BYTES), await almost(BODY_BYTES)];
  const small = await almost(1_000);
  // Together with these two 68 MB, less 17 bytes.
  for (let count = 0; count < 15; count++) await almost(BODY_BYTES);
  await vi.waitUntil(() => first.closed);
  expect([second.closed, small.closed]).toEqual([false, false]);
  const whole = Buffer.alloc(BODY_BYTES);
  expect(outcome(await call(node, "POST", "/in/nowhere", { raw: whole }))).toBe("404 NOT_FOUND");
});

test("a client that disconnects while sending its body causes no internal error", async () => {
  const leaving = [await almost(1_000), await almost(100_000)];
  const before = await connections();
  for (const socket of leaving) socket.destroy();
  await vi.waitUntil(async () => (await connections()) <= before - leaving.length);
  expect((await call(node, "GET", "/healthz")).status).toBe(200);
  expect(lines).toEqual([]);
});

test("a path with a part of any length is an unknown route", async () => {
  expect(outcome(await call(node, "GET", `/v3/contacts/${"a".repeat(3_000)}`))).toBe("404 NOT_FOUND");
  expect(lines).toEqual([]);
});
