/** How often all channels are read: a notification can be lost with the process that made the change. */
const READ_ALL_EVERY_MS = 5_000;

/**
 * Which of its channels a node has to read again: those of notifications; all of them at first, when notifications may
 * have been lost, and every five seconds. Reading ten thousand takes a tenth of a second of both processes.
 */
export class StaleChannels {
  readonly #ids = new Set<string>();
  #readAllAtMs = Number.NEGATIVE_INFINITY;

  /** `channelId` "": any channel may have changed. */
  add(channelId: string): void {
    if (channelId === "") this.#readAllAtMs = Number.NEGATIVE_INFINITY;
    else this.#ids.add(channelId);
  }

  /** Those to read now. */
  take(nowMs: number): readonly string[] | "all" {
    const ids = [...this.#ids];
    this.#ids.clear();
    if (nowMs < this.#readAllAtMs) return ids;
    this.#readAllAtMs = nowMs + READ_ALL_EVERY_MS;
    return "all";
  }
}
