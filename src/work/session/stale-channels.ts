/** How often all channels are read: a notification can be lost with the process that made the change. */
const READ_ALL_EVERY_MS = 5_000;
/** With many channels less often: reading a thousand takes about ten milliseconds of this process and of PostgreSQL. */
const REST_MS_PER_CHANNEL = 3;

/**
 * Which of its channels a node has to read again: those of notifications; all of them at first, when notifications may
 * have been lost, and every five seconds, or every thirty with ten thousand channels.
 */
export class StaleChannels {
  readonly #ids = new Set<string>();
  #readAllAtMs = Number.NEGATIVE_INFINITY;

  /** `channelId` "": any channel may have changed. */
  add(channelId: string): void {
    if (channelId === "") this.#readAllAtMs = Number.NEGATIVE_INFINITY;
    else this.#ids.add(channelId);
  }

  /** Those to read now. `channels`: how many the node has. */
  take(nowMs: number, channels: number): readonly string[] | "all" {
    const ids = [...this.#ids];
    this.#ids.clear();
    if (nowMs < this.#readAllAtMs) return ids;
    this.#readAllAtMs = nowMs + Math.max(READ_ALL_EVERY_MS, channels * REST_MS_PER_CHANNEL);
    return "all";
  }
}
