import { LogThrottle } from "../../core/log-throttle.ts";
import type { Descriptors } from "../../platform/file/descriptors.ts";
import type { Log } from "../../platform/log.ts";
import { freeCapacity, type Place } from "./capacity.ts";

/** Channels that a node connects at a time, over all their messengers. */
const AT_A_TIME = 256;
/** A messenger that says nothing for so long is waited for without a place. */
const PATIENCE_MS = 10_000;
const COUNT_EVERY_MS = 1_000;
/** For the database, requests from outside and sends; of a small limit a quarter. */
const RESERVED_DESCRIPTORS = 256;
/** What a channel needs at most while it connects; those that were opened since the last count are not in it. */
const DESCRIPTORS_OF_CHANNEL = 2;
const REPEATS_AFTER_MS = 600_000;

/** A channel that waits to be opened. */
export interface Waiting extends Place {
  readonly channelId: string;
  /** Begins to open it. Resolves when its messenger has answered, or never will. */
  open(): Promise<void>;
}

export interface SessionOpenerOptions {
  readonly log: Log;
  /** Null: the system does not tell. */
  countDescriptors(): Descriptors | null;
}

/**
 * Opens channels a few at a time, accounts in turns, each account and transport with its share: what opens thousands at
 * once has no connection left for anything else. As many are opened as there are descriptors for.
 */
export class SessionOpener {
  readonly #options: SessionOpenerOptions;
  readonly #told = new LogThrottle({ maxEntries: 1, ttlMs: REPEATS_AFTER_MS });
  readonly #connecting = new Map<string, Place>();
  #queues: Waiting[][] = [];
  #counted = { atMs: Number.NEGATIVE_INFINITY, free: 0 };
  #openedSinceCount = 0;

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#queues.reduce((count, queue) => count + queue.length, 0);
  }

  /** All that wait from now on; those that connect already do not begin again. */
  follow(channels: readonly Waiting[]): void {
    const waiting = channels.filter(({ channelId }) => !this.#connecting.has(channelId));
    const kinds = Map.groupBy(waiting, ({ accountId, transport }) => `${accountId} ${transport}`);
    this.#queues = [...kinds.values()].map((queue) => queue.toReversed());
    this.#openSome();
  }

  #openSome(): void {
    while (this.#queues.length > 0 && this.#openTurn());
  }

  /** One of each account and transport that has room. Answers whether there was any. */
  #openTurn(): boolean {
    let opened = false;
    let room = freeCapacity(this.#connecting.values(), AT_A_TIME);
    for (const queue of this.#queues) {
      if (room.total === 0 || !this.#hasDescriptors()) break;
      const next = queue.at(-1);
      if (next === undefined) continue;
      if (room.ofAccount(next.accountId) === 0 || room.ofTransport(next.transport) === 0) continue;
      queue.pop();
      this.#open(next);
      opened = true;
      room = freeCapacity(this.#connecting.values(), AT_A_TIME);
    }
    this.#queues = this.#queues.filter((queue) => queue.length > 0);
    return opened;
  }

  #open(channel: Waiting): void {
    const { channelId, accountId, transport } = channel;
    const place = { accountId, transport };
    this.#connecting.set(channelId, place);
    this.#openedSinceCount++;
    const leave = (): void => {
      clearTimeout(timer);
      if (this.#connecting.get(channelId) !== place) return;
      this.#connecting.delete(channelId);
      this.#openSome();
    };
    const timer = setTimeout(leave, PATIENCE_MS);
    void channel.open().then(leave, leave);
  }

  #hasDescriptors(): boolean {
    return this.#countedFree() - this.#openedSinceCount * DESCRIPTORS_OF_CHANNEL >= DESCRIPTORS_OF_CHANNEL;
  }

  #countedFree(): number {
    const now = performance.now();
    if (now - this.#counted.atMs < COUNT_EVERY_MS) return this.#counted.free;
    const counted = this.#options.countDescriptors();
    const free = counted === null ? Number.POSITIVE_INFINITY : freeOf(counted);
    this.#counted = { atMs: now, free };
    this.#openedSinceCount = 0;
    if (free < DESCRIPTORS_OF_CHANNEL && this.#told.shouldLog("descriptors"))
      this.#options.log.error(
        { ...counted, waiting: this.waiting },
        "channels wait: the process has hardly any file descriptors left; raise their limit (ulimit -n, LimitNOFILE) or add a node",
      );
    return free;
  }
}

function freeOf({ open, limit }: Descriptors): number {
  return limit - open - Math.min(RESERVED_DESCRIPTORS, limit / 4);
}
