import { connect, type Socket } from "node:net";
import { IntermediatePacketCodec, type ITelegramConnection, type TelegramTransport } from "@mtcute/core";

const CONNECT_LIMIT_MS = 15_000;
/** Above this amount of unread data, the socket pauses until the library has read it. */
const READ_AHEAD_BYTES = 1024 * 1024;

export interface SocketOptions {
  /** Awaited before each attempt; rejects if this node may not connect. */
  permitConnect(): Promise<void>;
  /** Whether data may be written at this moment. */
  mayWrite(): boolean;
  /** Ends all connections. */
  readonly signal: AbortSignal;
}

/**
 * MTProto over TCP with intermediate framing (core.telegram.org/mtproto/mtproto-transports). Every attempt waits for
 * permission to connect, and a node that was frozen writes nothing when it resumes.
 */
export function createSocketTransport(
  options: SocketOptions,
  open: (host: string, port: number) => Promise<Socket> = (host, port) =>
    openSocket(host, port, options.signal),
): TelegramTransport {
  return {
    packetCodec: () => new IntermediatePacketCodec(),
    connect: ({ ipAddress, port }) => openSocketConnection(options, () => open(ipAddress, port)),
  };
}

/** Waits for permission, opens a socket, and gives it the library's interface. */
export async function openSocketConnection(
  options: SocketOptions,
  open: () => Promise<Socket>,
): Promise<ITelegramConnection> {
  await options.permitConnect();
  options.signal.throwIfAborted();
  return new SocketConnection(await open(), options);
}

function openSocket(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
  const giveUp = (): void => void socket.destroy(new Error("The connection is no longer needed"));
  socket.setTimeout(CONNECT_LIMIT_MS, () => socket.destroy(new Error("Telegram did not respond")));
  signal.addEventListener("abort", giveUp, { once: true });
  socket.once("error", reject);
  socket.once("connect", () => {
    socket.setTimeout(0);
    resolve(socket);
  });
  return promise.finally(() => signal.removeEventListener("abort", giveUp));
}

/**
 * A socket with the library's interface. Its end is reported as an error, because the library would spin on empty
 * reads.
 */
class SocketConnection implements ITelegramConnection {
  readonly localAddress = null;
  readonly remoteAddress = null;
  readonly #socket: Socket;
  readonly #options: SocketOptions;
  #chunks: Uint8Array[] = [];
  #waitingBytes = 0;
  #error: Error | null = null;
  #isEnded = false;
  #resumeRead: (() => void) | null = null;
  readonly #abort = (): void => this.close();

  constructor(socket: Socket, options: SocketOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#end(error));
    socket.on("close", () => this.#end(new Error("Telegram closed the connection")));
    options.signal.addEventListener("abort", this.#abort, { once: true });
    if (options.signal.aborted) this.close();
  }

  async read(into: Uint8Array): Promise<number> {
    while (this.#chunks.length === 0) {
      if (this.#error !== null) throw this.#error;
      await new Promise<void>((resolve) => {
        this.#resumeRead = resolve;
      });
    }
    const [first = new Uint8Array(0)] = this.#chunks;
    const size = Math.min(first.length, into.length);
    into.set(first.subarray(0, size));
    if (size === first.length) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(size);
    this.#waitingBytes -= size;
    if (this.#waitingBytes < READ_AHEAD_BYTES && this.#socket.isPaused()) this.#socket.resume();
    return size;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#options.mayWrite()) {
      this.close();
      throw new Error("This node currently may not act for the channel");
    }
    if (this.#error !== null) throw this.#error;
    if (this.#socket.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        this.#socket.off("drain", go);
        this.#socket.off("close", go);
        resolve();
      };
      this.#socket.on("drain", go);
      this.#socket.on("close", go);
    });
  }

  close(): void {
    this.#socket.destroy();
    this.#end(new Error("The connection was closed"));
  }

  #take(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= READ_AHEAD_BYTES) this.#socket.pause();
    this.#notify();
  }

  #end(error: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#options.signal.removeEventListener("abort", this.#abort);
    this.#notify();
  }

  #notify(): void {
    const resumeRead = this.#resumeRead;
    this.#resumeRead = null;
    resumeRead?.();
  }
}
