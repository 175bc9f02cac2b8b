/**
 * An account may hold a quarter of as many places as are free, a transport as many as are free: whoever hangs first
 * leaves enough for the next, however many hang before.
 */
const SHARE_OF_ACCOUNT = 0.25;
const SHARE_OF_TRANSPORT = 1;

export interface Place {
  readonly accountId: number;
  /** Id of the transport. */
  readonly transport: string;
}

/** A place that is taken, or several: what is kept in memory for long counts more. */
export interface TakenPlace extends Place {
  /** Default 1. */
  readonly places?: number;
}

/** How many more places may be taken now. */
export interface FreeCapacity {
  /** By all together: half of those that are free, so that none is without a place by one look. */
  readonly total: number;
  ofAccount(accountId: number): number;
  ofTransport(transport: string): number;
}

/** What is left beside the places that are taken. Pure. */
export function freeCapacity(taken: Iterable<TakenPlace>, places: number): FreeCapacity {
  const byAccount = new Map<number, number>();
  const byTransport = new Map<string, number>();
  let count = 0;
  for (const { accountId, transport, places: own = 1 } of taken) {
    count += own;
    byAccount.set(accountId, (byAccount.get(accountId) ?? 0) + own);
    byTransport.set(transport, (byTransport.get(transport) ?? 0) + own);
  }
  const free = Math.max(0, places - count);
  return {
    total: Math.ceil(free / 2),
    ofAccount: (accountId) => share(free, byAccount.get(accountId) ?? 0, SHARE_OF_ACCOUNT),
    ofTransport: (transport) => share(free, byTransport.get(transport) ?? 0, SHARE_OF_TRANSPORT),
  };
}

/** So many that the holder then has that share of those left free; one in any case for who has none. */
function share(free: number, held: number, part: number): number {
  const room = Math.floor((part * free - held) / (1 + part));
  return Math.max(room, held === 0 && free > 0 ? 1 : 0);
}
