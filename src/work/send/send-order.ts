import type { WaitingChat } from "../../core/message/send-jobs.ts";
import type { FreeCapacity, Place } from "../session/capacity.ts";

/** A channel of this node, in one term of its ownership. */
export interface OwnershipTerm extends Place {
  readonly channelId: string;
  readonly epoch: number;
}

/** A chat that is worked on. */
export interface Turn {
  readonly term: OwnershipTerm;
  readonly chat: string;
}

/** What the end of a turn leaves: something to send at once, after a rest in ms, or nothing that was read. */
export type Rest = { readonly ms: number } | null;

export interface Taking {
  readonly room: FreeCapacity;
  /** At most so many. */
  readonly most: number;
  /** How many more chats of the channel may be busy, beside those that are. */
  roomOf(term: OwnershipTerm, busy: number): number;
}

interface Queue {
  readonly term: OwnershipTerm;
  /** Chats to be looked at, the one that waits for longest first. */
  readonly ready: Set<string>;
  readonly busy: Map<string, { heads: ReadonlySet<number>; again: boolean }>;
  readonly resting: Map<string, NodeJS.Timeout>;
}

interface Account {
  readonly id: number;
  readonly sources: readonly { readonly queue: Queue; room: number }[];
  /** Its channels take turns from here. */
  at: number;
  taken: number;
}

const NONE: ReadonlySet<number> = new Set();

/**
 * In which order chats are sent to: a chat is ready, or busy while a turn at it lasts, or rests. In the memory of the
 * channels' owner, who is told of each new job, and looks through all that waits once a second: whatever it was not told
 * becomes ready then. Nothing is read from here; a turn reads its chat from the first job on.
 */
export class SendOrder {
  readonly #queues = new Map<string, Queue>();
  readonly #onReady: () => void;
  /** Accounts take turns at being the first. */
  #first = 0;

  /** `onReady` is called when a chat has rested. */
  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  /** Something was stored for these chats. One that rests goes on resting: what is new is behind what it waits for. */
  add(term: OwnershipTerm, chats: Iterable<string>): void {
    const queue = this.#queueOf(term);
    for (const chat of chats) {
      const busy = queue.busy.get(chat);
      if (busy !== undefined) busy.again = true;
      else if (!queue.resting.has(chat)) queue.ready.add(chat);
    }
  }

  /** Begins a turn at a chat in whose channel nothing else waits its turn; null: something does, or the chat itself is known. */
  begin(term: OwnershipTerm, chat: string): Turn | null {
    const { ready, busy, resting } = this.#queueOf(term);
    if (ready.size > 0 || busy.has(chat) || resting.has(chat)) return null;
    busy.set(chat, { heads: NONE, again: false });
    return { term, chat };
  }

  /** How many chats of the channel are busy. */
  busy({ channelId }: OwnershipTerm): number {
    return this.#queues.get(channelId)?.busy.size ?? 0;
  }

  /** A look through all that waits found this. A busy chat is looked at again if its first job is none of those it read. */
  found(term: OwnershipTerm, { chat, head }: Pick<WaitingChat, "chat" | "head">): void {
    if (this.#known(term)?.busy.get(chat)?.heads.has(head) !== true) this.add(term, [chat]);
  }

  /** The turn has read these jobs. */
  hasRead({ term, chat }: Turn, ids: Iterable<number>): void {
    const busy = this.#known(term)?.busy.get(chat);
    if (busy !== undefined) busy.heads = new Set(ids);
  }

  /** The turn is over and what it did is stored. */
  end({ term, chat }: Turn, rest: Rest): void {
    const queue = this.#known(term);
    if (queue === undefined) return;
    const again = queue.busy.get(chat)?.again === true;
    queue.busy.delete(chat);
    if (rest !== null && rest.ms > 0) this.#rest(queue, chat, rest.ms);
    else if (rest !== null || again) queue.ready.add(chat);
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

  /** Channels of which a chat rests. */
  resting(): OwnershipTerm[] {
    const queues = [...this.#queues.values()].filter(({ resting }) => resting.size > 0);
    return queues.map(({ term }) => term);
  }

  /** Nothing of the channel rests any more: what it waited for has changed. */
  endRests(channelId: string): void {
    const queue = this.#queues.get(channelId);
    for (const [chat, timer] of queue?.resting ?? []) {
      clearTimeout(timer);
      queue?.resting.delete(chat);
      queue?.ready.add(chat);
    }
  }

  /** Forgets channels that are not this node's any more. */
  keep(isOwn: (term: OwnershipTerm) => boolean): void {
    for (const [channelId, queue] of this.#queues) {
      if (isOwn(queue.term)) continue;
      for (const timer of queue.resting.values()) clearTimeout(timer);
      this.#queues.delete(channelId);
    }
  }

  /**
   * Chats whose turn it is now: of each account one after the other, of each channel the one that is ready for longest.
   * They are busy until `end`.
   */
  take({ room, most, roomOf }: Taking): Turn[] {
    const accounts = this.#accounts(roomOf);
    const transports = new Map<string, number>();
    const turns: Turn[] = [];
    for (let before = -1; before !== turns.length; ) {
      before = turns.length;
      for (const account of accounts) {
        if (turns.length >= Math.min(most, room.total)) return turns;
        const queue =
          account.taken < room.ofAccount(account.id) ? this.#next(account, room, transports) : null;
        if (queue !== null) turns.push(this.#begin(queue));
      }
    }
    return turns;
  }

  #accounts(roomOf: Taking["roomOf"]): Account[] {
    const open = [...this.#queues.values()].filter(({ ready }) => ready.size > 0);
    const sources = open.map((queue) => ({ queue, room: roomOf(queue.term, queue.busy.size) }));
    const byAccount = Map.groupBy(
      sources.filter((source) => source.room > 0),
      ({ queue }) => queue.term.accountId,
    );
    const accounts = [...byAccount].map(([id, own]) => ({ id, sources: own, at: 0, taken: 0 }));
    const first = this.#first++ % Math.max(1, accounts.length);
    return [...accounts.slice(first), ...accounts.slice(0, first)];
  }

  /** The account's next channel with a chat that may be taken. */
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

  #begin({ term, ready, busy }: Queue): Turn {
    const [chat = ""] = ready;
    ready.delete(chat);
    busy.set(chat, { heads: NONE, again: false });
    return { term, chat };
  }

  #known({ channelId, epoch }: OwnershipTerm): Queue | undefined {
    const queue = this.#queues.get(channelId);
    return queue?.term.epoch === epoch ? queue : undefined;
  }

  /** What is known of another term of the channel is past. */
  #queueOf(term: OwnershipTerm): Queue {
    const known = this.#known(term);
    if (known !== undefined) return known;
    this.keep(({ channelId }) => channelId !== term.channelId);
    const queue: Queue = { term, ready: new Set(), busy: new Map(), resting: new Map() };
    this.#queues.set(term.channelId, queue);
    return queue;
  }
}
