import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { Server } from "node:net";

/** Linux gives ports from 32768 on to outgoing connections, which may take that of a server while it is closed. */
const PORTS = { from: 20_000, to: 32_000 };
const ATTEMPTS = 100;

/** Lets a new server listen on loopback, on a port that stays this process's own while the server is closed. */
export async function listenOnOwnPort<T extends Server>(
  create: () => T,
): Promise<{ server: T; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(PORTS.from, PORTS.to);
    try {
      await reserve(port);
      return { server: await listenOn(port, create()), port };
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!isTaken || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Keeps others that call this from the port until the process ends: UDP has ports of its own, which only they use. */
async function reserve(port: number): Promise<void> {
  const held = createSocket("udp4").unref();
  held.bind({ port, address: "127.0.0.1", exclusive: true });
  await once(held, "listening");
}

/** Resolves once the server listens on this port of loopback. */
export async function listenOn<T extends Server>(port: number, server: T): Promise<T> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
