/** Files of one account that are fetched at a time; the whole node works on 256 chats. */
const MAX_OF_ACCOUNT = 32;

/** Lets each account fetch so many files at a time: hosts that hardly send must not take all of a node's hands. */
export class FetchLimiter {
  readonly #taken = new Map<number, number>();

  /** What gives the place back, as often as it is called; null: the account has its share. */
  take(accountId: number): (() => void) | null {
    const taken = this.#taken.get(accountId) ?? 0;
    if (taken >= MAX_OF_ACCOUNT) return null;
    this.#taken.set(accountId, taken + 1);
    let isGiven = false;
    return () => {
      if (!isGiven) this.#giveBack(accountId);
      isGiven = true;
    };
  }

  #giveBack(accountId: number): void {
    const left = (this.#taken.get(accountId) ?? 1) - 1;
    if (left === 0) this.#taken.delete(accountId);
    else this.#taken.set(accountId, left);
  }
}
