/**
 * The owner and lane of an item. Items of one lane keep their order; the lanes of an owner alternate, and so do
 * owners.
 */
export interface QueueKey {
  readonly owner: string | number;
  readonly lane: string;
}

/** A queue in which one owner's backlog does not delay other owners. */
export class FairQueue<Item> {
  readonly #queueKeyOf: (item: Item) => QueueKey;
  /** In round-robin order. */
  readonly #owners = new Map<QueueKey["owner"], Owner<Item>>();
  /** Excluded from the round robin at present. */
  readonly #suspended = new Map<QueueKey["owner"], Owner<Item>>();
  #size = 0;

  constructor(queueKeyOf: (item: Item) => QueueKey) {
    this.#queueKeyOf = queueKeyOf;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of waiting items: of an owner, and of one of its lanes. */
  waitingOf({ owner, lane }: QueueKey): { readonly owner: number; readonly lane: number } {
    const own = this.#owners.get(owner) ?? this.#suspended.get(owner);
    return { owner: own?.size ?? 0, lane: own?.lanes.get(lane)?.size ?? 0 };
  }

  push(item: Item): void {
    const { owner, lane } = this.#queueKeyOf(item);
    const own = this.#suspended.get(owner) ?? this.#owners.get(owner) ?? newOwner<Item>();
    if (!this.#suspended.has(owner)) this.#owners.set(owner, own);
    const items = own.lanes.get(lane) ?? new Fifo<Item>();
    own.lanes.set(lane, items);
    items.push(item);
    own.size++;
    this.#size++;
  }

  /** Takes an item of the next owner in the round robin; undefined if the queue is empty. */
  shift(): Item | undefined {
    const [next] = this.#owners;
    if (next === undefined) return undefined;
    const [owner, own] = next;
    const item = takeNext(own);
    this.#owners.delete(owner);
    if (own.size > 0) this.#owners.set(owner, own);
    this.#size--;
    return item;
  }

  /** The owners in round-robin order, with the number of waiting items of each. */
  *owners(): Generator<readonly [owner: QueueKey["owner"], waiting: number]> {
    for (const [owner, { size }] of this.#owners) yield [owner, size];
  }

  /** Takes one item of this owner without advancing the round robin; undefined if none waits. */
  shiftOf(owner: QueueKey["owner"]): Item | undefined {
    const own = this.#suspended.get(owner) ?? this.#owners.get(owner);
    if (own === undefined || own.size === 0) return undefined;
    const item = takeNext(own);
    if (own.size === 0) this.#owners.delete(owner);
    this.#size--;
    return item;
  }

  /** Excludes the owner from the round robin until `release`; its items wait. */
  suspend(owner: QueueKey["owner"]): void {
    this.#suspended.set(owner, this.#owners.get(owner) ?? newOwner<Item>());
    this.#owners.delete(owner);
  }

  /** Adds the owner to the end of the round robin again. */
  resume(owner: QueueKey["owner"]): void {
    const own = this.#suspended.get(owner);
    this.#suspended.delete(owner);
    if (own !== undefined && own.size > 0) this.#owners.set(owner, own);
  }
}

interface Owner<Item> {
  readonly lanes: Map<string, Fifo<Item>>;
  size: number;
}

function newOwner<Item>(): Owner<Item> {
  return { lanes: new Map<string, Fifo<Item>>(), size: 0 };
}

function takeNext<Item>(own: Owner<Item>): Item | undefined {
  const [next] = own.lanes;
  if (next === undefined) return undefined;
  const [lane, items] = next;
  const item = items.shift();
  own.lanes.delete(lane);
  if (items.size > 0) own.lanes.set(lane, items);
  own.size--;
  return item;
}

/** A FIFO queue with constant-time operations; an array offers them only while it is short. */
class Fifo<Item> {
  #items: Item[] = [];
  #taken = 0;

  get size(): number {
    return this.#items.length - this.#taken;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#taken++];
    if (this.#taken > 1_000 && this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}
