import { setImmediate } from "node:timers/promises";
import type { Core } from "../../core/core.ts";
import {
  acquireChannels,
  type ChannelShares,
  findShares,
  type OwnedRow,
  type Ownership,
  ownedAmong,
  ownedChannels,
  releaseChannels,
} from "../../core/ownership/ownership.ts";
import type { Session } from "../../core/transport/connector.ts";
import { alignedInterval } from "../../platform/aligned-interval.ts";
import { countDescriptors } from "../../platform/file/descriptors.ts";
import { type Batcher, createBatcher } from "../../platform/queue/batcher.ts";
import type { Lease } from "../lease.ts";
import { succeedsWithin } from "../time-limit.ts";
import { ChannelLogouts, type DeletedChannel } from "./channel-logouts.ts";
import { LossReports } from "./grace-timer.ts";
import { HeldChannel, type OwnedChannel } from "./held-channel.ts";
import { SessionOpener, type SessionOpenerOptions, type Waiting } from "./session-opener.ts";
import { StaleChannels } from "./stale-channels.ts";

const POLL_INTERVAL_MS = 1_000;
/** How often all channels of the installation are counted, because the node's share may have become smaller. */
const COUNT_INTERVAL_MS = 60_000;
const CLOSED_PER_TURN = 32;
/** For more new channels than this, all channels of the node are read: a thousand take about ten milliseconds. */
const FEW_ACQUIRED = 100;
/** Channels that one statement releases. One such statement runs at a time; the other connections stay free. */
const RELEASED_TOGETHER = 100;
/** How long requests under way may take before their channel goes to another node. */
const SETTLE_TIMEOUT_MS = 10_000;

/**
 * Keeps this node's share of the channels open: acquires channels without owner, closes those it lost, releases its
 * excess.
 */
export class Sessions {
  readonly #core: Core;
  readonly #lease: () => Lease;
  readonly #held = new Map<string, HeldChannel>();
  /** Channels being given up. They are not opened again before that is done. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #onReady: (channelId: string) => void;
  readonly #settle: (channelId: string) => Promise<void>;
  readonly #logouts: ChannelLogouts;
  readonly #openings: SessionOpener;
  readonly #losses: LossReports;
  readonly #releases: Batcher<Ownership, void>;
  readonly #stale = new StaleChannels();
  #stopping = false;
  #suspended = false;
  #round: Promise<void> = Promise.resolve();
  #again = false;
  /** As last counted. */
  #share = 0;
  #sessionNodes = 0;
  #countAtMs = Number.NEGATIVE_INFINITY;
  /** Channels may wait for an owner, or the nodes may have changed. */
  #mayAcquire = true;
  #stopTimer: () => void = () => undefined;
  #off: readonly (() => void)[] = [];

  /**
   * `onReady` is called when a channel may have become able to send; `settle` resolves when nothing of a channel that
   * can no longer send is under way.
   */
  constructor(options: {
    core: Core;
    lease: () => Lease;
    onReady: (channelId: string) => void;
    settle: (channelId: string) => Promise<void>;
    countDescriptors?: SessionOpenerOptions["countDescriptors"];
    graceMs?: number;
  }) {
    this.#core = options.core;
    this.#lease = options.lease;
    this.#onReady = options.onReady;
    this.#settle = options.settle;
    const { log } = options.core;
    this.#openings = new SessionOpener({
      log,
      concurrency: () => options.lease().concurrency,
      countDescriptors: options.countDescriptors ?? countDescriptors,
    });
    this.#losses = new LossReports({ log, graceMs: options.graceMs });
    this.#releases = createBatcher({
      maxItems: RELEASED_TOGETHER,
      maxConcurrent: 1,
      run: async (channels) => {
        await releaseChannels(options.core.db, channels);
        return channels.map(() => undefined);
      },
    });
    const letGo = (channelId: string): Promise<boolean> => this.#end(channelId, { isDeleted: true });
    this.#logouts = new ChannelLogouts({ core: options.core, lease: options.lease, letGo });
  }

  start(): void {
    const { signals, caches } = this.#core;
    const acquire = (): void => {
      this.#mayAcquire = true;
      this.#poll();
    };
    this.#off = [
      signals.on("channels", (channelId) => {
        caches.channels.delete(channelId);
        if (channelId === "") caches.channels.clear();
        this.#stale.add(channelId);
        acquire();
      }),
      signals.onDue("channels", acquire),
    ];
    this.#core.moves.onChange(() => {
      this.#stale.add("");
      acquire();
    });
    this.#stopTimer = alignedInterval(() => {
      if (!signals.isWatched()) this.#mayAcquire = true;
      this.#poll();
    }, POLL_INTERVAL_MS);
    this.#poll();
  }

  /** Whether a look would find nothing: no channel waits for an owner, and the node knows its share. */
  isLookInVain({ unownedChannels, sessionNodes }: ChannelShares): boolean {
    return !unownedChannels && sessionNodes === this.#sessionNodes;
  }

  get(channelId: string): OwnedChannel | undefined {
    return this.#held.get(channelId)?.owned;
  }

  sendable(): OwnedChannel[] {
    return [...this.#held.values()].map(({ owned }) => owned).filter((owned) => owned.canSend());
  }

  /** The open session of a channel that is being linked by login steps. */
  linking(channelId: string): Session | undefined {
    const held = this.#held.get(channelId);
    if (held?.status !== "init" || !held.isOpen) return undefined;
    const { login } = held.owned.transport.definition.capabilities;
    return login.length > 0 ? held.owned.session : undefined;
  }

  /** Channels with an open session. */
  open(): OwnedChannel[] {
    return [...this.#held.values()].filter(({ isOpen }) => isOpen).map(({ owned }) => owned);
  }

  /** Every channel of this node, open or not. */
  owned(): { channelId: string; epoch: number }[] {
    return [...this.#held].map(([channelId, { epoch }]) => ({ channelId, epoch }));
  }

  /** Number of this node's channels that wait to be opened. */
  get waiting(): number {
    return this.#openings.waiting;
  }

  /** Closes every session at once because the lease is lost. Polling continues after `resume`. */
  async suspend(): Promise<void> {
    this.#suspended = true;
    // A round under way may be waiting for the database; the second pass closes what it still opens.
    await this.#closeAll();
    await this.#round;
    await this.#closeAll();
    await this.#allLeft();
  }

  resume(): void {
    this.#stale.add("");
    this.#mayAcquire = true;
    this.#suspended = false;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopTimer();
    for (const off of this.#off) off();
    await this.#round;
    await this.#allLeft();
    await this.#closeAll();
  }

  async #allLeft(): Promise<void> {
    await Promise.all(this.#leaving.values());
  }

  async #closeAll(): Promise<void> {
    this.#openings.follow([]);
    const all = [...this.#held.values()];
    this.#held.clear();
    const logoutsStopped = this.#logouts.stop();
    const closed = await startInTurns(all, (held) => held.close({ logout: false }));
    await Promise.all([logoutsStopped, ...closed]);
  }

  #poll(): void {
    this.#again = true;
    this.#round = this.#round.then(async () => {
      if (!this.#again || this.#stopping || this.#suspended || !this.#lease().isValid()) return;
      this.#again = false;
      try {
        await this.#reconcile();
      } catch (error) {
        this.#core.log.debug({ err: error }, "channels could not be polled");
      }
    });
  }

  async #reconcile(): Promise<void> {
    try {
      const acquired = await this.#acquire();
      if (acquired.length > FEW_ACQUIRED || this.#kept + acquired.length > this.#share) this.#stale.add("");
      for (const id of acquired) this.#stale.add(id);
      const stale = this.#stale.take(this.#core.clock.monotonicMs(), this.#held.size);
      if (stale === "all" || !(await this.#refresh(stale))) await this.#reconcileAll();
      else this.#openings.openSome();
    } catch (error) {
      this.#stale.add("");
      throw error;
    }
  }

  /** The channels that were acquired now. All channels are counted only if there is a reason, or for the share. */
  async #acquire(): Promise<readonly string[]> {
    const { db, clock } = this.#core;
    const isCounted = clock.monotonicMs() < this.#countAtMs;
    if (isCounted && !this.#mayAcquire) return [];
    this.#mayAcquire = false;
    try {
      if (isCounted && this.isLookInVain(await findShares(db))) return [];
      const { acquired, share, sessionNodes } = await acquireChannels(
        db,
        this.#lease().nodeId,
        this.#core.moves.resting(),
      );
      this.#share = share;
      this.#sessionNodes = sessionNodes;
      this.#countAtMs = clock.monotonicMs() + COUNT_INTERVAL_MS;
      return acquired;
    } catch (error) {
      this.#mayAcquire = true;
      throw error;
    }
  }

  /** Number of channels that the node works on or waits to open, without those that it gives up. */
  get #kept(): number {
    const leaving = [...this.#leaving.keys()].filter((id) => this.#held.has(id));
    return this.#held.size - leaving.length + this.#openings.waiting;
  }

  /** Reads these channels, opens new ones and takes over the rows of the others. False: one has to be closed or released. */
  async #refresh(ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return true;
    const askedAt = this.#core.clock.monotonicMs();
    const rows = await ownedAmong(this.#core.db, this.#lease().nodeId, ids);
    const read = new Map(rows.map((row) => [row.id, row]));
    const stays = (id: string): boolean => {
      const [row, held] = [read.get(id), this.#held.get(id)];
      if (row === undefined) return held === undefined;
      return (held === undefined || row.epoch === held.epoch) && !row.deleted && row.status !== "disabled";
    };
    if (!ids.every(stays)) return false;
    // What is being given up is read again once that is done.
    const added = rows.filter((row) => !this.#follow(row, askedAt) && !this.#leaving.has(row.id));
    if (added.length > 0) this.#openings.add(added.map((row) => this.#opening(row)));
    return true;
  }

  async #reconcileAll(): Promise<void> {
    const askedAt = this.#core.clock.monotonicMs();
    const { nodeId } = this.#lease();
    const owned = await ownedChannels(this.#core.db, nodeId);
    const wanted = new Map(owned.map((row) => [row.id, row]));
    const closing = [...this.#held].filter(([id, held]) => wanted.get(id)?.epoch !== held.epoch);
    for (const [id, held] of closing) this.#startClosing(id, held);
    const rows = owned.filter(({ id }) => !this.#leaving.has(id));
    const [resting, working] = partitioned(rows, ({ account_id: id }) => this.#core.moves.isAway(id));
    const open = working.filter((row) => !row.deleted && row.status !== "disabled");
    const excess = Math.max(0, open.length - this.#share);
    const leaving = [
      ...resting,
      ...working.filter((row) => !row.deleted && row.status === "disabled"),
      ...open.slice(open.length - excess),
    ];
    // No channel is opened that is about to be released.
    this.#openings.follow([]);
    this.#logouts.follow(working.filter(({ deleted }) => deleted).map(deletedChannelOf));
    await startInTurns(leaving, (row) => this.#startLeaving(row, nodeId));
    const waiting: OwnedRow[] = [];
    for (const row of open.slice(0, open.length - excess)) if (!this.#follow(row, askedAt)) waiting.push(row);
    this.#openings.follow(waiting.map((row) => this.#opening(row)));
  }

  /** Does not wait: a send under way or a messenger may delay it for seconds. */
  #startLeaving(row: OwnedRow, nodeId: string): void {
    this.#untilLeft(row.id, this.#leave(row, nodeId));
  }

  /** Closes the session of an earlier epoch. The channel is opened again only after that. */
  #startClosing(id: string, held: HeldChannel): void {
    this.#untilLeft(id, Promise.all([this.#leaving.get(id), this.#drop(id, held, { logout: false })]));
  }

  /** Nothing else happens to the channel until `work` has ended. */
  #untilLeft(id: string, work: Promise<unknown>): void {
    const left = work.then(() => {
      if (this.#leaving.get(id) !== left) return;
      this.#leaving.delete(id);
      // It may still be this node's: a release of an earlier epoch had no effect.
      this.#stale.add(id);
      this.#poll();
    });
    this.#leaving.set(id, left);
  }

  /**
   * Ends work on a channel and releases it, so that another node may acquire it. `nodeId` is the owner that was read:
   * the lease may be lost meanwhile, and another id taken. Never rejects.
   */
  async #leave({ id, epoch }: OwnedRow, nodeId: string): Promise<void> {
    await this.#end(id, { isDeleted: false });
    try {
      await this.#releases.add({ id, epoch, owner: nodeId });
    } catch (error) {
      this.#stale.add("");
      this.#core.log.debug({ err: error, channelId: id }, "a channel could not be released yet");
    }
  }

  /**
   * Ends the session of a channel once no send is under way. Resolves with whether the session ended its link in the
   * messenger.
   */
  async #end(channelId: string, { isDeleted }: { isDeleted: boolean }): Promise<boolean> {
    const held = this.#held.get(channelId);
    if (held === undefined) return false;
    held.leaving = true;
    await succeedsWithin(SETTLE_TIMEOUT_MS, this.#settle(channelId));
    // Closed meanwhile: the node has lost it, or closes all.
    if (this.#held.get(channelId) !== held) return false;
    return this.#drop(channelId, held, { logout: isDeleted || held.isUnwanted });
  }

  async #drop(channelId: string, held: HeldChannel, options: { logout: boolean }): Promise<boolean> {
    this.#held.delete(channelId);
    return held.close(options);
  }

  /** Takes over the row of a channel that this node works on. False: it does not work on it yet. */
  #follow(row: OwnedRow, askedAt: number): boolean {
    const held = this.#held.get(row.id);
    if (held === undefined) return false;
    held.follow(row, askedAt);
    return true;
  }

  #opening(row: OwnedRow): Waiting {
    return {
      channelId: row.id,
      accountId: row.account_id,
      transport: row.transport,
      open: async () => {
        // The lease may have ended since the rows were read, or the channel may have been opened.
        if (this.#stopping || this.#suspended || !this.#lease().isValid() || this.#held.has(row.id)) return;
        try {
          await this.#open(row);
        } catch (error) {
          this.#core.log.error({ err: error, channelId: row.id }, "a channel could not be opened");
        }
      },
    };
  }

  /** Resolves when the session has reported its link state or is unlikely to, or when the channel is closed. */
  async #open(row: OwnedRow): Promise<void> {
    const transport = this.#core.transports.get(row.transport);
    if (transport === undefined) return;
    const held = new HeldChannel({
      core: this.#core,
      lease: this.#lease,
      row,
      transport,
      losses: this.#losses,
      onReady: () => this.#onReady(row.id),
      onFailed: (error) => {
        this.#held.delete(row.id);
        this.#stale.add(row.id);
        this.#core.log.error({ err: error, channelId: row.id }, "a channel could not be opened");
      },
    });
    this.#held.set(row.id, held);
    // Kept without a session until a person has linked it; then it is opened again.
    if (!held.isUnlinked) await held.open();
  }
}

function partitioned<T>(all: readonly T[], isFirst: (each: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

/**
 * Starts closing some in each turn of the event loop, because thousands would block it for seconds. Resolves with what
 * `close` returned when all have been started; `close` must not reject.
 */
async function startInTurns<T, Closing>(
  all: readonly T[],
  close: (each: T) => Closing,
): Promise<readonly Closing[]> {
  const started: Closing[] = [];
  for (const [index, each] of all.entries()) {
    started.push(close(each));
    if (index % CLOSED_PER_TURN === 0) await setImmediate();
  }
  return started;
}

function deletedChannelOf(row: OwnedRow): DeletedChannel {
  return {
    accountId: row.account_id,
    channelId: row.id,
    epoch: row.epoch,
    transport: row.transport,
    sealedCredentials: row.credentials,
    proxy: { proxy: row.proxy, exit_key: row.exit_key },
    leftMs: row.left_ms ?? 0,
  };
}
