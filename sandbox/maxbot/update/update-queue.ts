import type { Clock } from "../../clock.ts";
import type { Update } from "./update.ts";

/** How long an update waits for a poll. The documentation only says that it is limited. */
const lifetimeMs = 8 * 60 * 60 * 1000;

/** The parameters of a poll. */
export interface PollRequest {
  /** The next update that the poller expects; undefined: only the newest, then later ones. */
  readonly marker: number | undefined;
  readonly limit: number;
  readonly timeoutMs: number;
  /** Undefined: every type. */
  readonly types: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
}

interface Entry {
  readonly number: number;
  readonly untilMs: number;
  readonly update: Update;
}

/** Updates that a bot has not confirmed, for long polling: https://dev.max.ru/docs-api/methods/GET/updates */
export class UpdateQueue {
  readonly #clock: Clock;
  #entries: Entry[] = [];
  #next: number;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock, next: number) {
    this.#clock = clock;
    this.#next = next;
  }

  /** The number of the next update. */
  get next(): number {
    return this.#next;
  }

  get size(): number {
    return this.#entries.length;
  }

  push(update: Update): void {
    const untilMs = this.#clock.nowMs() + lifetimeMs;
    this.#entries.push({ number: this.#next++, untilMs, update });
    this.release();
  }

  list(): readonly Update[] {
    return this.#entries.map(({ update }) => update);
  }

  /** Passing a marker confirms all earlier updates. Resolves with updates, or with none after the time limit. */
  async poll(request: PollRequest): Promise<{ updates: readonly Update[]; marker: number }> {
    const { marker, types, limit } = request;
    if (marker !== undefined) this.#confirmBelow(marker);
    const from = marker ?? Math.max(this.#entries.at(-1)?.number ?? this.#next, 1);
    const find = () => this.#entries.filter((entry) => entry.number >= from && fits(entry, types));
    await this.#wait(() => find().length > 0, request);
    this.#expire();
    const found = find().slice(0, limit);
    const last = found.at(-1);
    const next = last ? last.number + 1 : Math.max(from, this.#nextUnwanted(from, types));
    return { updates: found.map(({ update }) => update), marker: next };
  }

  /** Ends all waiting calls. */
  release(): void {
    for (const finish of [...this.#waiting]) finish();
  }

  drop(): void {
    this.#entries = [];
  }

  /** Updates of types that the poller did not request count as confirmed. */
  #nextUnwanted(from: number, types: PollRequest["types"]): number {
    const wanted = this.#entries.find((entry) => entry.number >= from && fits(entry, types));
    return wanted?.number ?? this.#next;
  }

  #confirmBelow(marker: number): void {
    this.#entries = this.#entries.filter(({ number }) => number >= marker);
  }

  #expire(): void {
    const nowMs = this.#clock.nowMs();
    this.#entries = this.#entries.filter(({ untilMs }) => untilMs > nowMs);
  }

  #wait(isEnough: () => boolean, { timeoutMs, signal }: PollRequest): Promise<void> {
    if (isEnough() || timeoutMs === 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      signal.addEventListener("abort", finish);
      this.#waiting.add(finish);
    });
  }
}

function fits({ update }: Entry, types: PollRequest["types"]): boolean {
  return types?.has(update.update_type) ?? true;
}
