/** After this time the poll is repeated: a file that was committed late, without a notification, was not seen. */
const REST_MS = 60_000;

interface Due {
  /** When the latest of all due work became due. */
  readonly latestDue: number;
  /** The channels whose work is looked for. */
  readonly channelIds: readonly string[];
}

/**
 * Remembers a poll that found no work for this node's channels, although some is due: that of channels without a session
 * stays due. The poll is in vain until other work becomes due, or another channel is open.
 */
export class FutilePoll {
  #latestDue = Number.NEGATIVE_INFINITY;
  #last: { readonly latestDue: number; readonly channels: ReadonlySet<string>; readonly at: number } | null =
    null;

  /** Whether a poll for this work would find nothing again. */
  covers({ latestDue, channelIds }: Due, nowMs: number): boolean {
    this.#latestDue = latestDue;
    const last = this.#last;
    return (
      last !== null &&
      latestDue <= last.latestDue &&
      nowMs - last.at < REST_MS &&
      channelIds.every((id) => last.channels.has(id))
    );
  }

  /** A poll for these channels begins. Call the result when it has ended, with how much it found. */
  begin(channelIds: readonly string[]): (found: number, nowMs: number) => void {
    const latestDue = this.#latestDue;
    return (found, nowMs) => {
      this.#last = found > 0 ? null : { latestDue, channels: new Set(channelIds), at: nowMs };
    };
  }
}
