import { setTimeout as sleep } from "node:timers/promises";
import { AccountConcurrencyLimit } from "../../core/concurrency-limit.ts";
import type { Core } from "../../core/core.ts";
import {
  type Cursor,
  claimCursors,
  releaseCursor,
  releaseStrayCursors,
} from "../../core/delivery/cursor/cursors.ts";
import { isSink } from "../../core/delivery/sink/sink.ts";
import { LIVE } from "../../core/event/about.ts";
import { firstIdOfYesterday } from "../../core/event/log-days.ts";
import { HandedEvents } from "../../core/event/log-readers.ts";
import { LogThrottle } from "../../core/log-throttle.ts";
import type { DueWork } from "../../core/node/due-work.ts";
import { ALL_CREATION_KINDS } from "../../core/payload/creation-kinds.ts";
import { PollLoop } from "../poll-loop.ts";
import { CursorRun } from "./cursor-run.ts";
import { DeliveryLoad } from "./delivery-load.ts";
import { FailedRuns } from "./failed-runs.ts";
import { fullAccounts } from "./full-accounts.ts";
import { type BatchPoster, createPoster, type PosterOptions } from "./poster.ts";
import { RetryRun } from "./retry-run.ts";
import type { Run, RunOptions } from "./run.ts";

const STRAY_CHECK_INTERVAL_MS = 2_000;
/** How often all receivers are polled while nobody watches for due work: a notification can be lost with its node. */
const FULL_POLL_INTERVAL_MS = 1_000;
const EARLY_MS = 50;
/** Of log entries about one receiver. */
const REPEATS_AFTER_MS = 600_000;
const MAX_CURSORS = 1_000;
/** Share of the cursors that one account may use, so that hanging receivers do not take all of them. */
const SHARE_OF_ACCOUNT = 0.1;
/** Bytes that all receivers of an account together may read ahead; each may always read a whole request. */
const BYTES_OF_ACCOUNT = 8_000_000;
/**
 * Receivers of an account that read concurrently. When a hundred of them begin at once, more than one would take the
 * processors of a small database from other accounts; a read takes about a millisecond.
 */
const READS_OF_ACCOUNT = 1;

export interface DispatcherOptions extends PosterOptions, Omit<RunOptions, "poster"> {
  /** Delivers to the sink. */
  readonly sink: BatchPoster;
  /** Cursors that this node works on concurrently, default 1,000. */
  readonly maxCursors?: number;
}

/**
 * Delivers events in order, many per request, one request at a time to each receiver (or several, by its setting). A
 * refused item is found by sending its batch singly; its chat is then diverted and everything else goes on.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #core: Core;
  readonly #runOptions: RunOptions;
  readonly #running = new Map<Promise<void>, { readonly cursor: Cursor; readonly run: Run }>();
  readonly #loop: PollLoop;
  readonly #reads: AccountConcurrencyLimit;
  readonly #load = new DeliveryLoad();
  readonly #failedRuns = new FailedRuns();
  readonly #logThrottle = new LogThrottle({ maxEntries: 10_000, ttlMs: REPEATS_AFTER_MS });
  /** Accounts that may have events to deliver, with the kinds of these events; null: any. */
  readonly #notified = new Map<number, ReadonlySet<string> | null>();
  readonly #stopping = new AbortController();
  /** All receivers are to be polled. */
  #everywhere = true;
  #everywhereAt = Number.NEGATIVE_INFINITY;
  /** Receivers that have older events to read may be among those to claim. */
  #withOld = false;
  #off: readonly (() => void)[] = [];
  /** When stray cursors (claimed for this node, but unknown to it) were last released. */
  #straysAt = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#runOptions = { ...options, poster: posterOf(options) };
    const maxCursors = options.maxCursors ?? MAX_CURSORS;
    const refusal = "Too many receivers of the account wait to read";
    this.#reads = new AccountConcurrencyLimit({
      maxConcurrent: READS_OF_ACCOUNT,
      maxWaiting: maxCursors * 2,
      refusal,
    });
    this.#loop = new PollLoop({
      everyMs: FULL_POLL_INTERVAL_MS,
      isWatched: () => this.#core.signals.isWatched() && !this.#isAsked(),
      poll: () => this.#poll(),
      onError: (error) => {
        this.#core.log.debug({ err: error }, "due webhooks could not be polled");
        this.#straysAt = Number.NEGATIVE_INFINITY;
      },
    });
  }

  get #maxCursors(): number {
    return Math.ceil((this.#options.maxCursors ?? MAX_CURSORS) * this.#options.lease().concurrency);
  }

  get #share(): number {
    return Math.max(1, Math.floor(this.#maxCursors * SHARE_OF_ACCOUNT));
  }

  start(): void {
    const { signals } = this.#core;
    this.#off = [
      signals.on("webhooks", (detail, local) =>
        this.#onNotification(detail, local instanceof HandedEvents ? local : null),
      ),
      // Claims go on: those with events are found by the poll, and those of this node read again by themselves.
      signals.onDue("webhooks", () => {
        this.#withOld = true;
        this.#loop.now();
      }),
      signals.onDue("allWebhooks", () => this.poll()),
    ];
    this.#core.moves.onChange(() => {
      for (const { run, cursor } of this.#running.values())
        if (this.#core.moves.isAway(cursor.accountId)) run.end();
      this.poll();
    });
    this.#core.logReaders.provide((accountId) =>
      this.#ofAccount(accountId).flatMap(({ run }) => run.offer() ?? []),
    );
    this.#loop.start();
  }

  /**
   * `detail`: an account and the kinds of its new events; empty: notifications of any account may have been lost. `handed`:
   * the events themselves.
   */
  #onNotification(detail: string, handed: HandedEvents | null): void {
    const [account, ...kinds] = detail.split(" ");
    const accountId = Number(account);
    const own = detail === "" ? [...this.#running.values()] : this.#ofAccount(accountId);
    for (const { run, cursor } of own) {
      if (handed !== null && run.take(handed)) continue;
      if (kinds.length === 0 || kinds.some((kind) => cursor.kinds.includes(kind))) run.notify();
    }
    // The account's receivers may have changed. The next claims know them.
    if (kinds.length === 0) for (const { run } of own) run.end();
    const isHeard = own.some(({ cursor }) => isForItAlone(cursor, kinds));
    if (kinds.length === 0) this.#withOld = true;
    if (detail === "") this.#everywhere = true;
    else if (isHeard || (kinds.length > 0 && kinds.every((kind) => kind === LIVE))) return;
    else this.#remember(accountId, kinds.length === 0 ? null : kinds);
    this.#loop.now();
  }

  #remember(accountId: number, kinds: Iterable<string> | null): void {
    const known = this.#notified.get(accountId) ?? [];
    const isAny = kinds === null || this.#notified.get(accountId) === null;
    this.#notified.set(accountId, isAny ? null : new Set([...known, ...kinds]));
  }

  #ofAccount(accountId: number): { readonly cursor: Cursor; readonly run: Run }[] {
    return [...this.#running.values()].filter(({ cursor }) => cursor.accountId === accountId);
  }

  /** Takes no new work. Resolves when the requests under way have ended. Other nodes are notified of what is left. */
  async stop(): Promise<void> {
    for (const off of this.#off) off();
    this.#stopping.abort();
    const stopped = this.#loop.stop();
    for (const { run } of this.#running.values()) run.notify();
    await stopped;
    if (this.#running.size === 0) return;
    while (this.#running.size > 0) await Promise.allSettled(this.#running.keys());
    this.#core.signals.notify("webhooks");
  }

  /** Polls all receivers now. A call during a poll causes another one after it. */
  poll(): void {
    this.#everywhere = true;
    this.#loop.now();
  }

  /** Whether a reason for a poll is left, because the last one failed or the node was not able to claim. */
  #isAsked(): boolean {
    return this.#everywhere || this.#withOld || this.#notified.size > 0;
  }

  /**
   * Whether a poll for retries would find nothing: none is due, and all receivers that this node has claimed are in its hands.
   */
  isPollInVain({ dueRetries, claimedCursors }: Pick<DueWork, "dueRetries" | "claimedCursors">): boolean {
    return !dueRetries && claimedCursors <= this.#running.size;
  }

  async #poll(): Promise<boolean> {
    const limit = Math.min(this.#share, this.#maxCursors - this.#running.size);
    if (limit <= 0 || !this.#options.lease().isValid()) return false;
    const { nodeId } = this.#options.lease();
    await this.#releaseStrays(nodeId);
    const now = this.#core.clock.monotonicMs();
    const everywhere = this.#everywhere || this.#isUnwatched(now);
    const withOld = this.#withOld;
    const notified = [...this.#notified];
    this.#notified.clear();
    this.#withOld = false;
    this.#everywhere = false;
    const remember = () => {
      this.#withOld ||= withOld;
      this.#everywhere ||= everywhere;
      for (const [id, kinds] of notified) this.#remember(id, kinds);
    };
    const kinds = notified.every(([, own]) => own !== null)
      ? notified.flatMap(([, own]) => [...(own ?? [])])
      : null;
    try {
      const cursors = await claimCursors(this.#core.db, nodeId, {
        limit,
        accounts: notified.map(([accountId]) => accountId),
        kinds,
        everywhere,
        without: [...this.#saturated(), ...this.#core.moves.resting()],
        after: everywhere || withOld ? 0 : this.#recent(),
      });
      for (const cursor of cursors) {
        if (this.#ofAccount(cursor.accountId).length < this.#share) this.#run(cursor);
        // The account had part of its share already. Until the rest of it is free, its cursors are not claimed again.
        else await releaseCursor(this.#core.db, cursor, cursor.batchLimit);
      }
      if (cursors.length === limit) remember();
      else if (everywhere) this.#everywhereAt = now;
      return cursors.length === limit;
    } catch (error) {
      remember();
      throw error;
    }
  }

  /** Nobody watches for due work, and the last poll of all receivers was a second ago. Timers may fire slightly early. */
  #isUnwatched(now: number): boolean {
    const isOver = now - this.#everywhereAt >= FULL_POLL_INTERVAL_MS - EARLY_MS;
    return isOver && !this.#core.signals.isWatched();
  }

  /** New events have higher ids than this. */
  #recent(): number {
    return firstIdOfYesterday(this.#core.clock.now());
  }

  /** Accounts that use their whole share. */
  #saturated(): number[] {
    return this.#running.size < this.#share ? [] : fullAccounts(this.#cursors(), this.#share);
  }

  async #releaseStrays(nodeId: string): Promise<void> {
    const now = this.#core.clock.monotonicMs();
    if (now - this.#straysAt < STRAY_CHECK_INTERVAL_MS) return;
    const inHand = this.#cursors().map(({ id }) => id);
    if ((await releaseStrayCursors(this.#core.db, nodeId, inHand)) > 0) this.#everywhere = true;
    this.#straysAt = now;
  }

  #cursors(): Cursor[] {
    return [...this.#running.values()].map(({ cursor }) => cursor);
  }

  #run(cursor: Cursor): void {
    const { accountId } = cursor;
    const Lane = cursor.lane === "retries" ? RetryRun : CursorRun;
    const run: Run = new Lane(this.#runOptions, cursor, {
      isStopping: () => this.#loop.isStopping,
      share: () => Math.floor(BYTES_OF_ACCOUNT / Math.max(1, this.#ofAccount(accountId).length)),
      mayStay: () => this.#mayStay(accountId),
      isUnderLoad: () => this.#load.count(),
      readWithinLimit: (read) => this.#reads.run(accountId, read),
    });
    const running = run
      .work()
      .then(() => this.#failedRuns.worked(cursor.id))
      .catch(async (error: unknown) => {
        const restMs = this.#failedRuns.failed(cursor.id);
        const { endpointId } = cursor;
        const level = this.#logThrottle.shouldLog(endpointId) ? "warn" : "debug";
        this.#core.log[level]({ err: error, endpointId }, "a receiver's queue stopped for now");
        // Until then it is not claimed: a lasting failure must not keep the node busy.
        await sleep(restMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
        this.#straysAt = Number.NEGATIVE_INFINITY;
      })
      .finally(() => {
        this.#running.delete(running);
        // Polls meanwhile skipped this cursor because it was claimed, and others of the account may have waited for
        // its share.
        this.#remember(accountId, null);
        if (cursor.position < this.#recent()) this.#withOld = true;
        this.#loop.now();
      });
    this.#running.set(running, { cursor, run });
  }

  /** True while at most half of all cursors are in use, and half of the account's share. */
  #mayStay(accountId: number): boolean {
    return this.#running.size <= this.#maxCursors / 2 && this.#ofAccount(accountId).length <= this.#share / 2;
  }
}

/** Webhooks by HTTP, and the sink. */
function posterOf(options: DispatcherOptions): BatchPoster {
  const webhooks = createPoster(options.core, options);
  return {
    post: (to, batch, attempt) => (isSink(to) ? options.sink : webhooks).post(to, batch, attempt),
    test: (to) => (isSink(to) ? options.sink : webhooks).test(to),
  };
}

/** Whether events of these kinds concern this cursor and no other of its account. */
function isForItAlone(cursor: Cursor, kinds: readonly string[]): boolean {
  return (
    cursor.lane === "events" &&
    cursor.isOnly &&
    kinds.length > 0 &&
    kinds.every((kind) => takes(cursor, kind))
  );
}

/** Events that a CRM answers have a cursor of their own; pages follow the log by themselves. */
function takes({ kinds }: Cursor, kind: string): boolean {
  return kind === LIVE || (kinds.includes(kind) && !ALL_CREATION_KINDS.some((other) => other === kind));
}
