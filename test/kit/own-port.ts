import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";

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
async function listenOn<T extends Server>(port: number, server: T): Promise<T> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** A server that can be closed and opened again on its port. */
export interface OwnServer {
  readonly port: number;
  /** Ends all connections and refuses new ones, until `open` was called as often. */
  close(): Promise<void>;
  open(): Promise<void>;
}

/** Starts a server on loopback. `disconnect` ends all its connections. */
export async function startOwnServer<T extends Server>(
  create: () => T,
  disconnect: (server: T) => void,
): Promise<OwnServer> {
  const own = await listenOnOwnPort(create);
  const { port } = own;
  let { server } = own;
  let closings = 0;
  let turn: Promise<unknown> = Promise.resolve();
  /** Calls may overlap, and each takes a while. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  return {
    port,
    close: () =>
      inTurn(async () => {
        if (++closings > 1) return;
        const closed = new Promise((resolve) => server.close(resolve));
        disconnect(server);
        await closed;
      }),
    open: () =>
      inTurn(async () => {
        if (closings === 0 || --closings > 0) return;
        server = await listenOn(port, create());
      }),
  };
}

/** A port of loopback for a program that is about to start. */
export async function freePort(): Promise<number> {
  const { server, port } = await listenOnOwnPort(() => createServer());
  server.close();
  await once(server, "close");
  return port;
}

/** Whether a program accepts connections at this port of loopback. */
export async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isThere = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isThere;
}
