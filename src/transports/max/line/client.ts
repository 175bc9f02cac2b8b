import { WebSocket } from "ws";
import { fields, text } from "../../../platform/foreign/foreign-json.ts";
import type { ProxyRoute } from "../../../platform/network/proxy/proxy.ts";
import { ProxyTunnelAgent } from "../../../platform/network/proxy/proxy-agent.ts";
import type { Json } from "../../kit/json.ts";
import { isJson } from "../../kit/json.ts";
import { NoResponse, Refusal } from "../errors.ts";
import {
  BadFrame,
  CMD,
  type Codec,
  type Frame,
  type Header,
  MAX_PACKET_BYTES,
  type Packet,
} from "../wire/frame.ts";
import { OP } from "../wire/opcodes.ts";
import { shapeOf } from "../wire/shape.ts";

/** The web client's origin; MAX closes connections with another one. */
const ORIGIN = "https://web.max.ru";
const SEQUENCES = 0x1_00_00;
const HEADER_ROOM = 64;

export interface ClientOptions {
  readonly url: string;
  /** Null: the connection is direct. */
  readonly proxy: ProxyRoute | null;
  readonly codec: Codec;
  readonly userAgent: string;
  readonly timing: ClientTiming;
  /** Whether this node may write at this moment. */
  mayAct(): boolean;
  /** Called for each push. If the payload cannot be parsed, it is undefined and `raw` is the frame in base64. */
  onPush(push: Push): void;
  log(level: "debug" | "warn", message: string, details: Readonly<Record<string, unknown>>): void;
  /** Logs the shape of each frame. */
  readonly logsFrames: boolean;
}

export interface ClientTiming {
  /** The web client's ping interval. */
  readonly pingMs: number;
  /** A connection without any traffic for this long is dead, whatever its socket reports. */
  readonly silentMs: number;
  readonly callMs: number;
  readonly connectMs: number;
}

export interface Push {
  readonly opcode: number;
  readonly payload: unknown;
  readonly raw?: string;
}

interface Waiting {
  readonly opcode: number;
  resolve(answer: Json): void;
  reject(error: Error): void;
}

const refusal = fields({ error: text, message: text, localizedMessage: text });

/** One connection: makes requests and passes on pushes, until it ends. Any received frame proves that it is alive. */
export class MaxClient {
  /** Resolves with the reason when the connection ends. Never rejects. */
  readonly ended: Promise<string>;
  readonly #options: ClientOptions;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #end: (why: string) => void;
  #isOver = false;
  #seq = 0;
  #lastTrafficAt = performance.now();
  #watch: NodeJS.Timeout | undefined;
  #pings: NodeJS.Timeout | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    this.#end = resolve;
    this.#opened.promise.catch(() => undefined);
    const { url, proxy, userAgent, timing } = options;
    this.#socket = new WebSocket(url, {
      origin: ORIGIN,
      headers: { "user-agent": userAgent },
      perMessageDeflate: false,
      ...(proxy === null ? {} : { agent: new ProxyTunnelAgent(proxy, { secure: url.startsWith("wss:") }) }),
      handshakeTimeout: timing.connectMs,
      maxPayload: MAX_PACKET_BYTES + HEADER_ROOM,
    });
    this.#listen();
  }

  /** Rejects with `NoResponse` if the connection cannot be established. */
  opened(): Promise<void> {
    return this.#opened.promise;
  }

  /**
   * Sends a request and resolves with the response; an empty response is `{}`. Rejects with `Refusal` or `NoResponse`.
   * If `signal` aborts, the response is not awaited.
   */
  async call(opcode: number, payload: object, signal?: AbortSignal): Promise<Json> {
    if (this.#isOver || signal?.aborted === true || !this.#options.mayAct())
      throw new NoResponse("There is no connection to MAX", { sent: false });
    const seq = this.#nextSeq();
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    const rejectLate = (): void => reject(unanswered("MAX did not respond in time"));
    const timer = setTimeout(rejectLate, this.#options.timing.callMs).unref();
    signal?.addEventListener("abort", rejectLate, { once: true });
    this.#waiting.set(seq, { opcode, resolve, reject });
    try {
      this.#write({ cmd: CMD.request, seq, opcode, payload });
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", rejectLate);
      this.#waiting.delete(seq);
    }
  }

  /** Terminates the connection. Idempotent. */
  close(why = "closed"): void {
    this.#socket.terminate();
    this.#finish(why);
  }

  #listen(): void {
    const { pingMs, silentMs } = this.#options.timing;
    this.#socket.on("open", () => {
      this.#onTraffic();
      this.#opened.resolve();
      this.#pings = setInterval(() => this.#ping(), pingMs).unref();
      this.#watch = setInterval(() => this.#checkSilence(), Math.min(5_000, silentMs / 4)).unref();
    });
    this.#socket.on("message", (data, isBinary) => this.#take(packetOf(data, isBinary)));
    this.#socket.on("ping", () => this.#onTraffic());
    this.#socket.on("pong", () => this.#onTraffic());
    this.#socket.on("error", (error) => this.close(error.message));
    this.#socket.on("close", (code) => this.#finish(`MAX closed the connection (${code})`));
  }

  #finish(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#pings);
    clearInterval(this.#watch);
    this.#opened.reject(new NoResponse(why, { sent: false }));
    for (const { reject } of this.#waiting.values()) reject(new NoResponse(why, { sent: true }));
    this.#waiting.clear();
    this.#end(why);
  }

  #onTraffic(): void {
    this.#lastTrafficAt = performance.now();
  }

  #ping(): void {
    // The result is not needed: any traffic shows that the connection is alive.
    this.call(OP.ping, { interactive: false }).catch(() => undefined);
  }

  #checkSilence(): void {
    if (performance.now() - this.#lastTrafficAt > this.#options.timing.silentMs)
      this.close("MAX stopped responding");
  }

  /** Skips the numbers of pending requests. */
  #nextSeq(): number {
    while (this.#waiting.has(this.#seq)) this.#seq = (this.#seq + 1) % SEQUENCES;
    const seq = this.#seq;
    this.#seq = (seq + 1) % SEQUENCES;
    return seq;
  }

  #write(frame: Frame): void {
    this.#note("out", frame);
    this.#socket.send(this.#options.codec.encode(frame), (error) => {
      if (error != null) this.close(error.message);
    });
  }

  #take(packet: Packet): void {
    this.#onTraffic();
    try {
      const frame = this.#options.codec.decode(packet);
      this.#note("in", frame);
      this.#takeFrame(frame);
    } catch (error) {
      this.#takeBad(packet, error);
    }
  }

  #takeFrame({ cmd, seq, opcode, payload }: Frame): void {
    if (cmd !== CMD.request) this.#settle({ cmd, seq, opcode, payload });
    else if (opcode !== OP.ping) this.#options.onPush({ opcode, payload });
    else if (this.#options.mayAct()) this.#write({ cmd: CMD.answer, seq, opcode, payload: null });
  }

  #settle({ cmd, seq, opcode, payload }: Frame): void {
    const waiting = this.#waitingFor({ cmd, seq, opcode });
    if (waiting === undefined) return;
    if (cmd === CMD.answer) waiting.resolve(isJson(payload) ? payload : {});
    else waiting.reject(refusalIn(payload, cmd));
  }

  /** An unreadable payload does not end the connection; an invalid frame does. */
  #takeBad(packet: Packet, error: unknown): void {
    const header = error instanceof BadFrame ? error.header : undefined;
    this.#options.log("warn", "MAX: a frame cannot be read", { error: String(error), ...header });
    if (header === undefined) this.close("MAX sent an invalid frame");
    else if (header.cmd !== CMD.request)
      this.#waitingFor(header)?.reject(unanswered("MAX returned an unreadable response"));
    else if (header.opcode !== OP.ping)
      this.#options.onPush({ opcode: header.opcode, payload: undefined, raw: base64(packet) });
  }

  #waitingFor({ seq, opcode }: Header): Waiting | undefined {
    const waiting = this.#waiting.get(seq);
    return waiting?.opcode === opcode ? waiting : undefined;
  }

  #note(direction: "in" | "out", { cmd, seq, opcode, payload }: Frame): void {
    if (!this.#options.logsFrames) return;
    this.#options.log("debug", "MAX: a frame", { direction, cmd, seq, opcode, payload: shapeOf(payload) });
  }
}

function refusalIn(payload: unknown, cmd: number): Refusal {
  const { error, message, localizedMessage } = refusal(payload) ?? {};
  const key = error ?? (cmd === CMD.notFound ? "not.found" : "");
  return new Refusal(key, message ?? localizedMessage ?? "");
}

function unanswered(message: string): NoResponse {
  return new NoResponse(message, { sent: true, isConnected: true });
}

function packetOf(data: WebSocket.RawData, isBinary: boolean): Packet {
  const bytes = Buffer.isBuffer(data)
    ? data
    : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
  return isBinary ? bytes : bytes.toString();
}

function base64(packet: Packet): string {
  return Buffer.from(packet).toString("base64");
}
