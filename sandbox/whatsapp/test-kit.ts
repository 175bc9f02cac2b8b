import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get } from "node:https";
import {
  type AuthenticationCreds,
  type BaileysEventMap,
  type ConnectionState,
  initAuthCreds,
  makeWASocket,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  WA_CERT_DETAILS,
  type WASocket,
} from "baileys";
import pino from "pino";
import { type Json, requestJson } from "../test-kit.ts";
import { startWhatsapp, type Whatsapp, type WhatsappOptions } from "./server.ts";

const waitMs = 30_000;
const silent = pino({ level: "silent" });

/** The state that an unmodified client keeps between connections. */
export interface ClientState {
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
}

/** A running emulator, and helpers for tests. */
export interface Kit {
  readonly whatsapp: Whatsapp;
  /** An admin request that must succeed, e.g. `admin("POST /people", {...})`. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** The status and error of an admin request that must fail. */
  readonly refused: (route: string, body?: object) => Promise<string>;
  /** Opens a connection of a client. */
  readonly open: (state: ClientState, config?: Partial<UserFacingSocketConfig>) => Client;
  /** Links a new client to a phone by its QR code and logs it in; creates the person if necessary. */
  readonly link: (phone: string, config?: Partial<UserFacingSocketConfig>) => Promise<Client>;
}

/** Runs a test with its own emulator; closes it and every client even if the test fails. */
export async function withWhatsapp(
  run: (kit: Kit) => Promise<void>,
  options?: WhatsappOptions,
): Promise<void> {
  const whatsapp = await startWhatsapp(options);
  const clients: Client[] = [];
  const genuine = WA_CERT_DETAILS.PUBLIC_KEY;
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(whatsapp.rootKey, "hex");
  try {
    await run(openKit(whatsapp, clients));
  } finally {
    for (const client of clients) client.close();
    await whatsapp.close();
    WA_CERT_DETAILS.PUBLIC_KEY = genuine;
  }
}

export function newState(): ClientState {
  return { creds: initAuthCreds(), keys: memoryKeys() };
}

function openKit(whatsapp: Whatsapp, clients: Client[]): Kit {
  const agent = new Agent({ ca: readFileSync(whatsapp.caFile) });
  const ask = (route: string, body?: object) => {
    const [method = "GET", path = "/"] = route.split(" ");
    return requestJson(method, whatsapp.admin + path, body);
  };
  const admin = async (route: string, body?: object): Promise<Json> => {
    const answer = await ask(route, body);
    if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const open = (state: ClientState, config: Partial<UserFacingSocketConfig> = {}): Client => {
    const client = new Client(state, { waWebSocketUrl: whatsapp.url, agent, ...config });
    clients.push(client);
    return client;
  };
  return {
    whatsapp,
    admin,
    refused: async (route, body) => {
      const answer = await ask(route, body);
      return `${answer.status} ${String(answer.body["error"])}`;
    },
    open,
    link: async (phone, config) => {
      await admin("POST /people", { phone });
      const state = newState();
      const unlinked = open(state, config);
      const { qr } = await unlinked.until(({ qr }) => qr !== undefined);
      const closed = unlinked.closed();
      await admin(`POST /people/${phone}/scans`, { qr });
      await closed;
      const client = open(state, config);
      await client.ready();
      return client;
    },
  };
}

/** One connection of an unmodified client. Keeps received events, so that none is missed. */
export class Client {
  readonly state: ClientState;
  readonly socket: WASocket;
  /** Trusts the emulator's authority. */
  readonly agent: Agent;
  readonly #updates: Partial<ConnectionState>[] = [];
  readonly #events: Partial<BaileysEventMap>[] = [];
  readonly #news = new EventEmitter();

  constructor(state: ClientState, config: Partial<UserFacingSocketConfig> & { readonly agent: Agent }) {
    this.state = state;
    this.agent = config.agent;
    this.#news.setMaxListeners(0);
    // The client's Signal library prints whole sessions.
    console.info = () => undefined;
    console.warn = () => undefined;
    this.socket = makeWASocket({
      logger: silent,
      markOnlineOnConnect: false,
      auth: state,
      fetchAgent: config.agent,
      ...config,
    });
    this.socket.ev.on("creds.update", (update) => Object.assign(state.creds, update));
    this.socket.ev.on("connection.update", (update) => {
      this.#updates.push(update);
      this.#news.emit("news");
    });
    this.socket.ev.process((events) => {
      this.#events.push(events);
      this.#news.emit("news");
    });
  }

  /** The first matching connection update, past or future. */
  until(fits: (update: Partial<ConnectionState>) => boolean): Promise<Partial<ConnectionState>> {
    return this.#wait("connection update", () => this.#updates.find(fits));
  }

  /** The status code that the connection closed with. */
  async closed(): Promise<number> {
    const { lastDisconnect } = await this.until(({ connection }) => connection === "close");
    const error = lastDisconnect?.error as { output?: { statusCode?: number } } | undefined;
    return error?.output?.statusCode ?? 0;
  }

  /** Logged in; all waiting stanzas were received, and events are no longer held back. */
  async ready(): Promise<void> {
    await this.until(({ connection }) => connection === "open");
    await this.until(({ receivedPendingNotifications }) => receivedPendingNotifications === true);
    await this.#wait("end of the first sync", () =>
      this.state.creds.accountSyncCounter > 0 ? true : undefined,
    );
  }

  /** The first events of a name, past or future, for which `pick` returns a value. */
  next<Name extends keyof BaileysEventMap, T>(
    name: Name,
    pick: (value: BaileysEventMap[Name]) => T | undefined,
  ): Promise<T> {
    return this.#wait(name, () => {
      for (const events of this.#events) {
        const value = events[name];
        const picked = value === undefined ? undefined : pick(value as BaileysEventMap[Name]);
        if (picked !== undefined) return picked;
      }
      return undefined;
    });
  }

  /** Every event of a name so far. */
  all<Name extends keyof BaileysEventMap>(name: Name): BaileysEventMap[Name][] {
    return this.#events.flatMap((events) =>
      events[name] === undefined ? [] : [events[name] as BaileysEventMap[Name]],
    );
  }

  /** The message with this id, as received. */
  message(id: string) {
    return this.next("messages.upsert", ({ messages }) => messages.find(({ key }) => key.id === id));
  }

  /** Downloads a file like the client, trusting the emulator. */
  fetch(url: string): Promise<{ readonly status: number; readonly body: Buffer }> {
    return new Promise((resolve, reject) => {
      get(url, { agent: this.agent }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }));
      }).on("error", reject);
    });
  }

  /** Runs `work` with a global `fetch` that trusts the emulator: downloads use it instead of the agent. */
  async withFetch<T>(work: () => Promise<T>): Promise<T> {
    const usual = globalThis.fetch;
    globalThis.fetch = async (url) => {
      const { status, body } = await this.fetch(String(url));
      return new Response(new Uint8Array(body), { status });
    };
    try {
      return await work();
    } finally {
      globalThis.fetch = usual;
    }
  }

  close(): void {
    this.socket.end(undefined);
  }

  #wait<T>(what: string, look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = look();
        if (found === undefined) return;
        clearTimeout(timer);
        this.#news.off("news", check);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#news.off("news", check);
        reject(new Error(`no ${what} in ${waitMs} ms; had ${JSON.stringify(this.#updates)}`));
      }, waitMs).unref();
      this.#news.on("news", check);
      check();
    });
  }
}

export function memoryKeys(): SignalKeyStore {
  const rows = new Map<string, unknown>();
  return {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
      Object.fromEntries(
        ids.flatMap((id) => (rows.has(`${type} ${id}`) ? [[id, rows.get(`${type} ${id}`)]] : [])),
      ) as Record<string, SignalDataTypeMap[T]>,
    set: async (data) => {
      for (const [type, entries] of Object.entries(data))
        for (const [id, value] of Object.entries(entries ?? {}))
          if (value === null) rows.delete(`${type} ${id}`);
          else rows.set(`${type} ${id}`, value);
    },
  };
}
