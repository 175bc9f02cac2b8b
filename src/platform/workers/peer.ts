import { Readable } from "node:stream";

/**
 * One end of a connection between two processes. Calls may be answered in any order; they fail with `PeerGone` when
 * it ends.
 */
export interface Peer {
  call<T>(method: string, params: unknown, signal?: AbortSignal): Promise<T>;
  /** Sends a message without a response. */
  tell(method: string, params: unknown): void;
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
export class PeerGone extends Error {
  override readonly name = "PeerGone";
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
  const pending = new Map<number, Pending>();
  const running = new Map<number, AbortController>();
  const lent = new Map<number, { readonly stream: Readable; readonly chunks: AsyncIterator<unknown> }>();
  let ids = 0;
  let isGone = false;
  const post = (message: Message): void => {
    if (isGone) return;
    try {
      options.post(message);
    } catch {
      // The connection breaks while a message is being sent; its end is reported separately.
    }
  };

  function ask<T>(message: (id: number) => Message): { id: number; answer: Promise<T> } {
    const id = ++ids;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (isGone) reject(new PeerGone());
    else {
      pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      post(message(id));
    }
    return { id, answer: promise };
  }

  async function answer(id: number, work: () => Promise<unknown>): Promise<void> {
    try {
      post({ kind: "done", id, value: await work() });
    } catch (error) {
      post({ kind: "failed", id, error: options.errors.encode(error) });
    }
  }

  async function run(id: number, method: string, params: unknown): Promise<void> {
    const cancel = new AbortController();
    running.set(id, cancel);
    await answer(id, () => options.handle(method, params, cancel.signal));
    running.delete(id);
  }

  async function nextChunk(number: number): Promise<unknown> {
    const found = lent.get(number);
    if (found === undefined) throw new Error("This stream no longer exists");
    const { done, value } = await found.chunks.next();
    if (done === true) lent.delete(number);
    return done === true ? null : value;
  }

  function settle(id: number, how: (waiting: Pending) => void): void {
    const waiting = pending.get(id);
    pending.delete(id);
    if (waiting !== undefined) how(waiting);
  }

  return {
    async call<T>(method: string, params: unknown, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted();
      const { id, answer: told } = ask<T>((number) => ({ kind: "call", id: number, method, params }));
      const cancel = (): void => {
        post({ kind: "cancel", id });
        settle(id, ({ reject }) => reject(signal?.reason));
      };
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        return await told;
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    },
    tell: (method, params) => post({ kind: "tell", method, params }),
    lend(stream) {
      const number = ++ids;
      stream.on("error", () => undefined);
      lent.set(number, { stream, chunks: stream[Symbol.asyncIterator]() });
      return number;
    },
    borrow(number) {
      return new Readable({
        read() {
          ask<Uint8Array | null>((id) => ({ kind: "pull", id, stream: number })).answer.then(
            (chunk) => this.push(chunk === null ? null : Buffer.from(chunk)),
            (error: Error) => this.destroy(error),
          );
        },
        destroy(error, done) {
          post({ kind: "stop", stream: number });
          done(error);
        },
      });
    },
    end() {
      isGone = true;
      for (const id of [...pending.keys()]) settle(id, ({ reject }) => reject(new PeerGone()));
      for (const cancel of running.values()) cancel.abort(new PeerGone());
      for (const { stream } of lent.values()) stream.destroy();
      lent.clear();
    },
    receive(received) {
      const message = received as Message;
      switch (message.kind) {
        case "call":
          void run(message.id, message.method, message.params);
          return;
        case "tell":
          void options.handle(message.method, message.params, NEVER).catch(() => undefined);
          return;
        case "done":
          settle(message.id, ({ resolve }) => resolve(message.value));
          return;
        case "failed":
          settle(message.id, ({ reject }) => reject(options.errors.decode(message.error)));
          return;
        case "cancel":
          running.get(message.id)?.abort(new DOMException("The caller cancelled", "AbortError"));
          return;
        case "pull":
          void answer(message.id, () => nextChunk(message.stream));
          return;
        case "stop":
          lent.get(message.stream)?.stream.destroy();
          lent.delete(message.stream);
      }
    },
  };
}

const NEVER = new AbortController().signal;
