/**
 * An account may hold a quarter as many slots as are free, a transport as many as are free: however many tasks hang,
 * the next account or transport still finds free slots.
 */
const SHARE_OF_ACCOUNT = 0.25;
const SHARE_OF_TRANSPORT = 1;

export interface SlotUser {
  readonly accountId: number;
  /** Id of the transport. */
  readonly transport: string;
}

/** One slot in use, or several: a task that holds much memory counts more. */
export interface UsedSlots extends SlotUser {
  /** Default 1. */
  readonly slots?: number;
}

/** How many more slots may be taken now. */
export interface FreeCapacity {
  /** By all together: half of the free slots, so that one poll never takes all. */
  readonly total: number;
  ofAccount(accountId: number): number;
  ofTransport(transport: string): number;
}

/** The free capacity besides the slots in use. Pure. */
export function freeCapacity(taken: Iterable<UsedSlots>, slots: number): FreeCapacity {
  const used = new SlotCounts();
  for (const user of taken) used.add(user);
  return used.free(slots);
}

/** Counts the slots in use, so that what is free is known without looking at all of them. */
export class SlotCounts {
  readonly #byAccount = new Map<number, number>();
  readonly #byTransport = new Map<string, number>();
  #count = 0;

  add({ accountId, transport, slots = 1 }: UsedSlots): void {
    this.#count += slots;
    change(this.#byAccount, accountId, slots);
    change(this.#byTransport, transport, slots);
  }

  remove({ accountId, transport, slots = 1 }: UsedSlots): void {
    this.#count -= slots;
    change(this.#byAccount, accountId, -slots);
    change(this.#byTransport, transport, -slots);
  }

  /** What is free of `slots` at this moment: use the result before anything is added or removed. */
  free(slots: number): FreeCapacity {
    const free = Math.max(0, slots - this.#count);
    return {
      total: Math.ceil(free / 2),
      ofAccount: (accountId) => share(free, this.#byAccount.get(accountId) ?? 0, SHARE_OF_ACCOUNT),
      ofTransport: (transport) => share(free, this.#byTransport.get(transport) ?? 0, SHARE_OF_TRANSPORT),
    };
  }
}

function change<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/**
 * The number of slots to grant so that the user holds `part` times the slots that remain free; at least one for a
 * user without any.
 */
function share(free: number, used: number, part: number): number {
  const room = Math.floor((part * free - used) / (1 + part));
  return Math.max(room, used === 0 && free > 0 ? 1 : 0);
}
