/** Concurrent downloads of one account; a node works on up to 2,048 chats. */
const MAX_OF_ACCOUNT = 32;

/** Limits concurrent downloads per account, so that slow hosts of one account do not occupy the whole node. */
export class FetchLimiter {
  readonly #taken = new Map<number, number>();

  /** Returns the function that releases the slot (idempotent). Null: the account uses its whole share. */
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
