import { EventEmitter, once } from "node:events";
import { WebSocket } from "ws";
import { type Json, requestJson } from "../test-kit.ts";
import { opcode } from "./opcode.ts";
import { type Max, type MaxOptions, startMax } from "./server.ts";
import { binaryCodec } from "./wire/binary-codec.ts";
import { type Codec, command, type Frame } from "./wire/frame.ts";
import { jsonCodec } from "./wire/json-codec.ts";

const waitMs = 30_000;
export const [ann, bob, zoe] = ["79990000001", "79990000002", "79990000003"] as const;

/** The declarations of a web client in SESSION_INIT. */
export const userAgent = {
  deviceType: "WEB",
  pushDeviceType: "WEBPUSH",
  locale: "ru",
  deviceLocale: "ru",
  osVersion: "Linux",
  deviceName: "Chrome",
  headerUserAgent: "Mozilla/5.0",
  isPwa: false,
  appVersion: "26.9.8",
  screen: "1080x1920 1.0x",
  timezone: "Europe/Moscow",
};

/** A running emulator with Ann, Bob and Zoe, and helpers for tests. */
export interface Kit {
  readonly max: Max;
  /** An admin request that must succeed, e.g. `admin("POST /people", {...})`. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** The status and error of an admin request that must fail. */
  readonly refused: (route: string, body?: object) => Promise<string>;
  /** Opens a connection and starts the session. */
  readonly open: (setup?: Partial<ClientSetup>) => Promise<Client>;
  /** Links a client to a phone by QR code and logs it in. */
  readonly link: (phone: string, setup?: Partial<ClientSetup>) => Promise<Client>;
  /** The number of a person. */
  readonly idOf: (phone: string) => Promise<number>;
}

interface ClientSetup {
  readonly form: "binary" | "json";
  readonly deviceId: string;
  readonly origin: string;
  /** Without SESSION_INIT. */
  readonly bare: boolean;
}

/** Runs a test with its own emulator; closes it and every client even if the test fails. */
export async function withMax(run: (kit: Kit) => Promise<void>, options?: MaxOptions): Promise<void> {
  const max = await startMax(options);
  const clients: Client[] = [];
  try {
    await run(await openKit(max, clients));
  } finally {
    for (const client of clients) client.close();
    await max.close();
  }
}

async function openKit(max: Max, clients: Client[]): Promise<Kit> {
  const ask = (route: string, body?: object) => {
    const [method = "GET", path = "/"] = route.split(" ");
    return requestJson(method, max.admin + path, body);
  };
  const admin = async (route: string, body?: object): Promise<Json> => {
    const answer = await ask(route, body);
    if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const open = async (setup: Partial<ClientSetup> = {}): Promise<Client> => {
    const client = new Client(max.url, { form: "binary", deviceId: "device-1", ...setup });
    clients.push(client);
    await client.ready;
    if (!setup.bare) await client.call(opcode.sessionInit, { userAgent, deviceId: client.deviceId });
    return client;
  };
  for (const [phone, name] of [
    [ann, "Ann"],
    [bob, "Bob"],
    [zoe, "Zoe"],
  ])
    await admin("POST /people", { phone, name });
  return {
    max,
    admin,
    refused: async (route, body) => {
      const answer = await ask(route, body);
      return `${answer.status} ${String(answer.body["error"])}`;
    },
    open,
    link: async (phone, setup) => {
      const client = await open(setup);
      const qr = await client.call(opcode.getQr, {});
      await admin(`POST /people/${phone}/scans`, { qr: qr["qrLink"] });
      const { tokenAttrs } = await client.call(opcode.loginByQr, { trackId: qr["trackId"] });
      await client.logIn(String(tokenAttrs?.["LOGIN"]?.["token"]));
      return client;
    },
    idOf: async (phone) => Number((await admin(`GET /people/${phone}`))["user_id"]),
  };
}

/** An error frame. */
class Refused extends Error {
  readonly payload: Json;

  constructor(payload: Json) {
    super(`${payload["error"]}: ${payload["message"]}`);
    this.payload = payload;
  }
}

/** One connection of a client. Keeps received pushes, so that none is missed. */
export class Client {
  readonly deviceId: string;
  readonly socket: WebSocket;
  readonly ready: Promise<unknown>;
  /** Resolves with the code once the connection has ended. */
  readonly closed: Promise<number>;
  readonly pushes: Frame[] = [];
  /** Errors of frames that could not be parsed. */
  readonly broken: unknown[] = [];
  token = "";
  /** Whether pings of the server are answered. */
  answersPings = true;
  readonly #codec: Codec;
  readonly #waiting = new Map<number, (frame: Frame) => void>();
  readonly #news = new EventEmitter();
  readonly #taken = new Set<Frame>();
  #seq = 0;

  constructor(url: string, setup: { form: "binary" | "json"; deviceId: string; origin?: string }) {
    this.deviceId = setup.deviceId;
    this.#codec = setup.form === "json" ? jsonCodec : binaryCodec(() => "all");
    this.#news.setMaxListeners(0);
    this.socket = new WebSocket(url, { origin: setup.origin ?? "https://web.max.ru" });
    this.ready = once(this.socket, "open");
    this.closed = new Promise((resolve) => this.socket.once("close", resolve));
    this.socket.on("error", () => undefined);
    this.socket.on("message", (data: Buffer) => this.#read(data));
  }

  /** A request; rejects with `Refused`, or if the connection ends. */
  async call(operation: number, payload: unknown): Promise<Json> {
    const { cmd, payload: answer } = await this.exchange(operation, payload);
    if (cmd === command.error) throw new Refused(answer as Json);
    return (answer ?? {}) as Json;
  }

  /** A request and the frame that answers it. */
  exchange(operation: number, payload: unknown): Promise<Frame> {
    const seq = this.#seq++;
    this.send({ cmd: command.request, seq, opcode: operation, payload });
    const answer = new Promise<Frame>((resolve) => this.#waiting.set(seq, resolve));
    const ended = this.closed.then((code) => Promise.reject(new Error(`closed with ${code}`)));
    return Promise.race([answer, ended]);
  }

  /** The code of the error that a request must end with. */
  async refusal(operation: number, payload: unknown): Promise<string> {
    const { cmd, payload: answer } = await this.exchange(operation, payload);
    if (cmd !== command.error) throw new Error(`${operation} was not refused`);
    return String((answer as Json)["error"]);
  }

  logIn(token: string, fields: object = {}): Promise<Json> {
    this.token = token;
    const sync = { chatsSync: 0, contactsSync: 0, presenceSync: 0, draftsSync: 0 };
    return this.call(opcode.login, { token, chatsCount: 40, interactive: false, ...sync, ...fields });
  }

  text(chatId: number, text: string, cid: number = 1_766_000_000_000 + this.#seq): Promise<Json> {
    const message = { text, cid, elements: [], attaches: [] };
    return this.call(opcode.msgSend, { chatId, message, notify: true });
  }

  /** The next push of this kind that was not taken yet. */
  async next(operation: number, fits: (payload: Json) => boolean = () => true): Promise<Json> {
    const timeout = AbortSignal.timeout(waitMs);
    for (;;) {
      const found = this.pushes.find(
        (frame) => frame.opcode === operation && !this.#taken.has(frame) && fits(frame.payload as Json),
      );
      if (found) {
        this.#taken.add(found);
        return found.payload as Json;
      }
      await once(this.#news, "push", { signal: timeout });
    }
  }

  send(frame: Frame): void {
    this.socket.send(this.#codec.encode(frame));
  }

  close(): void {
    this.socket.terminate();
  }

  #read(data: Buffer): void {
    let frame: Frame;
    try {
      frame = this.#codec.decode(data);
    } catch (error) {
      this.broken.push(error);
      return;
    }
    this.#take(frame);
  }

  #take(frame: Frame): void {
    if (frame.cmd !== command.request) {
      this.#waiting.get(frame.seq)?.(frame);
      this.#waiting.delete(frame.seq);
      return;
    }
    if (frame.opcode === opcode.ping && this.answersPings)
      this.send({ ...frame, cmd: command.answer, payload: undefined });
    this.pushes.push(frame);
    this.#news.emit("push");
  }
}
