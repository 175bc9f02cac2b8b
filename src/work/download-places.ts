import { fullAccounts } from "./delivery/full-accounts.ts";

/** Concurrent downloads of a node. */
const MAX_DOWNLOADS = 64;
/** Of one account: one tenant may receive more and larger files than all others. */
const MAX_OF_ACCOUNT = 16;
/** Of all accounts of one partner together: a partner creates accounts at will. */
const MAX_OF_PARTNER = 32;
/** The last places are for accounts that have none, one each. */
const KEPT_FREE = 16;

/** What a download under way belongs to. */
export interface Downloading {
  readonly accountId: number;
  /** Null: the account belongs to no partner. */
  readonly partnerId: number | null;
}

export interface DownloadPlaces {
  /** How many more may be taken at once. */
  readonly free: number;
  /** Accounts and partners that have their whole share. */
  readonly fullAccounts: readonly number[];
  readonly fullPartners: readonly number[];
}

/** The places for further downloads beside those under way. */
export function downloadPlaces(running: readonly Downloading[]): DownloadPlaces {
  const left = MAX_DOWNLOADS - running.length;
  const isShared = left > KEPT_FREE;
  const ofPartners = running.flatMap(({ partnerId }) =>
    partnerId === null ? [] : [{ accountId: partnerId }],
  );
  return {
    free: isShared ? Math.min(MAX_OF_ACCOUNT, left - KEPT_FREE) : Math.min(1, left),
    fullAccounts: fullAccounts(running, isShared ? MAX_OF_ACCOUNT : 1),
    fullPartners: fullAccounts(ofPartners, MAX_OF_PARTNER),
  };
}
