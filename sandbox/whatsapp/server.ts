import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { BlobStore } from "../blob-store.ts";
import { openExchange } from "../http/exchange.ts";
import { isRecord } from "../http/fields.ts";
import { closeServer, listen, listenAgain } from "../http/listen.ts";
import { AdminRouter } from "../http/route.ts";
import { loadSnapshot, Snapshot } from "../snapshot.ts";
import { adminRoutes } from "./admin/routes.ts";
import { Connection } from "./connection.ts";
import { generateKeyPair, type KeyPair, keyPairOf } from "./crypto/x25519.ts";
import { downloadFault, interruptions } from "./fault.ts";
import { connectionEvents } from "./login.ts";
import { type Interruption, MediaStore } from "./media/store.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import { makeServerIdentity, type ServerIdentity } from "./tls/certificate.ts";
import { World } from "./world.ts";

const keepAliveMs = 60_000;

/** Settings of `startWhatsapp`. */
export interface WhatsappOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Directory for people, links, keys and files that survive a restart; without it nothing is kept. */
  readonly dataDir?: string;
  /** Start with a person who owns a phone and one who writes, so that no setup is needed. */
  readonly seedDemo?: boolean;
}

/** The addresses of a running emulator, and what its clients must trust. */
export interface WhatsappAddress {
  /** The web socket, for example `wss://127.0.0.1:4321/ws/chat`. */
  readonly url: string;
  /** The admin API, for example `http://127.0.0.1:4322`. */
  readonly admin: string;
  /** A PEM file with the authority of the certificate. */
  readonly caFile: string;
  /** The root of the server's own certificates, 32 bytes in hex. */
  readonly rootKey: string;
}

/** A running emulator. */
export interface Whatsapp extends WhatsappAddress {
  /** Ends all connections and waits, and writes the snapshot. Idempotent. */
  close(): Promise<void>;
}

/** Starts the emulated WhatsApp: web socket and media store over TLS, and the admin API beside it. */
export async function startWhatsapp(options: WhatsappOptions = {}): Promise<Whatsapp> {
  const { host = "127.0.0.1", dataDir } = options;
  const directory = dataDir ?? mkdtempSync(join(tmpdir(), "sandbox-whatsapp-"));
  mkdirSync(directory, { recursive: true });
  const keys = loadKeys(directory);
  const { world, save } = openWorld(directory, { root: keys.root, isKept: dataDir !== undefined });
  if (options.seedDemo && world.people.size === 0) seedDemo(world);
  const secure = openSecure(world, keys.tls);
  const admin = openAdmin(world);
  // Messages contain the port, in the addresses of files.
  const securePort = await listenAgain(secure.server, host, join(directory, "port"));
  const adminPort = await listen(admin, "127.0.0.1", 0);
  world.media.listenAt(`${host === "0.0.0.0" ? "127.0.0.1" : host}:${securePort}`);

  let closing: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    world.release();
    await Promise.all([secure.close(), closeServer(admin)]);
    save();
    if (dataDir === undefined) rmSync(directory, { recursive: true, force: true });
  };
  return {
    url: `wss://${world.media.host()}/ws/chat`,
    admin: `http://127.0.0.1:${adminPort}`,
    caFile: keys.caFile,
    rootKey: keys.root.publicKey.toString("hex"),
    close: () => {
      closing ??= shutDown();
      return closing;
    },
  };
}

/** The saved world of this directory, if there is one; `save` writes it immediately. */
function openWorld(directory: string, { root, isKept }: { root: KeyPair; isKept: boolean }) {
  const path = join(directory, "state.json");
  const media = new MediaStore(new BlobStore(join(directory, "files")));
  const snapshot = isKept ? new Snapshot(path, () => saveWorld(world)) : undefined;
  const world = new World({ root, media, changed: () => snapshot?.touch() });
  media.maxBytes = () => world.settings.mediaMaxBytes;
  media.takeInterruption = () => takeInterruption(world);
  media.abandoned = () => world.note("abandoned");
  if (isKept) restoreWorld(world, loadSnapshot(path));
  return { world, save: () => snapshot?.end() };
}

function takeInterruption({ faults }: World): Interruption | undefined {
  return interruptions.find((what) => faults.take({ phone: undefined, xmlns: downloadFault, what }));
}

/** Ann, whose phone is linked, and Bob, who writes to her. */
function seedDemo(world: World): void {
  world.putPerson({ phone: "79990000001", name: "Ann" });
  world.putPerson({ phone: "79990000002", name: "Bob" });
}

function openSecure(world: World, tls: ServerIdentity) {
  const server = createHttpsServer({ key: tls.key, cert: tls.certificate }, (request, response) => {
    world.media.serve(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = keepAliveMs;
  const endAll = trackSockets(server);
  const sockets = new WebSocketServer({ server, path: "/ws/chat", maxPayload: 16 * 1024 * 1024 });
  const events = connectionEvents(world);
  sockets.on("connection", (socket) => {
    new Connection(socket, world.takeIdentity(), events);
  });
  const close = (): Promise<void> => {
    for (const socket of sockets.clients) socket.terminate();
    endAll();
    return closeServer(server);
  };
  return { server, close };
}

/** Ends every TCP connection: `closeAllConnections` omits those in the TLS handshake, which could then open a web socket. */
function trackSockets(server: Server): () => void {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  return () => {
    for (const socket of open) socket.destroy();
  };
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

/** The authority, the certificate and the root key; created if they do not exist. */
function loadKeys(directory: string): { root: KeyPair; tls: ServerIdentity; caFile: string } {
  const path = join(directory, "keys.json");
  const caFile = join(directory, "ca.pem");
  const saved = readSavedKeys(path);
  const root = saved?.root ?? generateKeyPair();
  const tls = saved?.tls ?? makeServerIdentity(["127.0.0.1", "localhost"]);
  if (!saved)
    writeFileSync(path, JSON.stringify({ root: root.privateKey.toString("hex"), tls }), { mode: 0o600 });
  writeFileSync(caFile, tls.authority);
  return { root, tls, caFile };
}

function readSavedKeys(path: string): { root: KeyPair; tls: ServerIdentity } | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  const saved: unknown = JSON.parse(text);
  if (!isRecord(saved) || typeof saved["root"] !== "string" || !isRecord(saved["tls"])) return undefined;
  const { key, certificate, authority } = saved["tls"];
  const tls = { key: String(key), certificate: String(certificate), authority: String(authority) };
  return { root: keyPairOf(Buffer.from(saved["root"], "hex")), tls };
}
