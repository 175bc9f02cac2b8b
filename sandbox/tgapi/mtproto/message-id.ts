import Long from "long";

/** Seconds by which a client's clock may be behind or ahead (core.telegram.org/mtproto/description). */
const oldestSeconds = 300;
const newestSeconds = 30;

/** Makes the ids of the server's messages: the time times 2^32, growing, 1 mod 4 for answers and 3 for the rest. */
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

/** The code of `bad_msg_notification` for the id of a client's message; undefined when it is good. */
export function faultOfMessageId(id: Long, nowMs: number): 16 | 17 | 18 | undefined {
  if ((id.low & 3) !== 0) return 18;
  const seconds = id.high;
  const now = nowMs / 1000;
  if (seconds < now - oldestSeconds) return 16;
  return seconds > now + newestSeconds ? 17 : undefined;
}
