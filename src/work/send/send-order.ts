import type { WaitingChat } from "../../core/message/send-jobs.ts";
import type { FreeCapacity, SlotUser } from "../session/capacity.ts";

/** A channel of this node, in one term of its ownership (one epoch). */
export interface OwnershipTerm extends SlotUser {
  readonly channelId: string;
  readonly epoch: number;
}

/** One run through the jobs of a chat. */
export interface Turn {
  readonly term: OwnershipTerm;
  readonly chat: string;
}

/**
 * How a chat continues after a turn: at once (`ms` 0), after a rest, or, if null, only if new jobs were added
 * meanwhile.
 */
export type Rest = { readonly ms: number } | null;

export interface Taking {
  readonly capacity: FreeCapacity;
  /** Limit of the turns to begin. */
  readonly max: number;
  /** How many more chats of the channel may be busy. */
  capacityOf(term: OwnershipTerm, busy: BusyChats): number;
}

/** The busy chats of a channel. */
export interface BusyChats {
  readonly count: number;
  /** Those whose turn has not read its jobs yet, so that the rate of the channel does not count its message yet. */
  readonly unread: number;
}

interface Queue {
  readonly term: OwnershipTerm;
  /** Chats to be read, the longest-waiting first. */
  readonly ready: Set<string>;
  readonly busy: Map<string, BusyChat>;
  /** Number of busy chats whose turn has not read its jobs. */
  unread: number;
  readonly resting: Map<string, NodeJS.Timeout>;
}

interface BusyChat {
  /** Ids of the jobs that its turn has read; null: it has not read them yet. */
  heads: ReadonlySet<number> | null;
  again: boolean;
}

interface Account {
  readonly id: number;
  readonly sources: readonly { readonly queue: Queue; room: number }[];
  /** Round-robin position among its channels. */
  at: number;
  taken: number;
}

/**
 * The order in which chats are sent to. A chat is ready, busy (during a turn), or resting. Kept in memory by the
 * channels' owner, who is notified of new jobs and scans its waiting chats every five seconds to find those
 * without a notification. Holds no jobs: a turn reads its chat from the first job on.
 */
export class SendOrder {
  readonly #queues = new Map<string, Queue>();
  readonly #onReady: () => void;
  /** Round-robin position among the accounts. */
  #first = 0;

  /** `onReady` is called when a chat has finished its rest. */
  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  /**
   * Jobs were stored for these chats. A resting chat keeps resting: new jobs are behind the one that it waits for.
   */
  add(term: OwnershipTerm, chats: Iterable<string>): void {
    const queue = this.#queueOf(term);
    for (const chat of chats) {
      const busy = queue.busy.get(chat);
      if (busy !== undefined) busy.again = true;
      else if (!queue.resting.has(chat)) queue.ready.add(chat);
    }
  }

  /**
   * Begins a turn at a chat that is neither ready, busy nor resting; otherwise null. `room`: how many more chats of the
   * channel may be busy; the ready ones come first.
   */
  begin(term: OwnershipTerm, chat: string, room: number): Turn | null {
    const queue = this.#queueOf(term);
    const { ready, busy, resting } = queue;
    if (room <= ready.size || ready.has(chat) || busy.has(chat) || resting.has(chat)) return null;
    return this.#begin(queue, chat);
  }

  busy({ channelId }: OwnershipTerm): BusyChats {
    const queue = this.#queues.get(channelId);
    return queue === undefined ? NONE_BUSY : busyChats(queue);
  }

  /**
   * The scan found this chat. A busy chat is read again unless its first job is among those that its turn has read.
   */
  found(term: OwnershipTerm, { chat, head }: Pick<WaitingChat, "chat" | "head">): void {
    if (this.#known(term)?.busy.get(chat)?.heads?.has(head) !== true) this.add(term, [chat]);
  }

  /** Records which jobs the turn has read. */
  hasRead({ term, chat }: Turn, ids: Iterable<number>): void {
    const queue = this.#known(term);
    const busy = queue?.busy.get(chat);
    if (queue === undefined || busy === undefined) return;
    if (busy.heads === null) queue.unread--;
    busy.heads = new Set(ids);
  }

  /** Ends the turn; its outcomes are stored. */
  end({ term, chat }: Turn, rest: Rest): void {
    const queue = this.#known(term);
    if (queue === undefined) return;
    const busy = queue.busy.get(chat);
    if (busy?.heads === null) queue.unread--;
    queue.busy.delete(chat);
    if (rest !== null && rest.ms > 0) this.#rest(queue, chat, rest.ms);
    else if (rest !== null || busy?.again === true) queue.ready.add(chat);
    if (queue.ready.size + queue.busy.size + queue.resting.size === 0) this.#queues.delete(term.channelId);
  }

  #rest({ ready, resting }: Queue, chat: string, ms: number): void {
    const timer = setTimeout(() => {
      resting.delete(chat);
      ready.add(chat);
      this.#onReady();
    }, ms);
    resting.set(chat, timer.unref());
  }

  /** The channel as owned by this node, if any of its chats rests. */
  restingOf(channelId: string): OwnershipTerm | undefined {
    const queue = this.#queues.get(channelId);
    return queue === undefined || queue.resting.size === 0 ? undefined : queue.term;
  }

  /** Channels with resting chats. */
  resting(): OwnershipTerm[] {
    const queues = [...this.#queues.values()].filter(({ resting }) => resting.size > 0);
    return queues.map(({ term }) => term);
  }

  /** Ends all rests of the channel, because what its chats wait for has changed. */
  endRests(channelId: string): void {
    for (const chat of this.#queues.get(channelId)?.resting.keys() ?? []) this.endRest(channelId, chat);
  }

  /** Ends the rest of one chat; false: it does not rest. */
  endRest(channelId: string, chat: string): boolean {
    const queue = this.#queues.get(channelId);
    const timer = queue?.resting.get(chat);
    if (queue === undefined || timer === undefined) return false;
    clearTimeout(timer);
    queue.resting.delete(chat);
    queue.ready.add(chat);
    return true;
  }

  /** Drops channels that this node no longer owns. */
  keep(isOwn: (term: OwnershipTerm) => boolean): void {
    for (const [channelId, { term }] of this.#queues) if (!isOwn(term)) this.#drop(channelId);
  }

  #drop(channelId: string): void {
    for (const timer of this.#queues.get(channelId)?.resting.values() ?? []) clearTimeout(timer);
    this.#queues.delete(channelId);
  }

  /**
   * Chats to send to now: round-robin over accounts and their channels, in each channel the longest-ready chat. They
   * are busy until `end`.
   */
  take({ capacity, max, capacityOf }: Taking): Turn[] {
    const accounts = this.#accounts(capacityOf);
    const transports = new Map<string, number>();
    const turns: Turn[] = [];
    for (let before = -1; before !== turns.length; ) {
      before = turns.length;
      for (const account of accounts) {
        if (turns.length >= Math.min(max, capacity.total)) return turns;
        const queue =
          account.taken < capacity.ofAccount(account.id) ? this.#next(account, capacity, transports) : null;
        if (queue !== null) turns.push(this.#beginFirst(queue));
      }
    }
    return turns;
  }

  #accounts(roomOf: Taking["capacityOf"]): Account[] {
    const open = [...this.#queues.values()].filter(({ ready }) => ready.size > 0);
    const sources = open.map((queue) => ({ queue, room: roomOf(queue.term, busyChats(queue)) }));
    const byAccount = Map.groupBy(
      sources.filter((source) => source.room > 0),
      ({ queue }) => queue.term.accountId,
    );
    const accounts = [...byAccount].map(([id, own]) => ({ id, sources: own, at: 0, taken: 0 }));
    const first = this.#first++ % Math.max(1, accounts.length);
    return [...accounts.slice(first), ...accounts.slice(0, first)];
  }

  /** The account's next channel with a chat that may be taken, round-robin. */
  #next(account: Account, room: FreeCapacity, transports: Map<string, number>): Queue | null {
    for (let tried = 0; tried < account.sources.length; tried++) {
      const source = account.sources[account.at++ % account.sources.length];
      if (source === undefined || source.room === 0 || source.queue.ready.size === 0) continue;
      const { transport } = source.queue.term;
      const taken = transports.get(transport) ?? 0;
      if (taken >= room.ofTransport(transport)) continue;
      transports.set(transport, taken + 1);
      source.room--;
      account.taken++;
      return source.queue;
    }
    return null;
  }

  #beginFirst(queue: Queue): Turn {
    const [chat = ""] = queue.ready;
    queue.ready.delete(chat);
    return this.#begin(queue, chat);
  }

  #begin(queue: Queue, chat: string): Turn {
    queue.busy.set(chat, { heads: null, again: false });
    queue.unread++;
    return { term: queue.term, chat };
  }

  #known({ channelId, epoch }: OwnershipTerm): Queue | undefined {
    const queue = this.#queues.get(channelId);
    return queue?.term.epoch === epoch ? queue : undefined;
  }

  /** A new term of ownership replaces the queue of an earlier one. */
  #queueOf(term: OwnershipTerm): Queue {
    const known = this.#known(term);
    if (known !== undefined) return known;
    this.#drop(term.channelId);
    const queue: Queue = { term, ready: new Set(), busy: new Map(), unread: 0, resting: new Map() };
    this.#queues.set(term.channelId, queue);
    return queue;
  }
}

const NONE_BUSY: BusyChats = { count: 0, unread: 0 };

function busyChats({ busy, unread }: Queue): BusyChats {
  return { count: busy.size, unread };
}
