import type { BinaryNode, WASocket } from "baileys";

/** The server's response to a message: its time, or an error number. */
export type Ack =
  | { readonly kind: "taken"; readonly at: Date }
  | { readonly kind: "refused"; readonly error: string };

/** The server's responses to our messages, which the library does not expose. */
export class Acks {
  readonly #waiting = new Map<string, (ack: Ack | null) => void>();

  listen({ ws }: WASocket): void {
    ws.on("CB:ack,class:message", ({ attrs }: BinaryNode) => {
      const { id = "", error, t } = attrs;
      const ack: Ack =
        error === undefined
          ? { kind: "taken", at: t === undefined ? new Date() : new Date(Number(t) * 1000) }
          : { kind: "refused", error };
      this.#waiting.get(id)?.(ack);
    });
  }

  /** Call before the message is sent. `answer` resolves with null if the connection ends or `signal` aborts. */
  wait(id: string, signal: AbortSignal): { readonly answer: Promise<Ack | null>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<Ack | null>();
    const giveUp = (): void => resolve(null);
    this.#waiting.set(id, resolve);
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    return {
      answer: promise,
      cancel: () => {
        signal.removeEventListener("abort", giveUp);
        if (this.#waiting.get(id) === resolve) this.#waiting.delete(id);
        resolve(null);
      },
    };
  }

  /** The connection has ended: no further responses will arrive. */
  drop(): void {
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }
}
