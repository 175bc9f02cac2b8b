import type { Clock } from "../../clock.ts";
import { Journal, type Numbered } from "../../journal.ts";
import { metaJson } from "../../meta/json.ts";
import type { App } from "../account.ts";
import { type Entry, envelope } from "./envelope.ts";
import { postCallback } from "./line.ts";

/** A change on its way to an address. */
export interface Notice extends Entry {
  readonly app: App;
  readonly url: string;
  /** What happened in the same lane is first tried in order; repetitions come whenever they come. */
  readonly lane: string;
}

/** One attempt to deliver. */
export interface Attempt {
  readonly callback_id: number;
  readonly attempt: number;
  readonly at: number;
  readonly app_id: string;
  readonly url: string;
  readonly fields: readonly string[];
  /** 0 when there was no answer. */
  readonly status: number;
  readonly error?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a test may change about deliveries. */
export interface SenderSettings {
  /** Multiplies the pauses between attempts. */
  retryScale: number;
  /** After so long without an answer an attempt counts as failed. */
  callbackTimeoutMs: number;
  /** Every callback is delivered so many times in all. */
  deliveries: number;
}

interface Delivery {
  readonly id: number;
  readonly app: App;
  readonly url: string;
  readonly fields: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly untilMs: number;
  attempts: number;
  timer: NodeJS.Timeout | undefined;
}

/** The first repetition follows at once, then with decreasing frequency, for seven days. */
const pauseSeconds = [0, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600];
const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** Posts callbacks, repeats what was not taken, and holds back what a test wants to see later. */
export class CallbackSender {
  readonly attempts = new Journal<Attempt>(10_000);
  readonly #clock: Clock;
  readonly #settings: () => SenderSettings;
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #waiting = new Set<Delivery>();
  #closing = new AbortController();
  #held: Notice[] | undefined;
  #closed = false;
  #lastId = 0;

  constructor(clock: Clock, settings: () => SenderSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  add(notice: Notice): void {
    if (this.#closed) return;
    if (this.#held) this.#held.push(notice);
    else this.#dispatch([notice]);
  }

  /** From now on callbacks wait for `release`. */
  hold(): void {
    this.#held ??= [];
  }

  /** What waits; undefined when nothing is held back. */
  get held(): readonly Notice[] | undefined {
    return this.#held;
  }

  /**
   * Lets go what waits, each by itself or all for an address in one body, and holds nothing back any more unless
   * asked. The order is that of `pick` (numbers from 1) where given.
   */
  release(how: { batch: boolean; pick?: readonly number[] | undefined; keepHolding: boolean }): number {
    const held = this.#held ?? [];
    const chosen = how.pick ? how.pick.flatMap((number) => held[number - 1] ?? []) : held;
    const rest = how.pick ? held.filter((_, index) => !how.pick?.includes(index + 1)) : [];
    this.#held = how.keepHolding || rest.length > 0 ? rest : undefined;
    if (!how.batch) for (const notice of chosen) this.#dispatch([notice]);
    else {
      const groups = Map.groupBy(chosen, ({ app, url }) => `${app.id} ${url}`);
      for (const group of groups.values()) this.#dispatch(group);
    }
    return chosen.length;
  }

  /** Delivers once more what was delivered before: the very same bytes. */
  repeat(attempt: Numbered<Attempt>, app: App): void {
    const { url, fields, body } = attempt;
    void this.#try(this.#newDelivery({ app, url, fields, body }));
  }

  /** Makes every attempt that waits for its time now: after the clock was moved. */
  hurry(): void {
    for (const delivery of [...this.#waiting]) this.#resume(delivery);
  }

  /** Forgets what is under way. */
  stop(): void {
    this.#closing.abort();
    this.#closing = new AbortController();
    for (const { timer } of this.#waiting) clearTimeout(timer);
    this.#waiting.clear();
    this.#lanes.clear();
    this.#held = undefined;
  }

  /** Forgets what is under way and takes nothing any more. */
  close(): void {
    this.#closed = true;
    this.stop();
  }

  #dispatch(notices: readonly Notice[]): void {
    const [first] = notices;
    if (!first) return;
    const { app, url } = first;
    const fields = [...new Set(notices.map(({ change }) => change.field))];
    const lanes = new Set(notices.map(({ lane }) => `${url} ${lane}`));
    const body = envelope(notices);
    const before = Promise.all([...lanes].map((lane) => this.#lanes.get(lane)));
    const attempt = before.then(async () => {
      for (let left = this.#settings().deliveries; left > 0; left--) {
        await this.#try(this.#newDelivery({ app, url, fields, body }));
      }
    });
    for (const lane of lanes) this.#enter(lane, attempt);
  }

  #enter(lane: string, attempt: Promise<void>): void {
    this.#lanes.set(lane, attempt);
    void attempt.then(() => {
      if (this.#lanes.get(lane) === attempt) this.#lanes.delete(lane);
    });
  }

  #newDelivery(parts: Pick<Delivery, "app" | "url" | "fields" | "body">): Delivery {
    this.#lastId++;
    const untilMs = this.#clock.nowMs() + lifetimeMs;
    return { ...parts, id: this.#lastId, untilMs, attempts: 0, timer: undefined };
  }

  async #try(delivery: Delivery): Promise<void> {
    const closing = this.#closing.signal;
    if (closing.aborted) return;
    delivery.attempts++;
    const { app, url, fields, body } = delivery;
    const timeout = AbortSignal.timeout(this.#settings().callbackTimeoutMs);
    const signal = AbortSignal.any([closing, timeout]);
    const outcome = await postCallback(url, metaJson(body), { secret: app.secret, signal });
    if (closing.aborted) return;
    this.attempts.append({
      callback_id: delivery.id,
      attempt: delivery.attempts,
      at: this.#clock.nowMs(),
      app_id: app.id,
      url,
      fields,
      ...outcome,
      body,
    });
    if (outcome.status !== 200) this.#retry(delivery);
  }

  #retry(delivery: Delivery): void {
    const seconds = pauseSeconds[delivery.attempts - 1] ?? pauseSeconds.at(-1) ?? 0;
    if (this.#clock.nowMs() + seconds * 1000 > delivery.untilMs) return;
    const pauseMs = seconds * 1000 * this.#settings().retryScale;
    this.#waiting.add(delivery);
    delivery.timer = setTimeout(() => this.#resume(delivery), pauseMs).unref();
  }

  #resume(delivery: Delivery): void {
    clearTimeout(delivery.timer);
    if (!this.#waiting.delete(delivery) || this.#clock.nowMs() > delivery.untilMs) return;
    void this.#try(delivery);
  }
}
