import type { Vault } from "../../core/transport/connector.ts";
import { LoginRefused } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import type { LoginReply, LoginStep } from "../../core/transport/login.ts";
import { backOffMs } from "../../platform/queue/back-off.ts";
import { retryingVault } from "../kit/retrying-vault.ts";
import { Connected, type Ended, pauseFor } from "./connected.ts";
import { notConnected } from "./errors.ts";
import { Places } from "./inbound/places.ts";
import { readDataCentre } from "./library/data-centre.ts";
import type { Line } from "./line.ts";
import type { TgapiLink } from "./link.ts";
import { forgetSession, linkedUser } from "./linking/account.ts";
import { ACCOUNT, type LinkingParts, linkAccount, tellRejected } from "./linking/linking.ts";
import type { Login } from "./linking/login.ts";
import { Sends } from "./outbound/sends.ts";
import { PeerBook } from "./people/peer-book.ts";
import type { Timing } from "./timing.ts";

const STORE_AGAIN_MS = 1_000;
const TURN_AGAIN_MS = 500;
/** After this many consecutive refusals, the loss of the key is accepted. */
const KEY_REFUSALS = 3;
const LONGEST_PAUSES = 300;
/** An account that was active for a shorter time counts as a failure, so that Telegram is not asked every second. */
const STEADY_MS = 60_000;

/** The life of one account from its first QR code, until the owner has to act. */
export class AccountLife {
  readonly #link: TgapiLink;
  readonly #vault: Vault;
  readonly #timing: Timing;
  readonly #signal: AbortSignal;
  #login: Login | null = null;
  #connected: Connected | null = null;
  #lastTold = "";
  /** Set during a logout: Telegram's reports about the ended session are ignored. */
  #isLeaving = false;
  /** False until it is known. */
  #isUnlinked = false;

  /** Aborting `signal` ends it. */
  constructor(link: TgapiLink, signal: AbortSignal, timing: Timing) {
    // Attempts to connect also wait while the node's lease is uncertain.
    this.#link = { ...link, permitConnect: () => waitForTurn(link, signal) };
    this.#vault = retryingVault(link, "Telegram", signal);
    this.#signal = signal;
    this.#timing = timing;
  }

  /** Resolves when the channel closes or there is nothing left to do. Never rejects. */
  async run(): Promise<void> {
    for (let failures = 1; !this.#signal.aborted; failures++) {
      try {
        return await this.#live();
      } catch (error) {
        if (this.#signal.aborted) return;
        this.#link.log("warn", "Telegram: the session was interrupted", { error: String(error) });
        await pauseFor(this.#pauseMs(failures), this.#signal).catch(() => undefined);
      }
    }
  }

  /** The connection for sending. Throws `TransportError` if there is none. */
  line(): Line {
    const line = this.#connected?.line() ?? null;
    if (line === null || !this.#link.mayAct()) throw notConnected();
    return line;
  }

  /** Throws `LoginRefused`. */
  async answer(step: LoginStep): Promise<LoginReply> {
    if (this.#login === null) throw new LoginRefused("not_expected", "This step is not expected now");
    return this.#login.answer(step);
  }

  /** Removes this session from the account's devices. Throws if its removal is not certain. */
  async logout(signal: AbortSignal): Promise<void> {
    this.#isLeaving = true;
    if (!this.#isUnlinked) {
      const connected = this.#connected;
      if (connected === null) throw notConnected();
      await connected.logOut(signal);
    }
    await forgetSession(this.#link.vault);
    this.#isUnlinked = true;
  }

  async #live(): Promise<void> {
    if (!/^[1-9][0-9]{0,9}$/.test(this.#link.settings.apiId))
      return tellRejected(this.#link, (state) => this.#tell(state), "TGAPI_API_ID is not set");
    for (let refusals = 0; !this.#signal.aborted; ) {
      const userId = await linkedUser(this.#link.vault);
      this.#isUnlinked = userId === null;
      if (userId === null) {
        if (!(await linkAccount(this.#linking()))) return;
        continue;
      }
      if ((await this.#link.state.get(ACCOUNT)) === null) await this.#link.state.set(ACCOUNT, userId);
      const { ended, wasSteady } = await this.#follow(userId);
      if (ended === "closed") return;
      refusals = wasSteady ? 1 : refusals + 1;
      const isBelieved = ended === "keyRefused" && refusals >= KEY_REFUSALS;
      if (ended === "unauthorized" || ended === "openelsewhere" || isBelieved) return this.#unlinked(ended);
      await pauseFor(this.#pauseMs(refusals), this.#signal);
    }
  }

  #pauseMs(failures: number): number {
    const { firstPauseMs: firstMs } = this.#timing;
    return backOffMs(failures, { firstMs, longestMs: firstMs * LONGEST_PAUSES });
  }

  async #follow(selfId: string): Promise<{ ended: Ended; wasSteady: boolean }> {
    const vault = this.#vault;
    const connected = new Connected({
      link: this.#link,
      timing: this.#timing,
      vault,
      book: new PeerBook(vault),
      places: new Places(vault),
      sends: await Sends.load(vault),
      selfId,
      firstDc: this.#firstDc(),
      signal: this.#signal,
      tell: (state) => this.#tell(state),
    });
    this.#connected = connected;
    try {
      const ended = await connected.run();
      const { activeAt } = connected;
      return { ended, wasSteady: activeAt !== null && performance.now() - activeAt > STEADY_MS };
    } finally {
      this.#connected = null;
    }
  }

  #linking(): LinkingParts {
    return {
      link: this.#link,
      vault: this.#vault,
      timing: this.#timing,
      firstDc: this.#firstDc(),
      signal: this.#signal,
      tell: (state) => this.#tell(state),
      awaits: (login) => {
        this.#login = login;
      },
    };
  }

  #firstDc(): number {
    return readDataCentre(this.#link.settings.dataCentre).main.id;
  }

  async #unlinked(ended: Ended): Promise<void> {
    await forgetSession(this.#link.vault);
    this.#isUnlinked = true;
    const reason = ended === "openelsewhere" ? ended : "unauthorized";
    if (!this.#isLeaving) await this.#tell({ status: "disabled", reason });
  }

  /** Emits each change once, and every QR code. */
  async #tell(state: LinkState): Promise<void> {
    const said = JSON.stringify(state.status === "lost" ? { status: "lost" } : state);
    if (said === this.#lastTold && state.status !== "active") return;
    this.#lastTold = said;
    // Retries until it is stored or superseded by a newer state.
    while (this.#lastTold === said) {
      try {
        return await this.#link.emit({ kind: "link", state });
      } catch (error) {
        if (this.#signal.aborted) throw error;
        await pauseFor(STORE_AGAIN_MS, this.#signal);
      }
    }
  }
}

/** Resolves when this node may connect; it may not while its lease is uncertain. */
async function waitForTurn(link: TgapiLink, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await link.permitConnect();
    } catch (error) {
      if (signal.aborted) throw error;
      await pauseFor(TURN_AGAIN_MS, signal);
    }
  }
}
