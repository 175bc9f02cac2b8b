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
  const byAccount = new Map<number, number>();
  const byTransport = new Map<string, number>();
  let count = 0;
  for (const { accountId, transport, slots: own = 1 } of taken) {
    count += own;
    byAccount.set(accountId, (byAccount.get(accountId) ?? 0) + own);
    byTransport.set(transport, (byTransport.get(transport) ?? 0) + own);
  }
  const free = Math.max(0, slots - count);
  return {
    total: Math.ceil(free / 2),
    ofAccount: (accountId) => share(free, byAccount.get(accountId) ?? 0, SHARE_OF_ACCOUNT),
    ofTransport: (transport) => share(free, byTransport.get(transport) ?? 0, SHARE_OF_TRANSPORT),
  };
}

/**
 * The number of slots to grant so that the user holds `part` times the slots that remain free; at least one for a
 * user without any.
 */
function share(free: number, used: number, part: number): number {
  const room = Math.floor((part * free - used) / (1 + part));
  return Math.max(room, used === 0 && free > 0 ? 1 : 0);
}
