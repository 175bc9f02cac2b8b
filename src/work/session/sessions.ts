import { setImmediate } from "node:timers/promises";
import { createLink } from "../../core/channel/link/link.ts";
import { applyTrigger } from "../../core/channel/link/link-state.ts";
import { triggerOf } from "../../core/channel/link/link-trigger.ts";
import { isUnlinked } from "../../core/channel/link/unlinked.ts";
import {
  acquireChannels,
  type OwnedRow,
  ownedAmong,
  ownedChannels,
  releaseChannel,
} from "../../core/channel/ownership.ts";
import type { Core } from "../../core/core.ts";
import { type StoredPacing, storedPacing, withCooldown } from "../../core/pacing/stored.ts";
import type { ChannelLink, Session } from "../../core/transport/connector.ts";
import type { LinkState } from "../../core/transport/events.ts";
import type { RegisteredTransport } from "../../core/transport/registry.ts";
import { countDescriptors } from "../../platform/file/descriptors.ts";
import type { Lease } from "../lease.ts";
import { ChannelLogouts, type DeletedChannel } from "./channel-logouts.ts";
import { SessionOpener, type SessionOpenerOptions, type Waiting } from "./session-opener.ts";
import { StaleChannels } from "./stale-channels.ts";

/** A channel that this node owns, with its live session. */
export interface OwnedChannel {
  readonly accountId: number;
  readonly channelId: string;
  readonly epoch: number;
  readonly transport: RegisteredTransport;
  readonly session: Session;
  readonly link: ChannelLink;
  /** As last read, after a notification or within five seconds; a new object each time. */
  readonly pacing: StoredPacing;
  /** Whether it may send now: the channel is active, the session open and the node's lease valid. */
  canSend(): boolean;
}

const POLL_INTERVAL_MS = 1_000;
/** A shorter loss of connection is not reported. */
const GRACE_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
const CLOSED_PER_TURN = 32;
/** An open session that has not reported its link state within this time is no longer waited for. */
const FIRST_STATE_TIMEOUT_MS = 2_000;
/** How long requests under way may take before their channel goes to another node. */
const SETTLE_TIMEOUT_MS = 10_000;

interface Held {
  readonly owned: OwnedChannel;
  readonly epoch: number;
  status: string;
  pacing: StoredPacing;
  /** When the cooldown changed, on the monotonic clock: rows requested before do not contain the change. */
  cooldownAt: number;
  /** About to be released: nothing more may be sent through it. */
  leaving: boolean;
  /** A wrong messenger account was linked, so its link must end. */
  unwanted: boolean;
  isOpen(): boolean;
  /** Resolves with whether the session ended its link in the messenger. */
  close(options: { logout: boolean }): Promise<boolean>;
}

/**
 * Keeps this node's share of the channels open: acquires channels without owner, closes those it lost, releases its
 * excess.
 */
export class Sessions {
  readonly #core: Core;
  readonly #lease: () => Lease;
  readonly #held = new Map<string, Held>();
  readonly #onReady: (channelId: string) => void;
  readonly #settle: (channelId: string) => Promise<void>;
  readonly #logouts: ChannelLogouts;
  readonly #openings: SessionOpener;
  readonly #stale = new StaleChannels();
  #stopping = false;
  #suspended = false;
  #round: Promise<void> = Promise.resolve();
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #off: () => void = () => undefined;

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
    const letGo = (channelId: string): Promise<boolean> => this.#end(channelId, { isDeleted: true });
    this.#logouts = new ChannelLogouts({ core: options.core, lease: options.lease, letGo });
  }

  start(): void {
    this.#off = this.#core.signals.on("channels", (channelId) => {
      this.#core.caches.channels.delete(channelId);
      if (channelId === "") this.#core.caches.channels.clear();
      this.#stale.add(channelId);
      this.#poll();
    });
    this.#timer = setInterval(() => this.#poll(), POLL_INTERVAL_MS);
    this.#poll();
  }

  get(channelId: string): OwnedChannel | undefined {
    return this.#held.get(channelId)?.owned;
  }

  sendable(): OwnedChannel[] {
    return [...this.#held.values()].map(({ owned }) => owned).filter((owned) => owned.canSend());
  }

  /** Open sessions of channels that are being linked by login steps. */
  linking(): { channelId: string; session: Session }[] {
    return [...this.#held.values()]
      .filter(({ status, owned, isOpen }) => {
        const { login } = owned.transport.definition.capabilities;
        return login.length > 0 && status === "init" && isOpen();
      })
      .map(({ owned: { channelId, session } }) => ({ channelId, session }));
  }

  /** Channels with an open session. */
  open(): OwnedChannel[] {
    return [...this.#held.values()].filter(({ isOpen }) => isOpen()).map(({ owned }) => owned);
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
  }

  resume(): void {
    this.#stale.add("");
    this.#suspended = false;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    this.#off();
    await this.#round;
    await this.#closeAll();
  }

  async #closeAll(): Promise<void> {
    this.#openings.follow([]);
    const all = [...this.#held.values()];
    this.#held.clear();
    const closing: Promise<unknown>[] = [this.#logouts.stop()];
    for (const [index, held] of all.entries()) {
      closing.push(held.close({ logout: false }));
      // Closing thousands in one turn would block the event loop for seconds.
      if (index % CLOSED_PER_TURN === 0) await setImmediate();
    }
    await Promise.all(closing);
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
      const { acquired, share } = await acquireChannels(this.#core.db, this.#lease().nodeId);
      if (acquired > 0 || this.#held.size + this.#openings.waiting > share) this.#stale.add("");
      const stale = this.#stale.take(this.#core.clock.monotonicMs());
      if (stale === "all" || !(await this.#refresh(stale))) await this.#reconcileAll(share);
      else this.#openings.openSome();
    } catch (error) {
      this.#stale.add("");
      throw error;
    }
  }

  /** Reads these channels and takes their rows over. False: one of them has to be opened, closed or released. */
  async #refresh(ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return true;
    const askedAt = this.#core.clock.monotonicMs();
    const rows = await ownedAmong(this.#core.db, this.#lease().nodeId, ids);
    const read = new Map(rows.map((row) => [row.id, row]));
    const stays = (id: string): boolean => {
      const [row, held] = [read.get(id), this.#held.get(id)];
      if (row === undefined || held === undefined) return row === held;
      return row.epoch === held.epoch && !row.deleted && row.status !== "disabled";
    };
    return ids.every(stays) && rows.every((row) => this.#follow(row, askedAt));
  }

  async #reconcileAll(share: number): Promise<void> {
    const askedAt = this.#core.clock.monotonicMs();
    const rows = await ownedChannels(this.#core.db, this.#lease().nodeId);
    const wanted = new Map(rows.map((row) => [row.id, row]));
    const closing = [...this.#held].filter(([id, held]) => wanted.get(id)?.epoch !== held.epoch);
    await Promise.all(closing.map(([id, held]) => this.#drop(id, held, { logout: false })));
    const open = rows.filter((row) => !row.deleted && row.status !== "disabled");
    const excess = Math.max(0, open.length - share);
    const leaving = [
      ...rows.filter((row) => !row.deleted && row.status === "disabled"),
      ...open.slice(open.length - excess),
    ];
    // No channel is opened that is about to be released.
    this.#openings.follow([]);
    this.#logouts.follow(rows.filter(({ deleted }) => deleted).map(deletedChannelOf));
    await Promise.all(leaving.map((row) => this.#leave(row)));
    const waiting: OwnedRow[] = [];
    for (const row of open.slice(0, open.length - excess)) if (!this.#follow(row, askedAt)) waiting.push(row);
    this.#openings.follow(waiting.map((row) => this.#opening(row)));
  }

  /** Ends work on a channel and releases it, so that another node may acquire it. */
  async #leave(row: OwnedRow): Promise<void> {
    await this.#end(row.id, { isDeleted: false });
    const { id, epoch } = row;
    await releaseChannel(this.#core.db, { id, epoch, nodeId: this.#lease().nodeId });
  }

  /**
   * Ends the session of a channel once no send is under way. Resolves with whether the session ended its link in the
   * messenger.
   */
  async #end(channelId: string, { isDeleted }: { isDeleted: boolean }): Promise<boolean> {
    const held = this.#held.get(channelId);
    if (held === undefined) return false;
    held.leaving = true;
    await patiently(this.#settle(channelId), SETTLE_TIMEOUT_MS);
    return this.#drop(channelId, held, { logout: isDeleted || held.unwanted });
  }

  async #drop(channelId: string, held: Held, options: { logout: boolean }): Promise<boolean> {
    this.#held.delete(channelId);
    return held.close(options);
  }

  /** Takes over the row of a channel that this node works on. False: it does not work on it yet. */
  #follow(row: OwnedRow, askedAt: number): boolean {
    const held = this.#held.get(row.id);
    if (held === undefined) return false;
    held.status = row.status;
    if (askedAt > held.cooldownAt) held.pacing = storedPacing(row, this.#core.clock.monotonicMs());
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
    const end = new AbortController();
    const answered = Promise.withResolvers<void>();
    end.signal.addEventListener("abort", () => answered.resolve(), { once: true });
    const key = { accountId: row.account_id, channelId: row.id, epoch: row.epoch };
    const grace = new GraceTimer(() => void this.#apply(key, held, { status: "lost", detail: "" }));
    const apply = (state: LinkState, askedAt: number | undefined): Promise<void> =>
      this.#apply(key, held, state, askedAt);
    const link = createLink(this.#core, {
      key,
      transport,
      sealedCredentials: row.credentials,
      signal: end.signal,
      owner: this.#lease().nodeId,
      // A node that was frozen beyond its lease must not write what it had prepared before.
      maySend: () => this.#lease().isValid(),
      onCooldown: (hold) => {
        const { clock } = this.#core;
        held.cooldownAt = clock.monotonicMs();
        held.pacing = withCooldown(held.pacing, hold, { now: held.cooldownAt, wall: clock.now() });
      },
      async onLinkState(state, askedAt) {
        if (state.status === "lost") grace.start();
        else grace.clear();
        try {
          if (state.status !== "lost") await apply(state, askedAt);
        } finally {
          answered.resolve();
        }
      },
    });
    let session: Session | undefined;
    let opening = Promise.resolve();
    const held: Held = {
      epoch: row.epoch,
      status: row.status,
      pacing: storedPacing(row, this.#core.clock.monotonicMs()),
      cooldownAt: Number.NEGATIVE_INFINITY,
      leaving: false,
      unwanted: false,
      isOpen: () => session !== undefined && !end.signal.aborted,
      owned: {
        ...key,
        transport,
        link,
        get session(): Session {
          if (session === undefined) throw new Error("The session is not open yet");
          return session;
        },
        get pacing(): StoredPacing {
          return held.pacing;
        },
        canSend: () =>
          session !== undefined &&
          held.status === "active" &&
          !held.leaving &&
          !end.signal.aborted &&
          this.#lease().isValid(),
      },
      close: async ({ logout }) => {
        grace.clear();
        const hasLeft =
          logout &&
          (await patiently(
            opening.then(() => logOut(session)),
            CLOSE_TIMEOUT_MS,
          ));
        end.abort();
        await patiently(
          opening.then(() => session?.close()),
          CLOSE_TIMEOUT_MS,
        );
        return hasLeft;
      },
    };
    // Kept without a session until a person has linked it; then it is opened again.
    if (isUnlinked(transport, link.credentials)) return void this.#held.set(row.id, held);
    opening = transport.connector.open(link as Parameters<typeof transport.connector.open>[0]).then(
      (opened) => {
        session = opened;
        this.#onReady(row.id);
        setTimeout(answered.resolve, FIRST_STATE_TIMEOUT_MS).unref();
      },
      (error: unknown) => {
        this.#held.delete(row.id);
        this.#stale.add(row.id);
        this.#core.log.error({ err: error, channelId: row.id }, "a channel could not be opened");
        answered.resolve();
      },
    );
    this.#held.set(row.id, held);
    await answered.promise;
  }

  async #apply(
    key: { accountId: number; channelId: string; epoch: number },
    held: Held,
    state: LinkState,
    askedAt?: number,
  ): Promise<void> {
    const known = triggerOf(state) ?? { trigger: { kind: "lostForLong" } as const, details: {} };
    const status = await applyTrigger(this.#core, key, known.trigger, { ...known.details, askedAt });
    if (status === null) return;
    held.status = status.status;
    if (status.reason === "openelsewhere" || status.reason === "foreignphone")
      held.unwanted ||= state.status === "active";
    if (status.status === "active") this.#onReady(key.channelId);
  }
}

/** Waits out a short loss of connection before it is reported. */
class GraceTimer {
  #timer: NodeJS.Timeout | undefined;
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  start(): void {
    this.#timer ??= setTimeout(this.#onEnd, GRACE_MS);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function deletedChannelOf(row: OwnedRow): DeletedChannel {
  return {
    accountId: row.account_id,
    channelId: row.id,
    epoch: row.epoch,
    transport: row.transport,
    sealedCredentials: row.credentials,
    leftMs: row.left_ms ?? 0,
  };
}

/** Throws if there is no session that could log out. */
async function logOut(session: Session | undefined): Promise<void> {
  if (session === undefined) throw new Error("The session is not open");
  await session.logout?.();
}

/** Resolves with whether the work succeeded in time. */
async function patiently(work: Promise<void> | undefined, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const done = Promise.resolve(work).then(
    () => true,
    () => false,
  );
  return Promise.race([done, end]).finally(() => clearTimeout(timer));
}
