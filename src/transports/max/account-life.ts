import { setTimeout as sleep } from "node:timers/promises";
import { LoginRefused } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import { reconnectPauseMs } from "../kit/reconnect-pause.ts";
import { BoundedMap } from "./bounded-map.ts";
import { notConnected } from "./errors.ts";
import { Marker } from "./inbound/marker.ts";
import { Attempt, type Ended } from "./line/attempt.ts";
import type { MaxLink } from "./link.ts";
import { type Account, loadAccount, saveAccount } from "./linking/account.ts";
import type { Line } from "./outbound/sender.ts";
import { SentLog } from "./outbound/sent-log.ts";
import type { Timing } from "./timing.ts";

/** A shorter connection counts as a failure, so that a server that accepts and drops connections is not flooded. */
const STEADY_MS = 60_000;
/** The maximum delay between attempts, as a multiple of the first one. */
const LONGEST_PAUSES = 300;
const TURN_RETRY_MS = 500;
const STORE_RETRY_MS = 1_000;
/** The interval between checks whether there is a connection to log out over. */
const LOGOUT_RETRY_MS = 100;
const KEPT_PHONES = 1_000;

/** The life of one account from its first QR code: one connection after another, until the owner has to act. */
export class AccountLife {
  readonly #link: MaxLink;
  readonly #signal: AbortSignal;
  readonly #timing: Timing;
  readonly #sent: SentLog;
  readonly #marker: Marker;
  readonly #phones = new BoundedMap<string, string | null>(KEPT_PHONES);
  #attempt: Attempt | null = null;
  /** May be newer than the stored one. */
  #account: Account | null = null;
  #isGone = false;
  #lastEmitted = "";
  #leaving: Promise<void> | null = null;

  /** Aborting `signal` ends it. */
  constructor(link: MaxLink, signal: AbortSignal, timing: Timing) {
    this.#link = link;
    this.#signal = signal;
    this.#timing = timing;
    this.#sent = new SentLog(link.vault);
    this.#marker = new Marker(link);
  }

  /** Resolves when the channel closes or there is nothing left to do. Never rejects. */
  async run(): Promise<void> {
    for (let failures = 0; !this.#signal.aborted && !this.#isGone; ) {
      try {
        const ended = await this.#connectOnce();
        if (this.#signal.aborted || this.#isGone) return;
        if (ended.kind === "over") return await this.#end(ended.reason);
        failures = ended.activeMs > STEADY_MS ? 1 : failures + 1;
        // Not awaited: the reconnect should not wait until the loss is stored.
        this.#emitState({ status: "lost", detail: ended.detail }).catch(() => undefined);
        await this.#pause(ended.isRefused ? LONGEST_PAUSES : failures);
      } catch (error) {
        if (this.#signal.aborted || this.#isGone) return;
        // The store may be unavailable; MAX's own errors do not end here.
        this.#link.log("warn", "MAX: the session was interrupted", { error: String(error) });
        failures++;
        await this.#pause(failures);
      }
    }
  }

  /** The open connection for sending. Throws `TransportError` if there is none. */
  line(): Line {
    const line = this.#attempt?.line() ?? null;
    if (line === null || !this.#link.mayAct()) throw notConnected();
    return line;
  }

  /** Throws `LoginRefused`. */
  async givePassword(password: string): Promise<void> {
    const linking = this.#attempt?.linking ?? null;
    if (linking === null) throw new LoginRefused("not_expected", "No password is expected at the moment");
    await linking.givePassword(password);
  }

  /** Parses a dead letter again and emits its events. Throws `TransportError` if there is no connection. */
  async reprocess(letter: unknown): Promise<void> {
    const connected = this.#attempt?.connected ?? null;
    if (connected === null) throw notConnected();
    await connected.reprocess(letter);
  }

  /**
   * Ends the session on MAX and deletes its token; retries over the next connection if one is lost meanwhile.
   * Resolves when it is done; throws if the session closes first.
   */
  logout(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    this.#account ??= await loadAccount(this.#link.vault);
    for (let refusals = 0; this.#account?.token != null; ) {
      const outcome = (await this.#attempt?.logout()) ?? "offline";
      if (outcome === "done") break;
      if (this.#signal.aborted) throw notConnected();
      if (outcome === "refused") await this.#pause(++refusals);
      else await sleep(LOGOUT_RETRY_MS, undefined, { signal: this.#signal }).catch(() => undefined);
    }
    this.#isGone = true;
    this.#account = null;
    await this.#link.vault.clear();
    this.#attempt?.client.close("logged out");
  }

  /** Connections do not overlap: the previous one has ended before the next starts. */
  async #connectOnce(): Promise<Ended> {
    const [link, timing, signal] = [this.#link, this.#timing, this.#signal];
    this.#account ??= await loadAccount(link.vault);
    const account = this.#account;
    await this.#waitForTurn();
    const [marker, sent, phones] = [this.#marker, this.#sent, this.#phones];
    this.#attempt = new Attempt({
      ...{ link, timing, signal, account, marker, sent, phones },
      tell: (state) => this.#emitState(state),
      keepToken: (token) => this.#keep({ ...account, token }),
    });
    try {
      return await this.#attempt.run();
    } finally {
      this.#attempt = null;
    }
  }

  /**
   * Retries until the token is stored or the channel closes: without it, the account would have to be linked again.
   */
  async #keep(account: Account): Promise<void> {
    this.#account = account;
    for (let tries = 0; ; tries++) {
      try {
        return await saveAccount(this.#link.vault, account);
      } catch (error) {
        if (this.#signal.aborted) throw error;
        if (tries === 0)
          this.#link.log("warn", "MAX: the session's token cannot be stored yet", { error: String(error) });
        await sleep(STORE_RETRY_MS, undefined, { signal: this.#signal });
      }
    }
  }

  /** The owner has to act. An invalid token is deleted; the device id is kept. */
  async #end(reason: Extract<Ended, { kind: "over" }>["reason"]): Promise<void> {
    if (this.#account !== null && this.#account.token !== null)
      await this.#keep({ ...this.#account, token: null });
    if (this.#leaving === null) await this.#emitState({ status: "disabled", reason });
  }

  /** Resolves when this node may connect; it may not while its lease is uncertain. */
  async #waitForTurn(): Promise<void> {
    for (;;) {
      try {
        return await this.#link.permitConnect();
      } catch (error) {
        if (this.#signal.aborted) throw error;
        await sleep(TURN_RETRY_MS, undefined, { signal: this.#signal });
      }
    }
  }

  async #pause(failures: number): Promise<void> {
    const { firstPauseMs: firstMs } = this.#timing;
    const pauseMs = reconnectPauseMs(this.#link.proxy, failures, {
      firstMs,
      longestMs: firstMs * LONGEST_PAUSES,
    });
    await sleep(pauseMs, undefined, { signal: this.#signal }).catch(() => undefined);
  }

  /** Emits each change once, and every QR code. */
  async #emitState(state: LinkState): Promise<void> {
    const said = JSON.stringify(state.status === "lost" ? { status: "lost" } : state);
    if (said === this.#lastEmitted && state.status !== "active") return;
    this.#lastEmitted = said;
    // Retries until it is stored or superseded by a newer state.
    while (this.#lastEmitted === said) {
      try {
        this.#signal.throwIfAborted();
        return await this.#link.emit({ kind: "link", state });
      } catch (error) {
        if (this.#signal.aborted) throw error;
        await sleep(STORE_RETRY_MS, undefined, { signal: this.#signal });
      }
    }
  }
}
