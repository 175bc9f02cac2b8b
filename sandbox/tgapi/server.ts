import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer, type Server as TcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BlobStore } from "../blob-store.ts";
import { openExchange } from "../http/exchange.ts";
import { closeServer, listen, listenAgain } from "../http/listen.ts";
import { AdminRouter } from "../http/route.ts";
import { loadSnapshot, Snapshot } from "../snapshot.ts";
import { adminRoutes } from "./admin/routes.ts";
import { serverPublicKeyPem } from "./crypto/server-key.ts";
import { Connection } from "./mtproto/connection.ts";
import type { TakeCall } from "./mtproto/receive.ts";
import { Calls } from "./rpc/calls.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import type { Schema } from "./tl/schema.ts";
import { putPerson } from "./world/directory.ts";
import { FileStore } from "./world/file-store.ts";
import { World } from "./world/world.ts";

/** The data centres that exist; clients begin with the first. */
const dataCentreIds = [2, 4];
const keepAliveMs = 60_000;

/** Settings of `startTgapi`. */
export interface TgapiOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Where people, logins, messages and files outlive a restart; without it everything is forgotten. */
  readonly dataDir?: string;
  /** Start with somebody who owns an account and somebody who writes, so that a newcomer needs no setting up. */
  readonly seedDemo?: boolean;
  /** Schemas of other layers than the current one, for clients that speak those. */
  readonly schemas?: readonly Schema[];
}

/** One data centre, as clients have to be told of it. */
export interface DataCentreAddress {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/** Where a running emulator is, and what its clients must trust. */
export interface TgapiAddress {
  /** The first is where clients begin. */
  readonly dataCentres: readonly DataCentreAddress[];
  /** The admin API, e.g. `http://127.0.0.1:4322`. */
  readonly admin: string;
  /** A PEM file (PKCS #1) with the RSA key that the servers prove themselves with. */
  readonly keyFile: string;
  readonly publicKey: string;
}

/** A running emulator. */
export interface Tgapi extends TgapiAddress {
  /** Ends every connection and waiting call, writes the snapshot; safe to call twice. */
  close(): Promise<void>;
}

/** Starts the emulated data centres, each on a port of its own, and the admin API beside them. */
export async function startTgapi(options: TgapiOptions = {}): Promise<Tgapi> {
  const { host = "127.0.0.1", dataDir } = options;
  const directory = dataDir ?? mkdtempSync(join(tmpdir(), "sandbox-tgapi-"));
  mkdirSync(directory, { recursive: true });
  const { world, save } = openWorld(directory, options);
  const calls = new Calls(world);
  const takeCall: TakeCall = (session, id, reader) => calls.take(session, id, reader);
  const servers: TcpServer[] = [];
  const shownHost = host === "0.0.0.0" ? "127.0.0.1" : host;
  for (const id of dataCentreIds) {
    const server = createServer((socket) => void new Connection(socket, { world, dc: id, takeCall }));
    const port = await listenAgain(server, host, join(directory, `port-${id}`));
    servers.push(server);
    world.dataCentres.push({ id, host: shownHost, port });
  }
  if (options.seedDemo && world.state.people.size === 0) seedDemo(world);
  const admin = openAdmin(world);
  const adminPort = await listen(admin, "127.0.0.1", 0);
  const keyFile = join(directory, "server-key.pem");
  writeFileSync(keyFile, serverPublicKeyPem);

  let closing: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    world.release();
    for (const connection of world.connections) connection.drop();
    await Promise.all([...servers.map(closeTcp), closeServer(admin)]);
    save();
    if (dataDir === undefined) rmSync(directory, { recursive: true, force: true });
  };
  return {
    dataCentres: [...world.dataCentres],
    admin: `http://127.0.0.1:${adminPort}`,
    keyFile,
    publicKey: serverPublicKeyPem,
    close: () => {
      closing ??= shutDown();
      return closing;
    },
  };
}

/** The world as it was left in this directory, if it is kept there; `save` writes it at once. */
function openWorld(directory: string, { dataDir, schemas = [] }: TgapiOptions) {
  const path = join(directory, "state.json");
  const files = new FileStore(new BlobStore(join(directory, "files")));
  const snapshot = dataDir === undefined ? undefined : new Snapshot(path, () => saveWorld(world));
  const world = new World({ files, schemas, changed: () => snapshot?.touch() });
  if (dataDir !== undefined) restoreWorld(world, loadSnapshot(path));
  return { world, save: () => snapshot?.flush() };
}

/** Ann, whose account is to be linked, and Bob, who writes to her. */
function seedDemo(world: World): void {
  putPerson(world, { phone: "79990000001", firstName: "Ann", username: "ann_demo" });
  putPerson(world, { phone: "79990000002", firstName: "Bob", username: "bob_demo" });
}

function openAdmin(world: World): Server {
  const router = new AdminRouter(adminRoutes(world));
  const server = createHttpServer((request, response) => {
    const exchange = openExchange(request, response);
    void router.serve(exchange, exchange.path);
  });
  // A client must not reuse a connection that is just being closed.
  server.keepAliveTimeout = keepAliveMs;
  return server;
}

async function closeTcp(server: TcpServer): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}
