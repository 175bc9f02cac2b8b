import { LogThrottle } from "../../core/log-throttle.ts";
import type { Descriptors } from "../../platform/file/descriptors.ts";
import type { Log } from "../../platform/log.ts";
import { type FreeCapacity, freeCapacity, type SlotUser } from "./capacity.ts";

/** Channels that a node connects concurrently, over all messengers. */
const MAX_CONNECTING = 256;
/** A connection attempt without a response gives up its slot after this long; it is still awaited. */
const CONNECT_TIMEOUT_MS = 10_000;
const COUNT_EVERY_MS = 1_000;
/** Descriptors kept free for the database, incoming requests and sends; a quarter of the limit if that is smaller. */
const RESERVED_DESCRIPTORS = 256;
/**
 * The most descriptors that a channel needs to connect. Channels opened since the last count are not included in it.
 */
const DESCRIPTORS_OF_CHANNEL = 2;
const REPEATS_AFTER_MS = 600_000;

/** A channel that waits to be opened. */
export interface Waiting extends SlotUser {
  readonly channelId: string;
  /** Opens it. Resolves when its messenger has responded or is unlikely to. */
  open(): Promise<void>;
}

export interface SessionOpenerOptions {
  readonly log: Log;
  /** The part of the usual number that may connect concurrently now, above 0 and up to 1. */
  concurrency(): number;
  /** Null: the system does not report it. */
  countDescriptors(): Descriptors | null;
}

/**
 * Opens channels, a limited number at a time, round-robin over accounts; each account and transport has its share.
 * Opening thousands at once would leave no connection for anything else. Opens no more than there are file
 * descriptors for.
 */
export class SessionOpener {
  readonly #options: SessionOpenerOptions;
  readonly #logThrottle = new LogThrottle({ maxEntries: 1, ttlMs: REPEATS_AFTER_MS });
  readonly #connecting = new Map<string, SlotUser>();
  #queues: Waiting[][] = [];
  #counted = { atMs: Number.NEGATIVE_INFINITY, free: 0 };
  #openedSinceCount = 0;

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
  }

  /** Number of waiting channels. */
  get waiting(): number {
    return this.#queues.reduce((count, queue) => count + queue.length, 0);
  }

  /** Replaces the waiting channels. Those that are connecting already do not start again. */
  follow(channels: readonly Waiting[]): void {
    const waiting = channels.filter(({ channelId }) => !this.#connecting.has(channelId));
    const kinds = Map.groupBy(waiting, ({ accountId, transport }) => `${accountId} ${transport}`);
    this.#queues = [...kinds.values()].map((queue) => queue.toReversed());
    this.openSome();
  }

  /** Adds waiting channels behind the others of their account and transport. One that waits already is replaced. */
  add(channels: readonly Waiting[]): void {
    const added = new Set(channels.map(({ channelId }) => channelId));
    const others = this.#queues
      .flatMap((queue) => queue.toReversed())
      .filter(({ channelId }) => !added.has(channelId));
    this.follow([...others, ...channels]);
  }

  /** Opens waiting channels as long as there is capacity. */
  openSome(): void {
    while (this.#queues.length > 0 && this.#openRound());
  }

  #freeCapacity(): FreeCapacity {
    const slots = Math.ceil(MAX_CONNECTING * this.#options.concurrency());
    return freeCapacity(this.#connecting.values(), slots);
  }

  /** Opens one channel of each account and transport with free capacity. Returns whether there was any. */
  #openRound(): boolean {
    let opened = false;
    let capacity = this.#freeCapacity();
    for (const queue of this.#queues) {
      if (capacity.total === 0 || !this.#hasDescriptors()) break;
      const next = queue.at(-1);
      if (next === undefined) continue;
      if (capacity.ofAccount(next.accountId) === 0 || capacity.ofTransport(next.transport) === 0) continue;
      queue.pop();
      this.#open(next);
      opened = true;
      capacity = this.#freeCapacity();
    }
    this.#queues = this.#queues.filter((queue) => queue.length > 0);
    return opened;
  }

  #open(channel: Waiting): void {
    const { channelId, accountId, transport } = channel;
    const slot = { accountId, transport };
    this.#connecting.set(channelId, slot);
    this.#openedSinceCount++;
    const release = (): void => {
      clearTimeout(timer);
      if (this.#connecting.get(channelId) !== slot) return;
      this.#connecting.delete(channelId);
      this.openSome();
    };
    const timer = setTimeout(release, CONNECT_TIMEOUT_MS);
    void channel.open().then(release, release);
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
    if (free < DESCRIPTORS_OF_CHANNEL && this.#logThrottle.shouldLog("descriptors"))
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
