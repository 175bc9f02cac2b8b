import type { Clock } from "../clock.ts";
import { Journal, type Numbered } from "../journal.ts";
import { type Delivered, postJson } from "./post.ts";

/** A callback on its way to a receiver. */
export interface Callback {
  /** The owner of the callback, for example the id of the bot; an owner's callbacks can be dropped together. */
  readonly owner: string;
  readonly url: string;
  /** First attempts of one ordering key keep their order; retries do not. */
  readonly orderingKey: string;
  /** The ordering keys of the callbacks that were packed into this one. */
  readonly orderingKeys?: readonly string[];
  /** The kind of event, as named by the platform. */
  readonly event: string;
  /** The body. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called with the response body if the platform counts it as a success. */
  readonly onSuccess?: (answer: string) => void;
}

/** One attempt to deliver. */
export interface Attempt {
  readonly callback_id: number;
  readonly attempt: number;
  /** Unix milliseconds, by the emulator's clock. */
  readonly at: number;
  readonly owner: string;
  readonly url: string;
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  /** 0 if there was no response. */
  readonly status: number;
  readonly error?: string;
  /** Whether the platform counts it as a success. */
  readonly delivered: boolean;
  /** The body that was sent. */
  readonly text: string;
}

/** The platform's delivery rules. */
export interface DeliveryRules {
  /** The delay before the next attempt, after `attempts` attempts, the last of which ended so; undefined gives up. */
  readonly pauseSeconds: (attempts: number, delivered: Delivered) => number | undefined;
  /** Older callbacks are not retried. */
  readonly lifetimeSeconds: number;
  readonly isSuccess: (status: number, answer: string) => boolean;
  /** Headers in addition to the callback's own, for the attempt after this many retries. */
  readonly retryHeaders?: (retries: number) => Readonly<Record<string, string>>;
  /** Combines callbacks if the platform reports several events in one. */
  readonly pack?: (callbacks: readonly Callback[]) => readonly Callback[];
  /** Called after each attempt; `failingSinceMs` is the time of the first attempt of a failing callback. */
  readonly onAttempt?: (callback: Callback, delivered: Delivered, failingSinceMs: number | undefined) => void;
}

/** What a test may change about deliveries. */
export interface DeliverySettings {
  /** Multiplies the delays between attempts. */
  readonly retryScale: number;
  /** Timeout of an attempt. */
  readonly callbackTimeoutMs: number;
  /** How often every callback is delivered. */
  readonly deliveries: number;
}

interface Delivery {
  readonly id: number;
  readonly callback: Callback;
  readonly firstMs: number;
  attempts: number;
  timer: NodeJS.Timeout | undefined;
}

/** Posts callbacks, retries failures, and holds callbacks back for tests. */
export class CallbackQueue {
  readonly attempts = new Journal<Attempt>(10_000);
  readonly #clock: Clock;
  readonly #rules: DeliveryRules;
  readonly #settings: () => DeliverySettings;
  readonly #lastByKey = new Map<string, Promise<void>>();
  readonly #waiting = new Set<Delivery>();
  #closing = new AbortController();
  #held: Callback[] | undefined;
  #closed = false;
  #lastId = 0;

  constructor(clock: Clock, rules: DeliveryRules, settings: () => DeliverySettings) {
    this.#clock = clock;
    this.#rules = rules;
    this.#settings = settings;
  }

  add(callback: Callback): void {
    if (this.#closed) return;
    if (this.#held) this.#held.push(callback);
    else this.#enter(callback);
  }

  /** Posts immediately and once. Resolves with the response. */
  post(callback: Callback): Promise<Delivered> {
    return this.#post(this.#newDelivery(callback));
  }

  /** From now on callbacks wait for `release`. */
  hold(): void {
    this.#held ??= [];
  }

  /** The callbacks held back; undefined if nothing is held back. */
  get held(): readonly Callback[] | undefined {
    return this.#held;
  }

  /**
   * Releases held callbacks, in the order of `pick` (numbers from 1) if given; the others stay held back. With
   * `batch`, callbacks are combined as far as the platform does.
   */
  release(pick: readonly number[] | undefined, keepHolding: boolean, batch = false): number {
    const held = this.#held ?? [];
    const chosen = pick ? pick.flatMap((number) => held[number - 1] ?? []) : held;
    const rest = pick ? held.filter((_, index) => !pick.includes(index + 1)) : [];
    this.#held = keepHolding || rest.length > 0 ? rest : undefined;
    const packed = batch ? (this.#rules.pack?.(chosen) ?? chosen) : chosen;
    for (const callback of packed) this.#enter(callback);
    return chosen.length;
  }

  /** Posts an earlier callback again, optionally with other headers or another body. Resolves with the attempt. */
  async repeat(
    attempt: Numbered<Attempt>,
    changed: Partial<Pick<Callback, "text" | "headers">> = {},
  ): Promise<Delivered> {
    const { owner, url, event, text, headers } = attempt;
    return this.post({ owner, url, event, text, headers, orderingKey: "", ...changed });
  }

  /** Makes every scheduled attempt that is now due, after the clock was moved. */
  hurry(): void {
    for (const delivery of [...this.#waiting]) this.#resume(delivery);
  }

  /** Drops pending callbacks of an owner, or of one address of the owner. */
  drop(owner: string, url?: string): void {
    for (const delivery of this.#waiting) {
      const { callback } = delivery;
      if (callback.owner !== owner || (url !== undefined && callback.url !== url)) continue;
      clearTimeout(delivery.timer);
      this.#waiting.delete(delivery);
    }
  }

  /** Drops pending callbacks. */
  stop(): void {
    this.#closing.abort();
    this.#closing = new AbortController();
    for (const { timer } of this.#waiting) clearTimeout(timer);
    this.#waiting.clear();
    this.#lastByKey.clear();
    this.#held = undefined;
  }

  /** Drops pending callbacks and accepts no more. */
  close(): void {
    this.#closed = true;
    this.stop();
    this.attempts.release();
  }

  #enter(callback: Callback): void {
    const { url, orderingKey, orderingKeys = [orderingKey] } = callback;
    const places = [...new Set(orderingKeys)].map((each) => `${url} ${each}`);
    const before = Promise.all(places.map((place) => this.#lastByKey.get(place)));
    const closing = this.#closing.signal;
    const attempt = before.then(async () => {
      for (let left = this.#settings().deliveries; left > 0 && !closing.aborted; left--) {
        await this.#try(this.#newDelivery(callback));
      }
    });
    for (const place of places) this.#occupy(place, attempt);
  }

  #occupy(place: string, attempt: Promise<void>): void {
    this.#lastByKey.set(place, attempt);
    void attempt.then(() => {
      if (this.#lastByKey.get(place) === attempt) this.#lastByKey.delete(place);
    });
  }

  #newDelivery(callback: Callback): Delivery {
    this.#lastId++;
    return { id: this.#lastId, callback, firstMs: this.#clock.nowMs(), attempts: 0, timer: undefined };
  }

  async #try(delivery: Delivery): Promise<void> {
    const closing = this.#closing.signal;
    if (closing.aborted) return;
    const delivered = await this.#post(delivery);
    if (closing.aborted) return;
    const failed = !this.#rules.isSuccess(delivered.status, delivered.answer);
    if (failed) this.#retry(delivery, delivered);
    else delivery.callback.onSuccess?.(delivered.answer);
    this.#rules.onAttempt?.(delivery.callback, delivered, failed ? delivery.firstMs : undefined);
  }

  async #post(delivery: Delivery): Promise<Delivered> {
    const closing = this.#closing.signal;
    delivery.attempts++;
    const { owner, url, event, text } = delivery.callback;
    const headers = { ...delivery.callback.headers, ...this.#rules.retryHeaders?.(delivery.attempts - 1) };
    const timeout = AbortSignal.timeout(this.#settings().callbackTimeoutMs);
    const delivered = await postJson(url, text, { headers, signal: AbortSignal.any([closing, timeout]) });
    if (closing.aborted) return delivered;
    this.attempts.append({
      callback_id: delivery.id,
      attempt: delivery.attempts,
      at: this.#clock.nowMs(),
      owner,
      url,
      event,
      headers,
      status: delivered.status,
      ...(delivered.error !== undefined && { error: delivered.error }),
      delivered: this.#rules.isSuccess(delivered.status, delivered.answer),
      text,
    });
    return delivered;
  }

  #retry(delivery: Delivery, delivered: Delivered): void {
    const seconds = this.#rules.pauseSeconds(delivery.attempts, delivered);
    if (seconds === undefined) return;
    if (this.#isTooOld(delivery, this.#clock.nowMs() + seconds * 1000)) return;
    this.#waiting.add(delivery);
    const pauseMs = seconds * 1000 * this.#settings().retryScale;
    delivery.timer = setTimeout(() => this.#resume(delivery), pauseMs).unref();
  }

  #resume(delivery: Delivery): void {
    clearTimeout(delivery.timer);
    if (!this.#waiting.delete(delivery) || this.#isTooOld(delivery, this.#clock.nowMs())) return;
    void this.#try(delivery);
  }

  #isTooOld({ firstMs }: Delivery, atMs: number): boolean {
    return atMs > firstMs + this.#rules.lifetimeSeconds * 1000;
  }
}
