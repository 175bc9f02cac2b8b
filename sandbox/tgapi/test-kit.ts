import { addPublicKey } from "@mtcute/core/utils.js";
import { type BaseTelegramClientOptions, MemoryStorage, TelegramClient } from "@mtcute/node";
import { NodeCryptoProvider } from "@mtcute/node/utils.js";
import { type Json, requestJson } from "../test-kit.ts";
import { serverPublicKeyPem } from "./crypto/server-key.ts";
import { startTgapi, type Tgapi, type TgapiOptions } from "./server.ts";

const waitMs = 30_000;

/** Ann, whose account is logged in, and Bob, who writes to her. */
export const ann = "79990000001";
export const bob = "79990000002";

/** Options of a client. `storage` is where it keeps its keys. */
export type ClientOptions = Omit<Partial<BaseTelegramClientOptions>, "storage"> & {
  readonly storage?: MemoryStorage;
};

/** An unmodified client of mtcute, with what it received. */
export interface Client {
  readonly tg: TelegramClient;
  readonly storage: MemoryStorage;
  /** Texts of new messages in order of arrival. */
  readonly texts: string[];
  /** Names of the updates in the order of the server. */
  readonly updates: string[];
}

/** A running emulator, and helpers for tests. */
export interface Kit {
  readonly tgapi: Tgapi;
  /** An admin request that must succeed, e.g. `admin("POST /people", {...})`. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** The status and error of an admin request that must fail. */
  readonly refused: (route: string, body?: object) => Promise<string>;
  /** A client that is not logged in, or continues with another one's storage. */
  readonly open: (options?: ClientOptions) => Client;
  /** Logs a client in by a QR code that this person scans. */
  readonly login: (phone: string, options?: ClientOptions) => Promise<Client>;
}

/** Runs a test with its own emulator; closes it and every client even if the test fails. */
export async function withTgapi(run: (kit: Kit) => Promise<void>, options: TgapiOptions = {}): Promise<void> {
  const tgapi = await startTgapi({ seedDemo: true, ...options });
  const clients: Client[] = [];
  await trustServer();
  try {
    await run(openKit(tgapi, clients));
  } finally {
    // Disconnects first, so that pending work ends before the client is destroyed.
    await Promise.all(clients.map(({ tg }) => tg.disconnect().catch(() => undefined)));
    await Promise.all(clients.map(({ tg }) => tg.destroy().catch(() => undefined)));
    await tgapi.close();
  }
}

/** Makes mtcute accept the emulator's key as one of Telegram's, in the whole process. */
async function trustServer(): Promise<void> {
  const crypto = new NodeCryptoProvider();
  await crypto.initialize?.();
  addPublicKey(crypto, serverPublicKeyPem);
}

/** Polls; resolves with the first defined result. */
export async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = Date.now() + waitMs;
  while (Date.now() < end) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`no ${what} in ${waitMs} ms`);
}

/** The text of a call's error, for example `400 PEER_ID_INVALID`. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    const { code, text, message } = error as { code?: number; text?: string; message: string };
    return code === undefined ? message : `${code} ${text}`;
  }
  return "no error";
}

function openKit(tgapi: Tgapi, clients: Client[]): Kit {
  const ask = (route: string, body?: object) => {
    const [method = "GET", path = "/"] = route.split(" ");
    return requestJson(method, tgapi.admin + path, body ?? (method === "POST" ? {} : undefined));
  };
  const admin = async (route: string, body?: object): Promise<Json> => {
    const answer = await ask(route, body);
    if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const open = (options: ClientOptions = {}): Client => {
    const client = openClient(tgapi, options);
    clients.push(client);
    return client;
  };
  return {
    tgapi,
    admin,
    refused: async (route, body) => {
      const answer = await ask(route, body);
      return `${answer.status} ${String(answer.body["error"])}`;
    },
    open,
    login: async (phone, options) => {
      const client = open(options);
      await client.tg.signInQr({
        onUrlUpdated: (qr) => void admin(`POST /people/${phone}/scans`, { qr }),
      });
      await client.tg.startUpdatesLoop();
      await settle(client, admin);
      return client;
    },
  };
}

/** The client requests its state and twice the difference, and ignores messages until then. */
async function settle({ tg }: Client, admin: Kit["admin"]): Promise<void> {
  const logins = (await admin("GET /events?event=login"))["items"];
  const name = String(logins?.[Number(logins["length"]) - 1]?.["session"]);
  await admin(`GET /calls?method=updates.getDifference&session=${name}&count=2`);
  await tg.call({ _: "help.getNearestDc" });
}

function openClient({ dataCentres }: Tgapi, options: ClientOptions): Client {
  const storage = options.storage ?? new MemoryStorage();
  const { id = 2, host: ipAddress = "", port = 0 } = dataCentres[0] ?? {};
  const main = { id, ipAddress, port };
  const tg = new TelegramClient({
    apiId: 1,
    apiHash: "0123456789abcdef0123456789abcdef",
    logLevel: Number(process.env["MTCUTE_LOG"] ?? 0),
    defaultDcs: { main, media: { ...main, mediaOnly: true } },
    updates: { catchUp: true },
    ...options,
    storage,
  });
  const client: Client = { tg, storage, texts: [], updates: [] };
  tg.onNewMessage.add(({ text }) => void client.texts.push(text));
  tg.onRawUpdate.add(({ update }) => void client.updates.push(update._));
  return client;
}
