import type { DueLane } from "../core/message/send-lanes.ts";

/** A message's lane is due since its transaction began, and seen when that has ended. */
const LONGEST_TRANSACTION_MS = 5_000;
/** What took longer, or was due before by a clock that was set back, is found after so long. */
const FORGET_EVERY_MS = 10_000;

/**
 * From where on to look for a channel's due lanes: each look takes them in the order in which they became due, so that
 * nothing is left before the last one that was taken.
 */
export class SeenLanes {
  readonly #last = new Map<string, { readonly epoch: number; readonly dueSince: number }>();
  #forgotAtMs = Number.NEGATIVE_INFINITY;

  /** Call it for each lane that was taken. */
  add({ channelId, epoch, dueSince }: Pick<DueLane, "channelId" | "epoch" | "dueSince">): void {
    const last = this.#last.get(channelId);
    if (last?.epoch === epoch && last.dueSince >= dueSince) return;
    this.#last.set(channelId, { epoch, dueSince });
  }

  /** The channel's lanes due at that time or earlier were all taken; undefined: nothing is known. */
  before({ channelId, epoch }: Pick<DueLane, "channelId" | "epoch">): number | undefined {
    const last = this.#last.get(channelId);
    return last?.epoch === epoch ? last.dueSince - LONGEST_TRANSACTION_MS : undefined;
  }

  forgetNowAndThen(nowMs: number): void {
    if (nowMs - this.#forgotAtMs < FORGET_EVERY_MS) return;
    this.#last.clear();
    this.#forgotAtMs = nowMs;
  }
}
