import { setTimeout as sleep } from "node:timers/promises";
import { LoginRefused } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import { backOffMs } from "../../platform/back-off.ts";
import { type Account, loadAccount, saveAccount } from "./account.ts";
import { Attempt, type Ended } from "./attempt.ts";
import { BoundedMap } from "./bounded-map.ts";
import { notConnected } from "./errors.ts";
import { Marker } from "./marker.ts";
import type { Line } from "./sender.ts";
import { SentLog } from "./sent-log.ts";
import type { MaxLink } from "./session.ts";
import type { Timing } from "./timing.ts";

/** A connection that ends sooner is a failure: a server that accepts and drops must not be stormed. */
const STEADY_MS = 60_000;
/** The longest pause between attempts is so many times the first one. */
const LONGEST_PAUSES = 300;
const TURN_AGAIN_MS = 500;
const STORE_AGAIN_MS = 1_000;
const LOGOUT_AGAIN_MS = 100;
const KEPT_PHONES = 1_000;

/** One account from its first QR code on: one connection after the other, until only a person can help. */
export class AccountLife {
  readonly #link: MaxLink;
  readonly #signal: AbortSignal;
  readonly #timing: Timing;
  readonly #sent: SentLog;
  readonly #marker: Marker;
  readonly #phones = new BoundedMap<string, string | null>(KEPT_PHONES);
  #attempt: Attempt | null = null;
  /** In memory it may be newer than in the store. */
  #account: Account | null = null;
  #isGone = false;
  #lastTold = "";
  #leaving: Promise<void> | null = null;

  /** `signal` ends it. */
  constructor(link: MaxLink, signal: AbortSignal, timing: Timing) {
    this.#link = link;
    this.#signal = signal;
    this.#timing = timing;
    this.#sent = new SentLog(link.vault);
    this.#marker = new Marker(link);
  }

  /** Resolves when the channel closes or has nothing more to do. Never rejects. */
  async run(): Promise<void> {
    for (let failures = 0; !this.#signal.aborted && !this.#isGone; ) {
      try {
        const ended = await this.#connectOnce();
        if (this.#signal.aborted || this.#isGone) return;
        if (ended.kind === "over") return await this.#end(ended.reason);
        failures = ended.activeMs > STEADY_MS ? 1 : failures + 1;
        // Nobody waits for it: the line is to be back before anybody has heard of its loss.
        this.#tell({ status: "lost", detail: ended.detail }).catch(() => undefined);
        await this.#pause(ended.isRefused ? LONGEST_PAUSES : failures);
      } catch (error) {
        if (this.#signal.aborted || this.#isGone) return;
        // The store may be away; nothing that MAX says ends like this.
        this.#link.log("warn", "MAX: the session was interrupted", { error: String(error) });
        await sleep(STORE_AGAIN_MS, undefined, { signal: this.#signal }).catch(() => undefined);
      }
    }
  }

  /** The open connection to send through. Throws `TransportError` while there is none. */
  line(): Line {
    const line = this.#attempt?.line() ?? null;
    if (line === null || !this.#link.mayAct()) throw notConnected();
    return line;
  }

  /** Throws `LoginRefused`. */
  async givePassword(password: string): Promise<void> {
    const linking = this.#attempt?.linking ?? null;
    if (linking === null) throw new LoginRefused("not_expected", "No password is awaited at the moment");
    await linking.givePassword(password);
  }

  /** Reads a dead letter once more. Throws `TransportError` while there is no connection. */
  async readAgain(letter: unknown): Promise<void> {
    const connected = this.#attempt?.connected ?? null;
    if (connected === null) throw notConnected();
    await connected.readAgain(letter);
  }

  /**
   * Ends the session in MAX and forgets its token; asks again over the next connection where one is lost meanwhile.
   * Resolves when it is done, throws when the session closes before.
   */
  logout(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    this.#account ??= await loadAccount(this.#link.vault);
    while (this.#account?.token != null && !(await this.#attempt?.logout())) {
      if (this.#signal.aborted) throw notConnected();
      await sleep(LOGOUT_AGAIN_MS, undefined, { signal: this.#signal }).catch(() => undefined);
    }
    this.#isGone = true;
    this.#account = null;
    await this.#link.vault.clear();
    this.#attempt?.client.close("logged out");
  }

  /** What an earlier connection still does is seen by the next: one is over before another begins. */
  async #connectOnce(): Promise<Ended> {
    const [link, timing, signal] = [this.#link, this.#timing, this.#signal];
    this.#account ??= await loadAccount(link.vault);
    const account = this.#account;
    await this.#waitForTurn();
    const [marker, sent, phones] = [this.#marker, this.#sent, this.#phones];
    this.#attempt = new Attempt({
      ...{ link, timing, signal, account, marker, sent, phones },
      tell: (state) => this.#tell(state),
      keepToken: (token) => this.#keep({ ...account, token }),
    });
    try {
      return await this.#attempt.run();
    } finally {
      this.#attempt = null;
    }
  }

  /** Until it is stored, or the channel closes: without it the account would have to be linked once more. */
  async #keep(account: Account): Promise<void> {
    this.#account = account;
    for (let tries = 0; ; tries++) {
      try {
        return await saveAccount(this.#link.vault, account);
      } catch (error) {
        if (this.#signal.aborted) throw error;
        if (tries === 0)
          this.#link.log("warn", "MAX: the session's token cannot be stored yet", { error: String(error) });
        await sleep(STORE_AGAIN_MS, undefined, { signal: this.#signal });
      }
    }
  }

  /** Only a person can go on from here. A token that serves no more is forgotten; the device's id stays. */
  async #end(reason: Extract<Ended, { kind: "over" }>["reason"]): Promise<void> {
    if (this.#account !== null && this.#account.token !== null)
      await this.#keep({ ...this.#account, token: null });
    if (this.#leaving === null) await this.#tell({ status: "disabled", reason });
  }

  /** Resolves when this node may connect, which it may not while its lease is in doubt. */
  async #waitForTurn(): Promise<void> {
    for (;;) {
      try {
        return await this.#link.connectTurn();
      } catch (error) {
        if (this.#signal.aborted) throw error;
        await sleep(TURN_AGAIN_MS, undefined, { signal: this.#signal });
      }
    }
  }

  async #pause(failures: number): Promise<void> {
    const { firstPauseMs: firstMs } = this.#timing;
    const pauseMs = backOffMs(failures, { firstMs, longestMs: firstMs * LONGEST_PAUSES });
    await sleep(pauseMs, undefined, { signal: this.#signal }).catch(() => undefined);
  }

  /** Each change once; a QR code each time. */
  async #tell(state: LinkState): Promise<void> {
    const said = JSON.stringify(state.status === "lost" ? { status: "lost" } : state);
    if (said === this.#lastTold && state.status !== "active") return;
    this.#lastTold = said;
    // Until it is stored, or something newer is to be told.
    while (this.#lastTold === said) {
      try {
        this.#signal.throwIfAborted();
        return await this.#link.emit({ kind: "link", state });
      } catch (error) {
        if (this.#signal.aborted) throw error;
        await sleep(STORE_AGAIN_MS, undefined, { signal: this.#signal });
      }
    }
  }
}
