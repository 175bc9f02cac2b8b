import { setTimeout as sleep } from "node:timers/promises";
import type { SignalKeyStore } from "baileys";
import type { Vault } from "../../core/transport/connector.ts";
import { LoginRefused } from "../../core/transport/errors.ts";
import type { ChannelProfile, LinkState } from "../../core/transport/events.ts";
import type { PasskeyProblem } from "../../core/transport/login.ts";
import { reconnectPauseMs } from "../kit/reconnect-pause.ts";
import { retryingVault } from "../kit/retrying-vault.ts";
import { type Consequence, consequenceOf, ServerErrors } from "./closing.ts";
import { Connected, type Ended } from "./connected.ts";
import type { Timing } from "./connection.ts";
import { isBadSignature, notConnected } from "./errors.ts";
import { Journal } from "./inbound/journal.ts";
import { RecentMessages } from "./inbound/recent.ts";
import { createKeyStore } from "./keys/key-store.ts";
import { KeyedMutex } from "./keys/keyed-mutex.ts";
import { leave } from "./leaving.ts";
import type { WhatsAppLink } from "./link.ts";
import type { Line } from "./outbound/sender.ts";
import { requestCode } from "./pairing.ts";
import { type Account, freshAccount, isLinked, loadAccount } from "./people/account.ts";
import { parseJid } from "./people/addresses.ts";
import { GroupNames } from "./people/group-names.ts";
import { PhoneWatch } from "./phone-watch.ts";

/** State key of the phone that the channel was linked to; kept after the keys are deleted. */
const PHONE = "phone";
/** State key of the server that the keys were last used with. */
const SERVER = "server";
const CODE_TIMEOUT_MS = 20_000;
/** A shorter connection counts as a failure, so that a server that accepts and drops connections is not flooded. */
const STEADY_MS = 60_000;
/** Restarts are part of linking, and occur occasionally later; more of them in a row count as failures. */
const RESTARTS = 2;
/** The maximum delay between attempts, as a multiple of the first one. */
const LONGEST_PAUSES = 300;
const TURN_AGAIN_MS = 500;
const STORE_AGAIN_MS = 1_000;

/** The life of one account from its first QR code: one connection after another, until the owner has to act. */
export class AccountLife {
  readonly #link: WhatsAppLink;
  /** Ignores writes once the keys are invalid, because the library may still have some pending. */
  readonly #vault: Vault;
  /** The same, retrying until the store responds or the channel closes. */
  readonly #patientVault: Vault;
  #isOver = false;
  /** May be newer than the stored one. */
  #account: Account | null = null;
  readonly #signal: AbortSignal;
  readonly #timing: Timing;
  /** Shared by all connections, so that late writes of one connection are visible to the next. */
  readonly #keys: SignalKeyStore;
  readonly #turns = new KeyedMutex();
  readonly #journal: Journal;
  readonly #recent: RecentMessages;
  readonly #phone: PhoneWatch;
  readonly #groupNames = new GroupNames();
  #connected: Connected | null = null;
  #lastTold = "";
  /** Why the last linking with a passkey failed; reported with the next QR codes. */
  #problem: PasskeyProblem | null = null;
  /** Set during a logout: WhatsApp's reports about the ended session are ignored. */
  #leaving: Promise<void> | null = null;

  /** Aborting `signal` ends it. */
  constructor(link: WhatsAppLink, signal: AbortSignal, timing: Timing) {
    this.#vault = {
      ...link.vault,
      write: (entries) => (this.#isOver ? Promise.resolve() : link.vault.write(entries)),
    };
    this.#link = { ...link, vault: this.#vault };
    this.#signal = signal;
    this.#timing = timing;
    this.#patientVault = retryingVault(this.#link, "WhatsApp", signal);
    this.#keys = createKeyStore(this.#patientVault);
    this.#journal = new Journal(this.#vault);
    this.#recent = new RecentMessages(this.#vault);
    this.#phone = new PhoneWatch(this.#vault);
  }

  /** Resolves when the channel closes or there is nothing left to do. Never rejects. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        return await this.#connectAgainAndAgain();
      } catch (error) {
        if (this.#signal.aborted) return;
        // The store may be unavailable; WhatsApp's own errors do not end here.
        this.#link.log("warn", "WhatsApp: the session was interrupted", { error: String(error) });
        await sleep(STORE_AGAIN_MS, undefined, { signal: this.#signal }).catch(() => undefined);
      }
    }
  }

  /** The open connection for sending. Throws `TransportError` if there is none. */
  line(): Line {
    const line = this.#connected?.line();
    if (line == null || !this.#link.mayAct()) throw notConnected();
    return line;
  }

  /** Parses a dead letter again and emits its events. Throws `TransportError` if there is no connection. */
  async reprocess(letter: unknown): Promise<void> {
    const connected = this.#connected;
    if (connected === null) throw notConnected();
    await connected.reprocess(letter);
  }

  /** Available only while a QR code is shown. Throws `LoginRefused`. */
  async pairingCode(phone: string | null): Promise<{ readonly code: string; readonly phone: string }> {
    const connected = this.#connected;
    if (connected === null || !connected.isShowingQr)
      throw new LoginRefused("not_expected", "No QR code is shown at the moment");
    if (phone === null) throw new LoginRefused("wrong", "is required");
    return requestCode(connected.socket, phone, CODE_TIMEOUT_MS);
  }

  /** The answer of the account's passkey. Throws `LoginRefused`. */
  answerPasskey(text: string): Promise<void> {
    return this.#linking().answerPasskey(text);
  }

  /** The code that the phone shows. Throws `LoginRefused`. */
  compareCode(code: string): Promise<void> {
    return this.#linking().compareCode(code);
  }

  #linking(): Connected {
    if (this.#connected === null) throw new LoginRefused("not_expected", "The account is not being linked");
    return this.#connected;
  }

  /**
   * Unlinks this device from the phone and deletes its keys; retries over the next connection if one is lost
   * meanwhile. Resolves when it is done; throws if the session closes first.
   */
  logout(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    await leave({
      isOver: () => this.#isOver || this.#isUnlinked(),
      logout: async () => (await this.#connected?.logout()) ?? "lost",
      pause: async (ms) => {
        if (!this.#signal.aborted)
          await sleep(ms, undefined, { signal: this.#signal }).catch(() => undefined);
        if (this.#signal.aborted) throw notConnected();
      },
    });
    await this.#forget();
  }

  /** Also false while it is unknown. */
  #isUnlinked(): boolean {
    return this.#account !== null && !isLinked(this.#account.creds);
  }

  /**
   * Deletes the keys, which are no longer valid. Retries until the store responds, because the owner is told of the end
   * only afterwards; rejects if the channel closes first.
   */
  async #forget(): Promise<void> {
    this.#isOver = true;
    await this.#patientVault.clear();
  }

  async #connectAgainAndAgain(): Promise<void> {
    this.#account ??= await loadAccount(this.#vault);
    let account = this.#account;
    await this.#phone.load();
    await this.#forgetOtherRoute(account);
    let failures = 0;
    const errors = new ServerErrors();
    while (!this.#signal.aborted) {
      const ended = await this.#connectOnce(account);
      if (this.#signal.aborted || this.#isOver) return;
      const { status, message, openMs, isLoggedIn } = ended;
      // A server that does not know the route may close without a reason; the next attempt omits the route.
      if (!isLoggedIn) forgetRoute(account);
      if (openMs > STEADY_MS) failures = 0;
      const consequence = consequenceOf({
        status,
        message,
        isLinked: isLinked(account.creds),
        serverErrors: errors.add(ended),
      });
      if (await this.#ends(consequence, `${status ?? ""} ${message}`.trim())) return;
      // A failed linking attempt is followed by one with new keys.
      if (!isLinked(account.creds)) account = freshAccount(this.#vault);
      this.#account = account;
      if (ended.problem !== undefined) {
        this.#problem = ended.problem;
        // The next attempt waits for a person.
        failures = 0;
      }
      failures += 1;
      if (consequence === "restart" && failures <= RESTARTS) continue;
      this.#reportLoss(ended, consequence);
      const { firstPauseMs: firstMs } = this.#timing;
      const pauses = { firstMs, longestMs: firstMs * LONGEST_PAUSES };
      const inARow = consequence === "outdated" ? LONGEST_PAUSES : failures;
      const pauseMs = reconnectPauseMs(this.#link.proxy, inARow, pauses);
      await sleep(pauseMs, undefined, { signal: this.#signal });
    }
  }

  /**
   * WhatsApp's server assigns a route that the next connection sends before its first frame (`edge_routing`). Another
   * server would reject it, so the route is deleted when the server changes.
   */
  async #forgetOtherRoute(account: Account): Promise<void> {
    const { state, settings } = this.#link;
    if ((await state.get(SERVER)) === settings.wsUrl) return;
    forgetRoute(account);
    await state.set(SERVER, settings.wsUrl);
  }

  async #connectOnce(account: Account): Promise<Ended> {
    const profile = isLinked(account.creds) ? await this.#profileOf(account) : null;
    // Phones are asked when the device is linked.
    const wantsHistory = profile === null && (await this.#link.history()) !== null;
    await this.#waitForTurn();
    const [link, timing, journal, recent] = [this.#link, this.#timing, this.#journal, this.#recent];
    const connected = new Connected({
      link,
      timing,
      journal,
      recent,
      phone: this.#phone,
      groupNames: this.#groupNames,
      account,
      keys: this.#keys,
      turns: this.#turns,
      signal: this.#signal,
      wantsHistory,
      problem: this.#problem,
      tell: (state) => this.#tell(state),
      profile,
      leave: () => this.logout(),
    });
    this.#connected = connected;
    try {
      return await connected.ended;
    } finally {
      this.#connected = null;
    }
  }

  /** The account's profile; null if another phone was linked to this channel before. */
  async #profileOf({ creds }: Account): Promise<(() => ChannelProfile) | null> {
    const address = parseJid(creds.me?.id);
    const { state } = this.#link;
    if (address.kind !== "phone") return null;
    const { digits } = address;
    const known = await state.get(PHONE);
    if (known !== null && known !== digits) return null;
    if (known === null) await state.set(PHONE, digits);
    return () => ({ messengerId: digits, name: creds.me?.name || digits, phone: digits });
  }

  /** Resolves when this node may connect; it may not while its lease is uncertain. */
  async #waitForTurn(): Promise<void> {
    for (;;) {
      try {
        return await this.#link.permitConnect();
      } catch (error) {
        if (this.#signal.aborted) throw error;
        await sleep(TURN_AGAIN_MS, undefined, { signal: this.#signal });
      }
    }
  }

  /** Whether the owner has to act; if so, reports it. `detail`: why the connection ended. */
  async #ends(consequence: Consequence, detail: string): Promise<boolean> {
    switch (consequence) {
      case "restart":
      case "reconnect":
      case "outdated":
        return false;
      case "qridle":
      case "openelsewhere":
        if (this.#leaving !== null) return false;
        await this.#tell({ status: "disabled", reason: consequence, detail });
        return true;
      case "unauthorized":
        await this.#forget();
        if (this.#leaving === null) await this.#tell({ status: "disabled", reason: "unauthorized", detail });
        return true;
    }
  }

  #reportLoss({ message }: Ended, consequence: Consequence): void {
    if (consequence === "outdated")
      this.#link.log("warn", "WhatsApp rejects this version of the program: update it", { detail: message });
    else if (isBadSignature(new Error(message)))
      this.#link.log("warn", "WhatsApp: a signature is invalid; the connection was rejected", {
        detail: message,
      });
    // Not awaited: the reconnect should not wait until the loss is stored.
    this.#tell({ status: "lost", detail: message }).catch(() => undefined);
  }

  /** Emits each change once, and every QR code. */
  async #tell(state: LinkState): Promise<void> {
    if (state.status !== "lost" && !("reason" in state && state.reason === "qr")) this.#problem = null;
    const said = JSON.stringify(state.status === "lost" ? { status: "lost" } : state);
    if (said === this.#lastTold && state.status !== "active") return;
    this.#lastTold = said;
    // Retries until it is stored or superseded by a newer state.
    while (this.#lastTold === said) {
      try {
        return await this.#link.emit({ kind: "link", state });
      } catch (error) {
        if (this.#signal.aborted) throw error;
        await sleep(STORE_AGAIN_MS, undefined, { signal: this.#signal });
      }
    }
  }
}

function forgetRoute({ creds }: Account): void {
  creds.routingInfo = undefined;
}
