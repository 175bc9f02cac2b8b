import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { BlobStore } from "../blob-store.ts";
import { openExchange } from "../http/exchange.ts";
import { closeServer, listen, listenAgain } from "../http/listen.ts";
import { AdminRouter } from "../http/route.ts";
import { loadSnapshot, Snapshot } from "../snapshot.ts";
import { adminRoutes } from "./admin/routes.ts";
import { ClientConnection } from "./connection.ts";
import { connectionEvents } from "./events.ts";
import { keepAlive } from "./keep-alive.ts";
import { serveFiles } from "./media/http.ts";
import type { Session } from "./world/account.ts";
import { restoreWorld, saveWorld } from "./world/saved-world.ts";
import { World } from "./world/world.ts";

const path = "/websocket";
/** The origin of the web client; browsers send it in each handshake. */
const webOrigin = "https://web.max.ru";
const maxFrameBytes = 16 * 1024 * 1024;
const keepAliveMs = 60_000;

/** Settings of `startMax`. */
export interface MaxOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Directory for people, sessions, chats and files that survive a restart; without it nothing is kept. */
  readonly dataDir?: string;
  /** Start with a person whose account can be linked, and one who writes. */
  readonly seedDemo?: boolean;
}

/** The addresses of a running emulator. */
export interface MaxAddress {
  /** The web socket, for example `ws://127.0.0.1:4321/websocket`; accepts binary and JSON frames. */
  readonly url: string;
  /** The admin API, e.g. `http://127.0.0.1:4322`. */
  readonly admin: string;
}

/** A running emulator. */
export interface Max extends MaxAddress {
  /** Ends all connections and waits, and writes the snapshot. Idempotent. */
  close(): Promise<void>;
}

/** Starts the emulated MAX: web socket and files on one port, the admin API on another. */
export async function startMax(options: MaxOptions = {}): Promise<Max> {
  const { host = "127.0.0.1", dataDir } = options;
  const directory = dataDir ?? mkdtempSync(join(tmpdir(), "sandbox-max-"));
  mkdirSync(directory, { recursive: true });
  const { world, save } = openWorld(directory, dataDir !== undefined);
  if (options.seedDemo && world.accounts.size === 0) seedDemo(world);
  const server = openServer(world);
  const admin = openAdmin(world);
  // Messages contain the port, in the addresses of files.
  const port = await listenAgain(server.http, host, join(directory, "port"));
  const adminPort = await listen(admin, "127.0.0.1", 0);
  const address = `${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
  world.media.listenAt(`http://${address}`);

  let closing: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    world.release();
    await Promise.all([server.close(), closeServer(admin)]);
    save();
    if (dataDir === undefined) rmSync(directory, { recursive: true, force: true });
  };
  return {
    url: `ws://${address}${path}`,
    admin: `http://127.0.0.1:${adminPort}`,
    close: () => {
      closing ??= shutDown();
      return closing;
    },
  };
}

/** The saved world of this directory, if there is one; `save` writes it immediately. */
function openWorld(directory: string, isKept: boolean) {
  const state = join(directory, "state.json");
  const snapshot = isKept ? new Snapshot(state, () => saveWorld(world)) : undefined;
  const world = new World({
    blobs: new BlobStore(join(directory, "files")),
    changed: () => snapshot?.touch(),
  });
  if (isKept) restoreWorld(world, loadSnapshot(state));
  return { world, save: () => snapshot?.end() };
}

/** Ann, whose account is linked, and Bob, who writes to her. */
function seedDemo(world: World): void {
  world.putAccount({ phone: "79990000001", name: "Ann" });
  world.putAccount({ phone: "79990000002", name: "Bob" });
}

function openServer(world: World) {
  const http = createServer((request, response) => {
    void serveFiles(world, openExchange(request, response));
  });
  http.keepAliveTimeout = keepAliveMs;
  const sockets = new WebSocketServer({
    server: http,
    path,
    maxPayload: maxFrameBytes,
    verifyClient: ({ origin }: { origin: string }) => origin === webOrigin,
  });
  const events = connectionEvents(world);
  const wrapping = () => world.settings.wrapIds;
  sockets.on("connection", (socket) => {
    const connection = new ClientConnection<Session>(socket, events, wrapping);
    world.connections.add(connection);
    keepAlive(world, connection);
  });
  const close = (): Promise<void> => {
    for (const socket of sockets.clients) socket.terminate();
    return closeServer(http);
  };
  return { http, close };
}

function openAdmin(world: World): Server {
  const router = new AdminRouter(adminRoutes(world));
  const server = createServer((request, response) => {
    const exchange = openExchange(request, response);
    void router.serve(exchange, exchange.path);
  });
  // A client must not reuse a connection that is about to be closed.
  server.keepAliveTimeout = keepAliveMs;
  return server;
}
