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

/** The existing data centres; clients start with the first. */
const dataCentreIds = [2, 4];
const keepAliveMs = 60_000;

/** Settings of `startTgapi`. */
export interface TgapiOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Directory for people, logins, messages and files that survive a restart; without it nothing is kept. */
  readonly dataDir?: string;
  /** Start with a person who owns an account and one who writes, so that no setup is needed. */
  readonly seedDemo?: boolean;
  /** Schemas of other layers than the current one, for clients of those layers. */
  readonly schemas?: readonly Schema[];
}

/** The address of a data centre, for clients. */
export interface DataCentreAddress {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/** The addresses of a running emulator, and what its clients must trust. */
export interface TgapiAddress {
  /** Clients start with the first. */
  readonly dataCentres: readonly DataCentreAddress[];
  /** The admin API, for example `http://127.0.0.1:4322`. */
  readonly admin: string;
  /** A PEM file (PKCS #1) with the RSA key of the servers. */
  readonly keyFile: string;
  readonly publicKey: string;
}

/** A running emulator. */
export interface Tgapi extends TgapiAddress {
  /** Ends all connections and waits, and writes the snapshot. Idempotent. */
  close(): Promise<void>;
}

/** Starts the emulated data centres, each on a separate port, and the admin API. */
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

/** The saved world of this directory, if there is one; `save` writes it immediately. */
function openWorld(directory: string, { dataDir, schemas = [] }: TgapiOptions) {
  const path = join(directory, "state.json");
  const files = new FileStore(new BlobStore(join(directory, "files")));
  const snapshot = dataDir === undefined ? undefined : new Snapshot(path, () => saveWorld(world));
  const world = new World({ files, schemas, changed: () => snapshot?.touch() });
  if (dataDir !== undefined) restoreWorld(world, loadSnapshot(path));
  return { world, save: () => snapshot?.end() };
}

/** Ann, whose account is linked, and Bob, who writes to her. */
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
  // A client must not reuse a connection that is about to be closed.
  server.keepAliveTimeout = keepAliveMs;
  return server;
}

async function closeTcp(server: TcpServer): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}
