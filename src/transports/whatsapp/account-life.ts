import { setTimeout as sleep } from "node:timers/promises";
import type { SignalKeyStore } from "baileys";
import type { Vault } from "../../core/transport/connector.ts";
import { LoginRefused } from "../../core/transport/errors.ts";
import type { ChannelProfile, LinkState } from "../../core/transport/events.ts";
import { backOffMs } from "../../platform/back-off.ts";
import { patientVault } from "../kit/patient-vault.ts";
import { type Account, freshAccount, isLinked, loadAccount } from "./account.ts";
import { parseJid } from "./addresses.ts";
import { type Consequence, consequenceOf, saidByWhatsApp } from "./closing.ts";
import { Connected, type Ended } from "./connected.ts";
import type { Timing } from "./connection.ts";
import { isBadSignature, notConnected } from "./errors.ts";
import { Journal } from "./journal.ts";
import { createKeyStore } from "./key-store.ts";
import { requestCode } from "./pairing.ts";
import { PhoneWatch } from "./phone-watch.ts";
import { RecentMessages } from "./recent.ts";
import type { Line } from "./sender.ts";
import type { WhatsAppLink } from "./session.ts";
import { Turns } from "./turns.ts";

/** The phone that a channel was linked to; it outlives the keys. */
const PHONE = "phone";
/** The address of the server that the keys were used with last. */
const SERVER = "server";
const CODE_TIMEOUT_MS = 20_000;
/** A connection that ends sooner is a failure: a server that accepts and drops must not be stormed. */
const STEADY_MS = 60_000;
/** Part of linking, and now and then of a long life; more in a row are none of that. */
const RESTARTS = 2;
/** The longest pause between attempts is so many times the first one. */
const LONGEST_PAUSES = 300;
const TURN_AGAIN_MS = 500;
const STORE_AGAIN_MS = 1_000;
const LEAVE_AGAIN_MS = 100;

/** One account from its first QR code on: one connection after the other, until only a person can help. */
export class AccountLife {
  readonly #link: WhatsAppLink;
  /** Nothing is written any more once the keys are worth nothing: the library still has some under way. */
  readonly #vault: Vault;
  #isOver = false;
  /** In memory it may be newer than in the store. */
  #account: Account | null = null;
  readonly #signal: AbortSignal;
  readonly #timing: Timing;
  /** The same for all connections: what an earlier one still does is seen by the next. */
  readonly #keys: SignalKeyStore;
  readonly #turns = new Turns();
  readonly #journal: Journal;
  readonly #recent: RecentMessages;
  readonly #phone: PhoneWatch;
  #connected: Connected | null = null;
  #lastTold = "";
  /** Set while it is to be taken off the phone: what WhatsApp says of that is no news. */
  #leaving: Promise<void> | null = null;

  /** `signal` ends it. */
  constructor(link: WhatsAppLink, signal: AbortSignal, timing: Timing) {
    this.#vault = {
      ...link.vault,
      write: (entries) => (this.#isOver ? Promise.resolve() : link.vault.write(entries)),
    };
    this.#link = { ...link, vault: this.#vault };
    this.#signal = signal;
    this.#timing = timing;
    this.#keys = createKeyStore(patientVault(this.#link, "WhatsApp", signal));
    this.#journal = new Journal(this.#vault);
    this.#recent = new RecentMessages(this.#vault);
    this.#phone = new PhoneWatch(this.#vault);
  }

  /** Resolves when the channel closes or has nothing more to do. Never rejects. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        return await this.#connectAgainAndAgain();
      } catch (error) {
        if (this.#signal.aborted) return;
        // The store may be away; nothing that WhatsApp says ends like this.
        this.#link.log("warn", "WhatsApp: the session was interrupted", { error: String(error) });
        await sleep(STORE_AGAIN_MS, undefined, { signal: this.#signal }).catch(() => undefined);
      }
    }
  }

  /** The open connection to send through. Throws `TransportError` while there is none. */
  line(): Line {
    const line = this.#connected?.line();
    if (line == null || !this.#link.mayAct()) throw notConnected();
    return line;
  }

  /** Reads a dead letter once more. Throws `TransportError` while there is no connection. */
  async readAgain(letter: unknown): Promise<void> {
    const connected = this.#connected;
    if (connected === null) throw notConnected();
    await connected.readAgain(letter);
  }

  /** Only while a QR code is shown. Throws `LoginRefused`. */
  async pairingCode(phone: string | null): Promise<{ readonly code: string; readonly phone: string }> {
    const connected = this.#connected;
    if (connected === null || !connected.isShowingQr)
      throw new LoginRefused("not_expected", "No QR code is shown at the moment");
    if (phone === null) throw new LoginRefused("wrong", "is required");
    return requestCode(connected.socket, phone, CODE_TIMEOUT_MS);
  }

  /**
   * Takes this device off the phone's list and forgets its keys; asks again over the next connection where one is lost
   * meanwhile. Resolves when it is done, and throws when the session closes before.
   */
  logout(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    while (!this.#isOver && !this.#isUnlinked() && !(await this.#connected?.logout())) {
      if (this.#signal.aborted) throw notConnected();
      await sleep(LEAVE_AGAIN_MS, undefined, { signal: this.#signal }).catch(() => undefined);
    }
    await this.#forget();
  }

  /** False also while that is not known yet. */
  #isUnlinked(): boolean {
    return this.#account !== null && !isLinked(this.#account.creds);
  }

  /** The keys are worth nothing any more. */
  async #forget(): Promise<void> {
    this.#isOver = true;
    await this.#vault.clear();
  }

  async #connectAgainAndAgain(): Promise<void> {
    this.#account ??= await loadAccount(this.#vault);
    let account = this.#account;
    await this.#phone.load();
    await this.#forgetOtherRoute(account);
    let failures = 0;
    let brokenStreams = 0;
    while (!this.#signal.aborted) {
      const ended = await this.#connectOnce(account);
      if (this.#signal.aborted || this.#isOver) return;
      const { status, message, openMs, isLoggedIn } = ended;
      // A server that does not know the route may close without a word: the next attempt goes without it.
      if (!isLoggedIn) forgetRoute(account);
      if (openMs > STEADY_MS) failures = 0;
      brokenStreams = status === 500 && saidByWhatsApp(message) ? (openMs > 0 ? 1 : brokenStreams + 1) : 0;
      const consequence = consequenceOf({
        status,
        message,
        isLinked: isLinked(account.creds),
        brokenStreams,
      });
      if (await this.#ends(consequence)) return;
      // An attempt that came to nothing starts from new keys.
      if (!isLinked(account.creds)) account = freshAccount(this.#vault);
      this.#account = account;
      failures += 1;
      if (consequence === "restart" && failures <= RESTARTS) continue;
      this.#reportLoss(ended, consequence);
      const { firstPauseMs: firstMs } = this.#timing;
      const pauses = { firstMs, longestMs: firstMs * LONGEST_PAUSES };
      const pauseMs = backOffMs(consequence === "outdated" ? LONGEST_PAUSES : failures, pauses);
      await sleep(pauseMs, undefined, { signal: this.#signal });
    }
  }

  /**
   * A server names a route to itself, which the next connection sends before its first frame (`edge_routing`). Any other
   * server would take it for garbage.
   */
  async #forgetOtherRoute(account: Account): Promise<void> {
    const { state, settings } = this.#link;
    if ((await state.get(SERVER)) === settings.wsUrl) return;
    forgetRoute(account);
    await state.set(SERVER, settings.wsUrl);
  }

  async #connectOnce(account: Account): Promise<Ended> {
    const profile = isLinked(account.creds) ? await this.#profileOf(account) : null;
    await this.#waitForTurn();
    const [link, timing, journal, recent] = [this.#link, this.#timing, this.#journal, this.#recent];
    const connected = new Connected({
      link,
      timing,
      journal,
      recent,
      phone: this.#phone,
      account,
      keys: this.#keys,
      turns: this.#turns,
      signal: this.#signal,
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

  /** Who the account is; null when another phone was linked to this channel before. */
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

  /** Whether only a person can go on from here; then it is told. */
  async #ends(consequence: Consequence): Promise<boolean> {
    switch (consequence) {
      case "restart":
      case "reconnect":
      case "outdated":
        return false;
      case "qridle":
      case "openelsewhere":
        if (this.#leaving !== null) return false;
        await this.#tell({ status: "disabled", reason: consequence });
        return true;
      case "unauthorized":
        await this.#forget();
        if (this.#leaving === null) await this.#tell({ status: "disabled", reason: "unauthorized" });
        return true;
    }
  }

  #reportLoss({ message }: Ended, consequence: Consequence): void {
    if (consequence === "outdated")
      this.#link.log("warn", "WhatsApp refuses this version of the program: update it", { detail: message });
    else if (isBadSignature(new Error(message)))
      this.#link.log("warn", "WhatsApp: a signature is not genuine; the connection was refused", {
        detail: message,
      });
    // Nobody waits for it: the line is to be back before anybody has heard of its loss.
    this.#tell({ status: "lost", detail: message }).catch(() => undefined);
  }

  /** Each change once; a QR code each time. */
  async #tell(state: LinkState): Promise<void> {
    const said = JSON.stringify(state.status === "lost" ? { status: "lost" } : state);
    if (said === this.#lastTold && state.status !== "active") return;
    this.#lastTold = said;
    // Until it is stored, or something newer is to be told.
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
