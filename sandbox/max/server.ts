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
/** The page that the web client is served from; browsers say so in each handshake. */
const webOrigin = "https://web.max.ru";
const maxFrameBytes = 16 * 1024 * 1024;
const keepAliveMs = 60_000;

/** Settings of `startMax`. */
export interface MaxOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Where people, sessions, chats and files outlive a restart; without it everything is forgotten. */
  readonly dataDir?: string;
  /** Start with somebody whose account can be linked and somebody who writes. */
  readonly seedDemo?: boolean;
}

/** Where a running emulator is. */
export interface MaxAddress {
  /** The web socket, e.g. `ws://127.0.0.1:4321/websocket`; takes binary and JSON frames. */
  readonly url: string;
  /** The admin API, e.g. `http://127.0.0.1:4322`. */
  readonly admin: string;
}

/** A running emulator. */
export interface Max extends MaxAddress {
  /** Ends every connection and waiting call, writes the snapshot; safe to call twice. */
  close(): Promise<void>;
}

/** Starts the emulated MAX: web socket and files on one port, and the admin API beside it. */
export async function startMax(options: MaxOptions = {}): Promise<Max> {
  const { host = "127.0.0.1", dataDir } = options;
  const directory = dataDir ?? mkdtempSync(join(tmpdir(), "sandbox-max-"));
  mkdirSync(directory, { recursive: true });
  const { world, save } = openWorld(directory, dataDir !== undefined);
  if (options.seedDemo && world.accounts.size === 0) seedDemo(world);
  const server = openServer(world);
  const admin = openAdmin(world);
  // Messages name the port in the addresses of files.
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

/** The world as it was left in this directory, if it is kept there; `save` writes it at once. */
function openWorld(directory: string, isKept: boolean) {
  const state = join(directory, "state.json");
  const snapshot = isKept ? new Snapshot(state, () => saveWorld(world)) : undefined;
  const world = new World({
    blobs: new BlobStore(join(directory, "files")),
    changed: () => snapshot?.touch(),
  });
  if (isKept) restoreWorld(world, loadSnapshot(state));
  return { world, save: () => snapshot?.flush() };
}

/** Ann, whose account is to be linked, and Bob, who writes to her. */
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
  // A client must not reuse a connection that is just being closed.
  server.keepAliveTimeout = keepAliveMs;
  return server;
}
