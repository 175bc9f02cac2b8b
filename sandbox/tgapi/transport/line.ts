import type { Socket } from "node:net";
import { Wire } from "./wire.ts";

/** The events of a connection. Packets are reported one by one, in order. */
export interface LineEvents {
  onPacket(packet: Buffer): void | Promise<void>;
  onClosed(): void;
  /** The client violated the protocol; the connection is dropped. */
  onViolation(error: Error): void;
}

/** A TCP connection that carries packets and can be frozen or dropped. */
export class Line {
  readonly #socket: Socket;
  readonly #events: LineEvents;
  readonly #wire = new Wire();
  #work: Promise<void> = Promise.resolve();
  #thaw: PromiseWithResolvers<void> | undefined;
  #unsent: Uint8Array[] = [];

  constructor(socket: Socket, events: LineEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#queue(bytes));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => events.onClosed());
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  get framing(): string {
    return this.#wire.describe ?? "none";
  }

  /** Sends a packet; after `thaw` if frozen. No effect if the connection is closed. */
  send(packet: Uint8Array): void {
    if (!this.isOpen) return;
    if (this.#thaw) this.#unsent.push(packet);
    else this.#socket.write(this.#wire.write(packet));
  }

  drop(): void {
    this.#socket.destroy();
    this.#thaw?.resolve();
  }

  /** Stops reading and sending; the socket stays open. */
  freeze(): void {
    this.#thaw ??= Promise.withResolvers();
  }

  /** Resumes, with what was received and queued meanwhile. */
  thaw(): void {
    const thaw = this.#thaw;
    this.#thaw = undefined;
    for (const packet of this.#unsent.splice(0)) this.send(packet);
    thaw?.resolve();
  }

  #queue(bytes: Buffer): void {
    this.#work = this.#work.then(() => this.#take(bytes)).catch((error: unknown) => this.#refuse(error));
  }

  async #take(bytes: Buffer): Promise<void> {
    await this.#thaw?.promise;
    if (!this.isOpen) return;
    for (const packet of this.#wire.read(bytes)) {
      await this.#thaw?.promise;
      if (this.isOpen) await this.#events.onPacket(packet);
    }
  }

  #refuse(error: unknown): void {
    if (this.isOpen) this.#events.onViolation(error instanceof Error ? error : new Error(String(error)));
    this.drop();
  }
}
