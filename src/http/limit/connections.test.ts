import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import type { App } from "../app.ts";
import { limitConnections } from "./connections.ts";

/** Of the lowest limit. */
const ALLOWED = 16;

async function startServer(): Promise<number> {
  const app = fastify({ keepAliveTimeout: 600_000 }) as unknown as App;
  limitConnections(app, 1);
  app.get("/", async () => "ok");
  await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => app.close());
  return (app.server.address() as AddressInfo).port;
}

function open(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  return socket.on("error", () => undefined).resume();
}

/** A connection that waits for another request. */
async function openIdle(port: number): Promise<Socket> {
  const socket = open(port);
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await once(socket, "data");
  return socket;
}

test("a connection too many is closed, and those that wait for another request make room", async () => {
  const port = await startServer();
  const idle = await Promise.all(Array.from({ length: ALLOWED }, () => openIdle(port)));
  const closed = Promise.all(idle.map((socket) => once(socket, "close")));
  await once(open(port), "close");
  await closed;
  expect((await openIdle(port)).destroyed).toBe(false);
});
