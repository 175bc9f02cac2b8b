import { hkdfSync } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { initAuthCreds, makeCacheableSignalKeyStore, makeWASocket, type WASocket } from "baileys-6";
import pino from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Kit, memoryKeys, withWhatsapp } from "./test-kit.ts";

const ann = "79990000001";
const bob = "79990000002";
const logger = pino({ level: "silent" });

/**
 * The library sends the last message of its handshake, then derives the keys of the line on the thread pool. A frame that
 * arrives in between is lost, and none after it can be opened. A server across a network is never that quick; this one is.
 * So the keys are derived at once.
 */
function deriveAtOnce(): void {
  const { subtle } = globalThis.crypto;
  const importKey = subtle.importKey.bind(subtle) as (...args: unknown[]) => Promise<unknown>;
  const deriveBits = subtle.deriveBits.bind(subtle) as (...args: unknown[]) => Promise<unknown>;
  vi.spyOn(subtle, "importKey").mockImplementation((async (...args: unknown[]) => {
    const [, bytes, algorithm] = args;
    return isHkdf(algorithm) ? bytes : importKey(...args);
  }) as never);
  vi.spyOn(subtle, "deriveBits").mockImplementation((async (...args: unknown[]) => {
    const [algorithm, key, bits] = args;
    if (!isHkdf(algorithm)) return deriveBits(...args);
    return hkdfSync("sha256", key as Uint8Array, algorithm.salt, algorithm.info, Number(bits) / 8);
  }) as never);
}

interface Hkdf {
  readonly name: "HKDF";
  readonly salt: Uint8Array;
  readonly info: Uint8Array;
}
const isHkdf = (algorithm: unknown): algorithm is Hkdf =>
  (algorithm as { name?: unknown } | null)?.name === "HKDF";

beforeEach(deriveAtOnce);
afterEach(() => {
  vi.restoreAllMocks();
});

/** A connection of the older client; `news` emits `qr`, `open`, `close` and `message`. */
interface Line {
  readonly socket: WASocket;
  readonly news: EventEmitter;
}

/** Returns what opens a connection, each with the same saved state, as users of the library do after a disconnect. */
function linesOf({ whatsapp }: Pick<Kit, "whatsapp">): () => Line {
  const agent = new Agent({ ca: readFileSync(whatsapp.caFile) });
  const creds = initAuthCreds();
  const keys = makeCacheableSignalKeyStore(memoryKeys(), logger);
  return () => {
    const socket = makeWASocket({
      logger,
      auth: { creds, keys },
      waWebSocketUrl: whatsapp.url,
      agent,
      fetchAgent: agent,
      markOnlineOnConnect: false,
    });
    socket.ev.on("creds.update", (update) => Object.assign(creds, update));
    return { socket, news: newsOf(socket) };
  };
}

function newsOf({ ev }: WASocket): EventEmitter {
  const news = new EventEmitter();
  ev.on("connection.update", ({ qr, connection }) => {
    // The first update of a connection names `qr` without a value.
    if (qr) news.emit("qr", qr);
    if (connection) news.emit(connection);
  });
  ev.on("messages.upsert", ({ messages }) => {
    for (const message of messages) if (!message.key.fromMe) news.emit("message", message);
  });
  return news;
}

async function scanQr({ admin }: Kit, { socket, news }: Line): Promise<void> {
  try {
    const [qr] = await once(news, "qr");
    const closed = once(news, "close");
    await admin(`POST /people/${ann}/scans`, { qr });
    await closed;
  } finally {
    socket.end(undefined);
  }
}

test("the previous major version of the client library links, sends and receives", () =>
  withWhatsapp(async (kit) => {
    const { admin } = kit;
    for (const phone of [ann, bob]) await admin("POST /people", { phone });
    const open = linesOf(kit);
    await scanQr(kit, open());
    const { socket, news } = open();
    try {
      await once(news, "open");
      await admin("GET /iqs?what=props&count=1");
      const sent = await socket.sendMessage(`${bob}@s.whatsapp.net`, { text: "Hello from version 6" });
      const inbox = await admin(`GET /people/${bob}/inbox?count=1`);
      expect(inbox["items"]).toMatchObject([
        { message_id: sent?.key.id, from: ann, text: "Hello from version 6", problem: null },
      ]);
      const arrived = once(news, "message");
      await admin(`POST /people/${bob}/messages`, { to: ann, text: "Hello back" });
      const [message] = await arrived;
      expect(message).toMatchObject({ message: { conversation: "Hello back" } });
      const refused = expect.objectContaining({ error: expect.any(Number) });
      expect((await admin("GET /iqs"))["items"]).not.toContainEqual(refused);
      expect(await admin("GET /events?event=violation")).toMatchObject({ items: [] });
    } finally {
      socket.end(undefined);
    }
  }));
