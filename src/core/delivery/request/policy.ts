import { STATUS_CODES } from "node:http";

/**
 * The outcome of one request to a receiver. `status` null: no response, and `failure` says why. With a 2xx status
 * `failure` says why the response is unusable.
 */
export interface Answer {
  readonly status: number | null;
  readonly failure: string | null;
  /** The delay that the receiver asked for, in milliseconds. */
  readonly retryAfterMs: number | null;
}

export interface Situation {
  readonly batchSize: number;
  /** Consecutive failures before this one, of the cursor or of the diverted item. */
  readonly attempts: number;
  /** Time since the first of them; 0 for the first. */
  readonly failingMs: number;
  /** The item is the first one of a diverted chat. */
  readonly isolated: boolean;
  /** The receiver currently accepts nothing, as far as its main cursor knows. */
  readonly receiverFailing: boolean;
}

/**
 * What to do after a failed request.
 * - `singly`: send the first item alone at once, and larger batches while they are accepted, to find the refused item;
 * - `probe`: a single item is refused: test whether the receiver accepts an item of another chat;
 * - `wait`: the cursor rests; `keepBatch` repeats exactly the same request;
 * - `park`: the schedule of this item has ended.
 */
export type Verdict =
  | { readonly kind: "singly" }
  | { readonly kind: "probe" }
  | { readonly kind: "wait"; readonly ms: number; readonly batchLimit: number; readonly keepBatch: boolean }
  | { readonly kind: "park" };

export interface Schedule {
  readonly delaysMs: readonly number[];
  /** How long an item is retried before it is parked. */
  readonly lifetimeMs: number;
}

/**
 * How often a receiver that returns success with an unusable response is asked again. It may have acted on the
 * request, so each repetition might do it once more.
 */
const UNUSABLE_ANSWERS = 3;
const DAY_MS = 24 * 3600_000;
/** Statuses that concern the receiver, not the item. */
const OVERLOADED = new Set([408, 425, 429, 502, 503, 504]);

export function isSuccess(answer: Answer): boolean {
  return saysSuccess(answer) && answer.failure === null;
}

/** Why it was not accepted, for notices and the log. */
export function reasonOf({ status, failure }: Answer): string {
  return failure ?? `HTTP ${status}`;
}

/** The same for statistics: receivers cannot make up any number of them. */
export function labelOf({ status, failure }: Answer): string {
  if (status === null) return failure ?? "";
  if (failure !== null && status < 300) return "unusable answer";
  return `HTTP ${STATUS_CODES[status] === undefined ? `${Math.floor(status / 100)}xx` : status}`;
}

function saysSuccess({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Pure except for `random` (0 to 1), which spreads repetitions. */
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
  if (!situation.isolated && situation.batchSize > 1 && refused) return { kind: "singly" };
  // A receiver that hangs on one item gives no response, so after some failures without one it is probed as well.
  if (!situation.isolated && situation.batchSize === 1 && (refused || situation.attempts >= 2))
    return { kind: "probe" };
  return pause(answer, situation, schedule, random);
}

/** How long the cursor rests before the next request. */
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
