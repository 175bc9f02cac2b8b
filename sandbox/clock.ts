/** An emulator's time, which a test can move forward. */
export class Clock {
  #aheadMs = 0;

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Unix seconds, the unit of most messengers. */
  now(): number {
    return Math.floor(this.nowMs() / 1000);
  }

  advance(seconds: number): void {
    this.#aheadMs += seconds * 1000;
  }
}
