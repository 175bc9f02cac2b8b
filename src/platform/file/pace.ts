const WINDOW_MS = 60_000;
const LEAST_IN_WINDOW = 2_048 * (WINDOW_MS / 1_000);
/** After this time a download must have kept an average, so that it does not occupy its place for hours. */
const FREE_WINDOWS = 10;
const LEAST_AVERAGE_IN_WINDOW = 65_536 * (WINDOW_MS / 1_000);

/**
 * Watches the speed of one download. Once its first bytes have arrived, it must receive 2 KiB/s in every minute, and 64
 * KiB/s on average over the time that exceeds ten minutes; otherwise `onSlow` is called once.
 */
export class Pace {
  readonly #timer: NodeJS.Timeout;
  #windows = 0;
  #total = 0;
  #inWindow = 0;

  constructor(onSlow: (reason: string) => void) {
    this.#timer = setInterval(() => {
      if (this.#total === 0) return;
      this.#windows++;
      const required = (this.#windows - FREE_WINDOWS) * LEAST_AVERAGE_IN_WINDOW;
      const isSlow = this.#inWindow < LEAST_IN_WINDOW || this.#total < required;
      this.#inWindow = 0;
      if (!isSlow) return;
      this.stop();
      onSlow("The file arrives too slowly");
    }, WINDOW_MS);
    this.#timer.unref();
  }

  add(bytes: number): void {
    this.#total += bytes;
    this.#inWindow += bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
