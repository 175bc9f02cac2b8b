import type { Bot } from "../bot.ts";
import { conflict } from "../call/api-error.ts";
import type { UpdateBody } from "../shape.ts";
import type { World } from "../world.ts";

/** An update as the bot receives it. */
export type NumberedUpdate = UpdateBody & { readonly update_id: number };

/** The parameters of getUpdates. */
export interface PollRequest {
  readonly offset: number;
  readonly limit: number;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

interface WaitingPoll {
  readonly request: PollRequest;
  readonly timer: NodeJS.Timeout;
  readonly answer: (updates: NumberedUpdate[]) => void;
  readonly refuse: (error: Error) => void;
}

/** The official server's delay for bots that poll in a tight loop or concurrently. */
const penaltyMs = 3000;
/** Updates that arrive together are returned together. */
const gatherMs = 1;

/** Long polling of one bot: at most one call waits; a second one ends the first. */
export class Poller {
  readonly #bot: Bot;
  readonly #world: World;
  #waiting: WaitingPoll | undefined;
  #lastOffset: number | undefined;
  #lastStartMs = 0;
  #nextConflictMs = 0;
  #gathering: NodeJS.Timeout | undefined;

  constructor(bot: Bot, world: World) {
    this.#bot = bot;
    this.#world = world;
  }

  /** https://core.telegram.org/bots/api#getupdates */
  async poll(request: PollRequest): Promise<NumberedUpdate[]> {
    const waitMs = this.#waitMs(request);
    const offset = this.#confirm(request.offset);
    const found = this.#collect(offset, request.limit);
    if (found.length > 0 || waitMs === 0) return found;
    this.terminate("terminated by other getUpdates request; make sure that only one bot instance is running");
    return this.#wait({ ...request, offset }, waitMs);
  }

  /** Called when there is a new update. */
  notify(): void {
    if (this.#waiting) this.#gathering ??= setTimeout(() => this.#finish(), gatherMs);
  }

  /** Ends the waiting call with a conflict; a second conflict within three seconds is delayed. */
  terminate(reason: string): void {
    const waiting = this.#take();
    if (!waiting) return;
    const now = Date.now();
    const refuse = () => waiting.refuse(conflict(reason));
    if (now < this.#nextConflictMs) setTimeout(refuse, this.#penaltyMs()).unref();
    else refuse();
    this.#nextConflictMs = Math.max(this.#nextConflictMs, now + this.#penaltyMs());
  }

  close(): void {
    this.#take()?.answer([]);
  }

  /**
   * If the same offset is requested again within three seconds, the call is delayed, so that a client cannot poll in
   * a tight loop.
   */
  #waitMs({ offset, timeoutSeconds }: PollRequest): number {
    const now = Date.now();
    const hurried = offset === this.#lastOffset && now < this.#lastStartMs + this.#penaltyMs();
    this.#lastOffset = offset;
    this.#lastStartMs = now;
    const waitMs = timeoutSeconds * 1000;
    return hurried ? Math.max(waitMs, this.#penaltyMs()) : waitMs;
  }

  /** A negative offset counts from the end and drops earlier updates. */
  #confirm(offset: number): number {
    const { updates } = this.#bot;
    updates.expire(this.#world.clock.nowMs());
    const from = offset < 0 ? updates.lastId + 1 + offset : offset;
    if (from > 0) updates.confirmBelow(Math.min(from, updates.lastId + 1));
    if (from > 0) this.#world.changed();
    return from;
  }

  #collect(offset: number, limit: number): NumberedUpdate[] {
    const known = offset > this.#bot.updates.lastId + 1 ? 0 : offset;
    return this.#bot.updates.list(known, limit).map(({ id, body }) => ({ update_id: id, ...body }));
  }

  #wait(request: PollRequest, waitMs: number): Promise<NumberedUpdate[]> {
    return new Promise((answer, refuse) => {
      const timer = setTimeout(() => this.#finish(), waitMs);
      this.#waiting = { request, timer, answer, refuse };
      request.signal.addEventListener("abort", () => {
        if (this.#waiting?.request === request) this.#take()?.answer([]);
      });
    });
  }

  #finish(): void {
    const waiting = this.#take();
    waiting?.answer(this.#collect(waiting.request.offset, waiting.request.limit));
  }

  #take(): WaitingPoll | undefined {
    const waiting = this.#waiting;
    clearTimeout(waiting?.timer);
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#waiting = undefined;
    return waiting;
  }

  #penaltyMs(): number {
    return penaltyMs * this.#world.settings.waitScale;
  }
}
