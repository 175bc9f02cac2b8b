import Long from "long";

/** The allowed deviation of a client's clock in seconds (core.telegram.org/mtproto/description). */
const oldestSeconds = 300;
const newestSeconds = 30;

/**
 * Creates the ids of the server's messages: the time times 2^32, increasing, 1 mod 4 for responses and 3 for others.
 */
export class MessageIds {
  #last = Long.ZERO;

  next(nowMs: number, isAnswer: boolean): Long {
    const seconds = Math.floor(nowMs / 1000);
    const fraction = Math.floor(((nowMs % 1000) / 1000) * 2 ** 32);
    const wanted = new Long(fraction, seconds).and(Long.fromNumber(-4));
    const base = wanted.greaterThan(this.#last) ? wanted : this.#last.and(Long.fromNumber(-4)).add(4);
    this.#last = base.add(isAnswer ? 1 : 3);
    return this.#last;
  }
}

/** The code of `bad_msg_notification` for the id of a client's message; undefined if it is valid. */
export function faultOfMessageId(id: Long, nowMs: number): 16 | 17 | 18 | undefined {
  if ((id.low & 3) !== 0) return 18;
  const seconds = id.high;
  const now = nowMs / 1000;
  if (seconds < now - oldestSeconds) return 16;
  return seconds > now + newestSeconds ? 17 : undefined;
}
