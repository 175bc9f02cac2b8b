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
  readonly #belongingOf: (item: Item) => QueueKey;
  /** In the order of their next turn. */
  readonly #owners = new Map<QueueKey["owner"], Owner<Item>>();
  /** Have no turn at present. */
  readonly #held = new Map<QueueKey["owner"], Owner<Item>>();
  #size = 0;

  constructor(queueKeyOf: (item: Item) => QueueKey) {
    this.#belongingOf = queueKeyOf;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of waiting items: of an owner, and of one of its lanes. */
  waitingOf({ owner, lane }: QueueKey): { readonly owner: number; readonly lane: number } {
    const own = this.#owners.get(owner) ?? this.#held.get(owner);
    return { owner: own?.size ?? 0, lane: own?.lanes.get(lane)?.size ?? 0 };
  }

  push(item: Item): void {
    const { owner, lane } = this.#belongingOf(item);
    const own = this.#held.get(owner) ?? this.#owners.get(owner) ?? newOwner<Item>();
    if (!this.#held.has(owner)) this.#owners.set(owner, own);
    const items = own.lanes.get(lane) ?? new Fifo<Item>();
    own.lanes.set(lane, items);
    items.push(item);
    own.size++;
    this.#size++;
  }

  /** Takes one item of the owner whose turn it is; undefined if the queue is empty. */
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

  /** The owners with a turn and how many items of each wait, in the order of their turns. */
  *turns(): Generator<readonly [owner: QueueKey["owner"], waiting: number]> {
    for (const [owner, { size }] of this.#owners) yield [owner, size];
  }

  /** Takes one item of this owner, which keeps its turn; undefined if none waits. */
  shiftOf(owner: QueueKey["owner"]): Item | undefined {
    const own = this.#held.get(owner) ?? this.#owners.get(owner);
    if (own === undefined || own.size === 0) return undefined;
    const item = takeNext(own);
    if (own.size === 0) this.#owners.delete(owner);
    this.#size--;
    return item;
  }

  /** The owner has no turn until `release`; its items wait. */
  hold(owner: QueueKey["owner"]): void {
    this.#held.set(owner, this.#owners.get(owner) ?? newOwner<Item>());
    this.#owners.delete(owner);
  }

  /** The owner has turns again, after all others. */
  release(owner: QueueKey["owner"]): void {
    const own = this.#held.get(owner);
    this.#held.delete(owner);
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
