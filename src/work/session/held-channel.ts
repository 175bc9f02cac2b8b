import { claimMessengerAccount } from "../../core/channel/link/claim.ts";
import { applyLink, applyTrigger } from "../../core/channel/link/link-state.ts";
import { triggerOf } from "../../core/channel/link/link-trigger.ts";
import { isUnlinked } from "../../core/channel/link/unlinked.ts";
import { keepExit } from "../../core/channel/proxy/given-proxy.ts";
import { exitKeyOf } from "../../core/channel/proxy/route.ts";
import type { ChannelStatus, ChannelTrigger } from "../../core/channel-status.ts";
import type { Core } from "../../core/core.ts";
import { createLink } from "../../core/inbound/link.ts";
import type { OwnedRow } from "../../core/ownership/ownership.ts";
import { type StoredPacing, storedPacing, withCooldown } from "../../core/pacing/stored.ts";
import type { ChannelLink, Session } from "../../core/transport/connector.ts";
import type { LinkState } from "../../core/transport/events.ts";
import type { RegisteredTransport } from "../../core/transport/registry.ts";
import { followExit } from "../../platform/network/proxy/exit-probe.ts";
import { createSerialQueue } from "../../platform/queue/serial-queue.ts";
import type { Lease } from "../lease.ts";
import { succeedsWithin, TimeLimits } from "../time-limit.ts";
import { GraceTimer, type LossReports } from "./grace-timer.ts";

/** A channel that this node owns, with its live session. */
export interface OwnedChannel {
  readonly accountId: number;
  readonly channelId: string;
  readonly epoch: number;
  readonly transport: RegisteredTransport;
  readonly session: Session;
  readonly link: ChannelLink;
  /** Requests to the messenger, which end with the link. */
  readonly limits: TimeLimits;
  /** As last read, after a notification or within five seconds; a new object each time. */
  readonly pacing: StoredPacing;
  /** Whether it may send now: the channel is active, the session open and the node's lease valid. */
  canSend(): boolean;
}

const CLOSE_TIMEOUT_MS = 5_000;
/** An open session that has not reported its link state within this time is no longer waited for. */
const FIRST_STATE_TIMEOUT_MS = 2_000;

interface HeldChannelOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  readonly row: OwnedRow;
  readonly transport: RegisteredTransport;
  /** Shared by all channels of the node. */
  readonly losses: LossReports;
  /** The channel may have become able to send. */
  readonly onReady: () => void;
  /** Its session could not be opened. */
  readonly onFailed: (error: unknown) => void;
}

/** A channel that this node holds: its link, its session once that is open, and what is known of its row. */
export class HeldChannel {
  readonly #options: HeldChannelOptions;
  readonly epoch: number;
  readonly owned: OwnedChannel;
  status: string;
  /** About to be released: nothing more may be sent through it. */
  leaving = false;
  /** A wrong messenger account was linked with a link of its own, which must end. */
  #isUnwanted = false;
  #pacing: StoredPacing;
  /** When the cooldown changed, on the monotonic clock: rows requested before do not contain the change. */
  #cooldownAt = Number.NEGATIVE_INFINITY;
  readonly #end = new AbortController();
  /** Resolves when the first link state is stored, or the channel is closed. */
  readonly #answered = Promise.withResolvers<void>();
  readonly #grace: GraceTimer;
  /** A loss that is being stored must not overtake the state after it. */
  readonly #inOrder = createSerialQueue();
  /** As last reported by the session, and whether it has lost its connection since. */
  #lastState: LinkState | null = null;
  #isLost = false;
  #lossDetail = "";
  /** Its proxy does not work, and the channel says so. */
  #waitsForProxy = false;
  /** Runs from the time at which the proxy works again until the session reports its state. */
  #recovery: NodeJS.Timeout | undefined;
  #session: Session | undefined;
  #opening = Promise.resolve();
  /** The directory has to be asked before its last state counts, and cannot be. */
  #waitsForDirectory = false;
  #saidThatItWaits = false;

  constructor(options: HeldChannelOptions) {
    const { core, row, losses } = options;
    this.#options = options;
    this.epoch = row.epoch;
    this.status = row.status;
    this.#pacing = storedPacing(row, core.clock.monotonicMs());
    this.#grace = new GraceTimer(losses, row.account_id, (isLost) =>
      this.#inOrder(async () => {
        if (isLost()) await this.#apply({ status: "lost", detail: this.#lossDetail });
      }),
    );
    this.#end.signal.addEventListener("abort", () => this.#onClosed(), { once: true });
    this.owned = this.#createOwned();
    this.#watchProxy();
  }

  get isUnwanted(): boolean {
    return this.#isUnwanted;
  }

  get isOpen(): boolean {
    return this.#session !== undefined && !this.#end.signal.aborted;
  }

  /** A person has to link it before its session can be opened. */
  get isUnlinked(): boolean {
    return isUnlinked(this.#options.transport, this.owned.link.credentials);
  }

  /** Takes over the row as it was read by a query made at `askedAt`, on the monotonic clock. */
  follow(row: OwnedRow, askedAt: number): void {
    this.status = row.status;
    if (askedAt > this.#cooldownAt) this.#pacing = storedPacing(row, this.#options.core.clock.monotonicMs());
  }

  /**
   * Opens the session. Resolves when it has reported its link state or is unlikely to, or when the channel is closed.
   */
  async open(): Promise<void> {
    const { transport, onReady, onFailed } = this.#options;
    const open = async (): Promise<Session | null> =>
      (await this.#claims())
        ? transport.connector.open(this.owned.link as Parameters<typeof transport.connector.open>[0])
        : null;
    this.#opening = open().then(
      (session) => {
        if (session === null) return this.#answered.resolve();
        this.#session = session;
        onReady();
        setTimeout(this.#answered.resolve, FIRST_STATE_TIMEOUT_MS).unref();
      },
      (error: unknown) => {
        onFailed(error);
        this.#answered.resolve();
      },
    );
    await this.#answered.promise;
  }

  /** Whether the channel may use its messenger account; if not, nothing may be changed at the messenger. */
  async #claims(): Promise<boolean> {
    const { core, row } = this.#options;
    const exit = exitKeyOf(core, row);
    if (exit !== row.exit_key) await keepExit(core, this.owned, exit);
    const isNewLink = core.directory !== null && row.unlisted && row.status !== "active";
    if (!row.unclaimed && !isNewLink) return true;
    for (;;) {
      const outcome = await claimMessengerAccount(core, this.owned);
      if (outcome === "claimed") return !this.#end.signal.aborted;
      if (outcome === "refused") {
        this.status = "disabled";
        return false;
      }
      await this.#sayThatItWaits();
      // Others need not wait to be opened.
      this.#answered.resolve();
      await core.directory?.untilBack(this.#end.signal);
      if (this.#end.signal.aborted) return false;
    }
  }

  async #sayThatItWaits(): Promise<void> {
    if (this.#saidThatItWaits) return;
    this.#saidThatItWaits = true;
    this.owned.link.log("warn", "the link waits: the directory of the installation cannot be reached", {});
    await applyTrigger(this.#options.core, this.owned, { kind: "linkWaits" }, { waits: true });
  }

  /** A link that was made while the directory is away counts once that can be asked. */
  async #retryWhenBack(): Promise<void> {
    const { directory } = this.#options.core;
    if (directory === null || this.#waitsForDirectory) return;
    this.#waitsForDirectory = true;
    await this.#sayThatItWaits();
    void directory
      .untilBack(this.#end.signal)
      .then(() =>
        this.#inOrder(async () => {
          this.#waitsForDirectory = false;
          const last = this.#lastState;
          if (!this.#end.signal.aborted && last !== null && !this.#isLost) await this.#apply(last);
        }),
      )
      .catch((error: unknown) =>
        this.owned.link.log("warn", "the link was not stored", { error: String(error) }),
      );
  }

  /** Resolves with whether the session ended its link in the messenger. */
  async close({ logout }: { logout: boolean }): Promise<boolean> {
    this.#grace.clear();
    const hasLeft =
      logout &&
      (await succeedsWithin(
        CLOSE_TIMEOUT_MS,
        this.#opening.then(() => logOut(this.#session)),
      ));
    this.#end.abort();
    await succeedsWithin(
      CLOSE_TIMEOUT_MS,
      this.#opening.then(() => this.#session?.close()),
    );
    return hasLeft;
  }

  #createOwned(): OwnedChannel {
    const { transport, row } = this.#options;
    const session = (): Session => {
      if (this.#session === undefined) throw new Error("The session is not open yet");
      return this.#session;
    };
    const pacing = (): StoredPacing => this.#pacing;
    return {
      accountId: row.account_id,
      channelId: row.id,
      epoch: row.epoch,
      transport,
      link: this.#createLink(),
      limits: new TimeLimits(this.#end.signal),
      get session() {
        return session();
      },
      get pacing() {
        return pacing();
      },
      canSend: () => this.#canSend(),
    };
  }

  /** Otherwise the link, such as a webhook of a bot, may by now be that of the channel that has the account. */
  get #hasOwnLink(): boolean {
    return this.#options.transport.definition.connect === "qr";
  }

  #canSend(): boolean {
    return this.isOpen && this.status === "active" && !this.leaving && this.#options.lease().isValid();
  }

  #createLink(): ChannelLink {
    const { core, lease, row, transport } = this.#options;
    return createLink(core, {
      key: { accountId: row.account_id, channelId: row.id, epoch: row.epoch, owner: row.owner },
      transport,
      sealedCredentials: row.credentials,
      proxy: { proxy: row.proxy, exit_key: row.exit_key },
      signal: this.#end.signal,
      // A node that was frozen beyond its lease must not write what it had prepared before.
      maySend: () => lease().isValid(),
      onCooldown: (hold) => {
        this.#cooldownAt = core.clock.monotonicMs();
        this.#pacing = withCooldown(this.#pacing, hold, { now: this.#cooldownAt, wall: core.clock.now() });
      },
      onLinkState: (state, askedAt) => this.#onLinkState(state, askedAt),
    });
  }

  #onClosed(): void {
    // Its logout may have reported a loss.
    this.#grace.clear();
    clearTimeout(this.#recovery);
    this.#answered.resolve();
  }

  /** While the proxy does not work, nothing is sent: there is no other way to the messenger. */
  #watchProxy(): void {
    const { proxy } = this.owned.link;
    // An earlier owner may have left it waiting, for a proxy that this node reaches, or that it has no more.
    this.#awaitState();
    if (proxy === null) return;
    const stop = followExit(proxy, ({ failure }) => {
      void this.#inOrder(() => this.#followProxy(failure)).catch((error: unknown) =>
        this.owned.link.log("warn", "the state of the proxy was not stored", { error: String(error) }),
      );
    });
    this.#end.signal.addEventListener("abort", stop, { once: true });
  }

  async #followProxy(failure: string | null): Promise<void> {
    if (this.#end.signal.aborted) return;
    clearTimeout(this.#recovery);
    this.#waitsForProxy = failure !== null;
    const last = this.#lastState;
    if (failure !== null) {
      this.owned.link.log("warn", "the proxy does not work; messages wait", { failure });
      await this.#trigger({ kind: "proxyFailed" }, {});
    } else if (last === null || this.#isLost) this.#awaitState();
    else await this.#apply(last);
  }

  /** Messages are accepted until the session is connected again; if that takes long, the proxy is not why they wait. */
  #awaitState(): void {
    const { graceMs } = this.#options.losses;
    this.#recovery = setTimeout(() => {
      void this.#inOrder(async () => {
        if (this.#end.signal.aborted || (this.#lastState !== null && !this.#isLost)) return;
        await this.#trigger({ kind: "proxyWorks" }, {});
      }).catch((error: unknown) =>
        this.owned.link.log("warn", "the state of the channel was not stored", { error: String(error) }),
      );
    }, graceMs).unref();
  }

  async #onLinkState(state: LinkState, askedAt: number | undefined): Promise<void> {
    this.#isLost = state.status === "lost";
    if (state.status === "lost") this.#lossDetail = state.detail;
    else this.#lastState = state;
    if (state.status !== "lost") this.#grace.clear();
    else if (!this.#end.signal.aborted) this.#grace.start();
    try {
      if (state.status !== "lost") await this.#inOrder(() => this.#apply(state, askedAt));
    } finally {
      this.#answered.resolve();
    }
  }

  async #apply(state: LinkState, askedAt?: number): Promise<void> {
    // It is applied when the proxy works again.
    if (state.status === "active" && this.#waitsForProxy) return;
    const known = triggerOf(state) ?? {
      trigger: { kind: "lostForLong" } as const,
      details: { detail: this.#lossDetail },
    };
    const status = await this.#trigger(known.trigger, { ...known.details, askedAt });
    if (status?.reason === "openelsewhere" || status?.reason === "foreignphone")
      this.#isUnwanted ||= state.status === "active" && this.#hasOwnLink;
  }

  async #trigger(
    trigger: ChannelTrigger,
    details: Parameters<typeof applyTrigger>[3],
  ): Promise<ChannelStatus | null> {
    const { core, onReady } = this.#options;
    const status = await applyLink(core, this.owned, trigger, details);
    if (status === "waits") await this.#retryWhenBack();
    if (status === null || status === "waits") return null;
    this.status = status.status;
    if (status.status === "active") onReady();
    return status;
  }
}

/** Throws if there is no session that could log out. */
async function logOut(session: Session | undefined): Promise<void> {
  if (session === undefined) throw new Error("The session is not open");
  await session.logout?.();
}
