import type { ConnectionState } from "baileys";
import type { Timing } from "./connection.ts";

/** Pending messages count as delivered at most this long after the login. */
const PENDING_LIMIT_MS = 30_000;

/**
 * How far a connection is: the server has accepted the device, the connection is open, and all messages that waited at
 * WhatsApp have arrived. What the library does not report in time is reported by `onUpdate`.
 */
export class Opening {
  readonly #timing: Timing;
  readonly #onUpdate: (update: Partial<ConnectionState>) => void;
  readonly #opened = Promise.withResolvers<void>();
  #heardAt = performance.now();
  /** When the last stanza arrived that may be a pending message; counted from the login. */
  #newsAt = Number.POSITIVE_INFINITY;
  #openedAt: number | null = null;
  #isCaughtUp = false;
  #pending: NodeJS.Timeout | undefined;
  #opens: NodeJS.Timeout | undefined;

  constructor(timing: Timing, onUpdate: (update: Partial<ConnectionState>) => void) {
    this.#timing = timing;
    this.#onUpdate = onUpdate;
  }

  /** The server has accepted the device. */
  get isLoggedIn(): boolean {
    return this.#newsAt !== Number.POSITIVE_INFINITY;
  }

  /** It is open, and all pending messages have arrived, or will not arrive. */
  get isComplete(): boolean {
    return this.#openedAt !== null && this.#isCaughtUp;
  }

  /** Resolves when it is open. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** How long it has been open, in ms; 0 if it never was. */
  get openMs(): number {
    return this.#openedAt === null ? 0 : performance.now() - this.#openedAt;
  }

  /** Any received frame proves that the connection is alive. */
  get isSilent(): boolean {
    return performance.now() - this.#heardAt > this.#timing.silentMs;
  }

  /** `mayBePending`: it may be a message that waited at WhatsApp. */
  hear(mayBePending: boolean): void {
    this.#heardAt = performance.now();
    if (mayBePending && this.isLoggedIn) this.#newsAt = this.#heardAt;
  }

  /** The server has accepted the device; responses to the library's next queries are not required. */
  logIn(): void {
    this.#newsAt = performance.now();
    const later = (update: Partial<ConnectionState>, ms: number): NodeJS.Timeout =>
      setTimeout(() => this.#onUpdate(update), ms).unref();
    this.#opens = later({ connection: "open" }, this.#timing.openMs);
    this.#pending = later({ receivedPendingNotifications: true }, PENDING_LIMIT_MS);
  }

  open(): void {
    if (this.#openedAt !== null) return;
    clearTimeout(this.#opens);
    this.#openedAt = performance.now();
    this.#opened.resolve();
  }

  catchUp(): void {
    this.#isCaughtUp = true;
    clearTimeout(this.#pending);
  }

  /** Called every few seconds. */
  check(): void {
    const isQuiet = performance.now() - this.#newsAt > this.#timing.quietMs;
    if (!this.#isCaughtUp && isQuiet) this.#onUpdate({ receivedPendingNotifications: true });
  }

  stop(): void {
    clearTimeout(this.#pending);
    clearTimeout(this.#opens);
  }
}
