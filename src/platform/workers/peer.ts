import { Readable } from "node:stream";

/**
 * One end of a connection between two processes. Calls may be answered in any order; they fail with `PeerClosed` when
 * it ends.
 */
export interface Peer {
  call<T>(method: string, params: unknown, signal?: AbortSignal): Promise<T>;
  /** Sends a message without a response. */
  notify(method: string, params: unknown): void;
  /**
   * Lets the other side read a stream by the returned number. The reader pulls chunks, so nothing accumulates in
   * between.
   */
  lend(stream: Readable): number;
  /** A stream that the other side lends. */
  borrow(number: number): Readable;
  /** Ends the connection: all pending calls fail. Idempotent. */
  end(): void;
}

/** The other process has ended; whether it completed the call is unknown. */
export class PeerClosed extends Error {
  override readonly name = "PeerClosed";
  constructor() {
    super("The other process has ended");
  }
}

export interface PeerOptions {
  post(message: unknown): void;
  /** Handles a call or a message. The signal aborts when the caller cancels. */
  handle(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** Converts errors to plain data and back. */
  readonly errors: ErrorCodec;
}

export interface ErrorCodec {
  encode(error: unknown): unknown;
  decode(data: unknown): Error;
}

type Message =
  | { readonly kind: "call"; readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly kind: "tell"; readonly method: string; readonly params: unknown }
  | { readonly kind: "done"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly error: unknown }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "pull"; readonly id: number; readonly stream: number }
  | { readonly kind: "stop"; readonly stream: number };

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Pass every message from the other side to `receive`. */
export function createPeer(options: PeerOptions): Peer & { receive(message: unknown): void } {
  return new ProcessPeer(options);
}

class ProcessPeer implements Peer {
  readonly #options: PeerOptions;
  /** Our calls, by their ids. */
  readonly #pending = new Map<number, Pending>();
  /** Calls of the other side, by its ids. */
  readonly #running = new Map<number, AbortController>();
  readonly #lent = new Map<number, { readonly stream: Readable; readonly chunks: AsyncIterator<unknown> }>();
  #ids = 0;
  #isGone = false;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  async call<T>(method: string, params: unknown, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const { id, answer } = this.#ask<T>((number) => ({ kind: "call", id: number, method, params }));
    const cancel = (): void => {
      this.#post({ kind: "cancel", id });
      this.#settle(id, ({ reject }) => reject(signal?.reason));
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await answer;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  notify(method: string, params: unknown): void {
    this.#post({ kind: "tell", method, params });
  }

  lend(stream: Readable): number {
    const number = ++this.#ids;
    stream.on("error", () => undefined);
    this.#lent.set(number, { stream, chunks: stream[Symbol.asyncIterator]() });
    return number;
  }

  borrow(number: number): Readable {
    const pull = (): Promise<Uint8Array | null> =>
      this.#ask<Uint8Array | null>((id) => ({ kind: "pull", id, stream: number })).answer;
    const stop = (): void => this.#post({ kind: "stop", stream: number });
    return new Readable({
      read() {
        pull().then(
          (chunk) => this.push(chunk === null ? null : Buffer.from(chunk)),
          (error: Error) => this.destroy(error),
        );
      },
      destroy(error, done) {
        stop();
        done(error);
      },
    });
  }

  end(): void {
    this.#isGone = true;
    for (const id of [...this.#pending.keys()]) this.#settle(id, ({ reject }) => reject(new PeerClosed()));
    for (const cancel of this.#running.values()) cancel.abort(new PeerClosed());
    for (const { stream } of this.#lent.values()) stream.destroy();
    this.#lent.clear();
  }

  receive(received: unknown): void {
    const message = received as Message;
    switch (message.kind) {
      case "call":
        void this.#run(message.id, message.method, message.params);
        return;
      case "tell":
        void this.#options.handle(message.method, message.params, NEVER).catch(() => undefined);
        return;
      case "done":
        this.#settle(message.id, ({ resolve }) => resolve(message.value));
        return;
      case "failed":
        this.#settle(message.id, ({ reject }) => reject(this.#options.errors.decode(message.error)));
        return;
      case "cancel":
        this.#running.get(message.id)?.abort(new DOMException("The caller cancelled", "AbortError"));
        return;
      case "pull":
        void this.#answer(message.id, () => this.#nextChunk(message.stream));
        return;
      case "stop":
        this.#lent.get(message.stream)?.stream.destroy();
        this.#lent.delete(message.stream);
    }
  }

  #post(message: Message): void {
    if (this.#isGone) return;
    try {
      this.#options.post(message);
    } catch {
      // The connection breaks while a message is being sent; its end is reported separately.
    }
  }

  #ask<T>(message: (id: number) => Message): { id: number; answer: Promise<T> } {
    const id = ++this.#ids;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#isGone) reject(new PeerClosed());
    else {
      this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#post(message(id));
    }
    return { id, answer: promise };
  }

  #settle(id: number, how: (waiting: Pending) => void): void {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (waiting !== undefined) how(waiting);
  }

  async #run(id: number, method: string, params: unknown): Promise<void> {
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    await this.#answer(id, () => this.#options.handle(method, params, cancel.signal));
    this.#running.delete(id);
  }

  async #answer(id: number, work: () => Promise<unknown>): Promise<void> {
    try {
      this.#post({ kind: "done", id, value: await work() });
    } catch (error) {
      this.#post({ kind: "failed", id, error: this.#options.errors.encode(error) });
    }
  }

  async #nextChunk(number: number): Promise<unknown> {
    const found = this.#lent.get(number);
    if (found === undefined) throw new Error("This stream no longer exists");
    const { done, value } = await found.chunks.next();
    if (done === true) this.#lent.delete(number);
    return done === true ? null : value;
  }
}

const NEVER = new AbortController().signal;
