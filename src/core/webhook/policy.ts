/**
 * What came of one request to a receiver. `status` null: no answer; then `failure` says why. With a status it says
 * what is wrong with an answer that reads as a success.
 */
export interface Answer {
  readonly status: number | null;
  readonly failure: string | null;
  /** What the receiver asked for, in milliseconds. */
  readonly retryAfterMs: number | null;
}

export interface Situation {
  readonly batchSize: number;
  /** Failures of this lane in a row before this one. */
  readonly attempts: number;
  /** Time since the first of them; 0 for the first. */
  readonly failingMs: number;
  /** The lane is one chat split off around a refused item. */
  readonly isolated: boolean;
  /** The receiver takes nothing at all at present, as far as its main queue knows. */
  readonly receiverFailing: boolean;
}

/**
 * What to do after a failed request.
 * - `halve`: send the first half at once, to find the item that is refused;
 * - `probe`: one item is left: see whether the receiver takes an item of another chat;
 * - `wait`: the lane rests; `keepBatch` repeats exactly the same request;
 * - `park`: the schedule is over for this item.
 */
export type Verdict =
  | { readonly kind: "halve"; readonly batchLimit: number }
  | { readonly kind: "probe" }
  | { readonly kind: "wait"; readonly ms: number; readonly batchLimit: number; readonly keepBatch: boolean }
  | { readonly kind: "park" };

export interface Schedule {
  readonly delaysMs: readonly number[];
  /** How long an item is tried before it is parked. */
  readonly lifetimeMs: number;
}

/**
 * So often a receiver that says success is asked for what it has to answer. It may well have done its part, so that
 * each repetition could do it once more.
 */
const UNUSABLE_ANSWERS = 3;
const DAY_MS = 24 * 3600_000;
/** Answers that speak of the receiver, not of what was sent. */
const OVERLOADED = new Set([408, 425, 429, 502, 503, 504]);

export function isSuccess(answer: Answer): boolean {
  return saysSuccess(answer) && answer.failure === null;
}

function saysSuccess({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Pure but for `random`, which spreads repetitions (0 to 1). */
export function afterRefusal(
  answer: Answer,
  situation: Situation,
  schedule: Schedule,
  random: number,
): Verdict {
  if (saysSuccess(answer) && situation.attempts >= UNUSABLE_ANSWERS - 1) return { kind: "park" };
  const refused = answer.status !== null && !OVERLOADED.has(answer.status);
  if (situation.isolated && !situation.receiverFailing && situation.failingMs >= schedule.lifetimeMs)
    return { kind: "park" };
  if (!situation.isolated && situation.batchSize > 1 && refused) {
    return { kind: "halve", batchLimit: Math.ceil(situation.batchSize / 2) };
  }
  // A receiver that hangs on one item gives no answer: after some failures that is looked into as well.
  if (!situation.isolated && situation.batchSize === 1 && (refused || situation.attempts >= 2))
    return { kind: "probe" };
  return pause(answer, situation, schedule, random);
}

/** How long the lane rests before the next request. */
export function pause(
  answer: Answer,
  situation: Situation,
  schedule: Schedule,
  random: number,
): Extract<Verdict, { kind: "wait" }> {
  const delay = schedule.delaysMs[Math.min(situation.attempts, schedule.delaysMs.length - 1)] ?? 0;
  const jittered = delay * (0.8 + 0.4 * random);
  const ms = Math.max(jittered, Math.min(answer.retryAfterMs ?? 0, DAY_MS));
  const keepBatch = situation.attempts < 2;
  return {
    kind: "wait",
    ms,
    keepBatch,
    batchLimit: keepBatch ? situation.batchSize : Math.ceil(situation.batchSize / 2),
  };
}

/** `Retry-After` in seconds or as a date, as milliseconds from now. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
