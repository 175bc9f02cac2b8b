import { AccountTurns } from "../../core/concurrency-limit.ts";
import type { Core } from "../../core/core.ts";
import { ALL_CREATION_KINDS } from "../../core/event/creation-payloads.ts";
import { firstIdOfYesterday } from "../../core/event/log-days.ts";
import { LIVE } from "../../core/live/about.ts";
import { type Cursor, claimCursors, releaseStrayCursors } from "../../core/webhook/cursors.ts";
import { PollLoop } from "../poll-loop.ts";
import { CursorRun, type DeliveryOptions } from "./cursor-run.ts";
import { fullAccounts } from "./full-accounts.ts";

const STRAYS_EVERY_MS = 2_000;
/** How often all receivers are polled: a notification can be lost with its node. */
const EVERYWHERE_EVERY_MS = 1_000;
const EARLY_MS = 50;
const MAX_CURSORS = 1_000;
/** Share of the cursors that one account may use, so that hanging receivers do not take all of them. */
const SHARE_OF_ACCOUNT = 0.1;
/** Bytes that all receivers of an account together may read ahead; each may always read a whole request. */
const BYTES_OF_ACCOUNT = 8_000_000;
/** Receivers of an account that read concurrently: a hundred of them would take every database connection. */
const READS_OF_ACCOUNT = 3;

export interface DispatcherOptions extends DeliveryOptions {
  /** Cursors that this node works on concurrently, default 1,000. */
  readonly maxCursors?: number;
}

/**
 * Delivers events in order, many per request, one request at a time to each receiver (or several, by its setting). A
 * refused item is found by halving its batch; its chat is then diverted and everything else goes on.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #core: Core;
  readonly #running = new Map<Promise<void>, { readonly cursor: Cursor; readonly run: CursorRun }>();
  readonly #pump: PollLoop;
  readonly #maxCursors: number;
  readonly #share: number;
  readonly #reads: AccountTurns;
  /** Accounts that may have events to deliver. */
  readonly #told = new Set<number>();
  #everywhereAt = Number.NEGATIVE_INFINITY;
  #off: () => void = () => undefined;
  /** When cursors that are claimed in this node's name, but unknown to it, were last released. */
  #straysAt = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#maxCursors = options.maxCursors ?? MAX_CURSORS;
    this.#share = Math.max(1, Math.floor(this.#maxCursors * SHARE_OF_ACCOUNT));
    const refusal = "Too many receivers of the account wait to read";
    this.#reads = new AccountTurns({ atATime: READS_OF_ACCOUNT, maxWaiting: this.#maxCursors * 2, refusal });
    this.#pump = new PollLoop({
      everyMs: EVERYWHERE_EVERY_MS,
      look: () => this.#look(),
      onError: (error) => {
        this.#core.log.debug({ err: error }, "due webhooks could not be looked up");
        this.#straysAt = Number.NEGATIVE_INFINITY;
      },
    });
  }

  start(): void {
    this.#off = this.#core.wakes.on("webhooks", (detail) => this.#hear(detail));
    this.#pump.start();
  }

  /** `detail`: an account and the kinds of its new events; empty: any account may have new events. */
  #hear(detail: string): void {
    const [account, ...kinds] = detail.split(" ");
    const accountId = Number(account);
    const own = this.#ofAccount(accountId);
    for (const { run } of own) run.tell();
    const isHeard = own.some(({ cursor }) => isForItAlone(cursor, kinds));
    if (detail === "") this.#everywhereAt = Number.NEGATIVE_INFINITY;
    else if (isHeard || (kinds.length > 0 && kinds.every((kind) => kind === LIVE))) return;
    else this.#told.add(accountId);
    this.#pump.now();
  }

  #ofAccount(accountId: number): { readonly cursor: Cursor; readonly run: CursorRun }[] {
    return [...this.#running.values()].filter(({ cursor }) => cursor.accountId === accountId);
  }

  /** Takes no new work. Resolves when the requests under way have ended. */
  async stop(): Promise<void> {
    this.#off();
    const stopped = this.#pump.stop();
    for (const { run } of this.#running.values()) run.tell();
    await stopped;
    while (this.#running.size > 0) await Promise.allSettled(this.#running.keys());
  }

  /** Polls all receivers now. A call during a poll causes another one after it. */
  pump(): void {
    this.#everywhereAt = Number.NEGATIVE_INFINITY;
    this.#pump.now();
  }

  async #look(): Promise<boolean> {
    const limit = Math.min(this.#share, this.#maxCursors - this.#running.size);
    if (limit <= 0 || !this.#options.lease().isValid()) return false;
    const { nodeId } = this.#options.lease();
    await this.#freeStrays(nodeId);
    const now = this.#core.clock.monotonicMs();
    // Timers may fire slightly early.
    const everywhere = now - this.#everywhereAt >= EVERYWHERE_EVERY_MS - EARLY_MS;
    const accounts = [...this.#told];
    this.#told.clear();
    try {
      const cursors = await claimCursors(this.#core.db, nodeId, {
        limit,
        accounts,
        everywhere,
        without: this.#sated(),
        after: everywhere ? 0 : this.#recent(),
      });
      for (const cursor of cursors) this.#run(cursor);
      if (cursors.length === limit) for (const id of accounts) this.#told.add(id);
      else if (everywhere) this.#everywhereAt = now;
      return cursors.length === limit;
    } catch (error) {
      for (const id of accounts) this.#told.add(id);
      throw error;
    }
  }

  /**
   * New events have higher ids than this. Receivers that have older events to read are found by the poll of all
   * receivers.
   */
  #recent(): number {
    return firstIdOfYesterday(this.#core.clock.now());
  }

  /** Accounts that use their whole share. */
  #sated(): number[] {
    return this.#running.size < this.#share ? [] : fullAccounts(this.#cursors(), this.#share);
  }

  async #freeStrays(nodeId: string): Promise<void> {
    const now = this.#core.clock.monotonicMs();
    if (now - this.#straysAt < STRAYS_EVERY_MS) return;
    const inHand = this.#cursors().map(({ id }) => id);
    await releaseStrayCursors(this.#core.db, nodeId, inHand);
    this.#straysAt = now;
  }

  #cursors(): Cursor[] {
    return [...this.#running.values()].map(({ cursor }) => cursor);
  }

  #run(cursor: Cursor): void {
    const { accountId } = cursor;
    const run = new CursorRun(this.#options, cursor, {
      isStopping: () => this.#pump.isStopping,
      share: () => BYTES_OF_ACCOUNT / Math.max(1, this.#ofAccount(accountId).length),
      mayStay: () => this.#mayStay(accountId),
      readInTurn: (read) => this.#reads.take(accountId, read),
    });
    const running = run
      .work()
      .catch((error: unknown) => {
        this.#core.log.warn(
          { err: error, endpointId: cursor.endpointId },
          "a receiver's queue stopped for now",
        );
        this.#straysAt = Number.NEGATIVE_INFINITY;
      })
      .finally(() => {
        this.#running.delete(running);
        // Polls meanwhile skipped this cursor because it was claimed, and others of the account may have waited for
        // its share.
        this.#told.add(accountId);
        if (cursor.chat === null && cursor.position < this.#recent())
          this.#everywhereAt = Number.NEGATIVE_INFINITY;
        this.#pump.now();
      });
    this.#running.set(running, { cursor, run });
  }

  /** True while at most half of all cursors are in use, and half of the account's share. */
  #mayStay(accountId: number): boolean {
    return this.#running.size <= this.#maxCursors / 2 && this.#ofAccount(accountId).length <= this.#share / 2;
  }
}

/** Whether events of these kinds concern this cursor and no other of its account. */
function isForItAlone(cursor: Cursor, kinds: readonly string[]): boolean {
  const isMain = cursor.id === cursor.endpointId;
  return isMain && cursor.isOnly && kinds.length > 0 && kinds.every((kind) => takes(cursor, kind));
}

/** Events that a CRM answers have a cursor of their own; pages follow the log by themselves. */
function takes({ kinds }: Cursor, kind: string): boolean {
  return kind === LIVE || (kinds.includes(kind) && !ALL_CREATION_KINDS.some((other) => other === kind));
}
