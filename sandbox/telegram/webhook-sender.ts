import type { Bot, WebhookConfig } from "./bot.ts";
import type { PendingUpdate } from "./update-queue.ts";
import { type Delivered, WebhookLine } from "./webhook-line.ts";
import type { World } from "./world.ts";

/** Official server: WEBHOOK_MAX_RESEND_TIMEOUT. */
const maxPauseSeconds = 60;
const maxRetryAfterSeconds = 3600;
/** Official server: a receiver that says 410 for so long loses its webhook. */
const goneSeconds = 23 * 60 * 60;

/** The updates that must arrive one after the other. */
interface Lane {
  readonly key: string;
  readonly entries: PendingUpdate[];
  busy: boolean;
  /** Failures of the first entry. */
  fails: number;
  pauseSeconds: number;
  timer: NodeJS.Timeout | undefined;
}

/** What the sender needs from outside. */
export interface SenderPorts {
  /** Runs a method that the receiver put into its answer. */
  readonly invoke: (method: string, values: Readonly<Record<string, unknown>>) => void;
  /** The receiver is gone for good: the webhook is to be removed. */
  readonly onGone: () => void;
}

/** Pushes the updates of one bot to its webhook: in order within a lane, several lanes at a time. */
export class WebhookSender {
  readonly #bot: Bot;
  readonly #world: World;
  readonly #config: WebhookConfig;
  readonly #ports: SenderPorts;
  readonly #line: WebhookLine;
  readonly #lanes = new Map<string, Lane>();
  readonly #ready: Lane[] = [];
  #active = 0;
  #firstGoneMs: number | undefined;
  #stopped = false;

  constructor(bot: Bot, world: World, ports: SenderPorts, config: WebhookConfig) {
    this.#bot = bot;
    this.#world = world;
    this.#ports = ports;
    this.#config = config;
    this.#line = new WebhookLine(config);
    for (const entry of bot.updates.list(0, Number.POSITIVE_INFINITY)) this.add(entry);
  }

  add(entry: PendingUpdate): void {
    const lane = this.#lanes.get(entry.lane) ?? this.#openLane(entry.lane);
    lane.entries.push(entry);
    if (lane.entries.length === 1) this.#schedule(lane, 0);
  }

  stop(): void {
    this.#stopped = true;
    for (const lane of this.#lanes.values()) clearTimeout(lane.timer);
    this.#lanes.clear();
    this.#line.close();
  }

  /** Sends everything that waits for its next attempt now: after the clock was moved. */
  hurry(): void {
    for (const lane of this.#lanes.values()) {
      if (lane.timer) this.#schedule(lane, 0);
    }
  }

  #openLane(key: string): Lane {
    const lane = { key, entries: [], busy: false, fails: 0, pauseSeconds: 1, timer: undefined };
    this.#lanes.set(key, lane);
    return lane;
  }

  #schedule(lane: Lane, pauseSeconds: number): void {
    clearTimeout(lane.timer);
    lane.timer = undefined;
    const run = () => {
      lane.timer = undefined;
      this.#ready.push(lane);
      this.#pump();
    };
    const pauseMs = pauseSeconds * 1000 * this.#world.settings.retryScale;
    if (pauseMs > 0) lane.timer = setTimeout(run, pauseMs).unref();
    else run();
  }

  #pump(): void {
    while (!this.#stopped && this.#active < this.#config.maxConnections) {
      const lane = this.#ready.shift();
      if (!lane) return;
      if (!lane.busy) void this.#deliver(lane);
    }
  }

  async #deliver(lane: Lane): Promise<void> {
    const entry = this.#firstAlive(lane);
    if (!entry) return;
    lane.busy = true;
    this.#active++;
    const body = JSON.stringify({ update_id: entry.id, ...entry.body });
    const outcome = await this.#line.post(body, this.#world.settings.webhookTimeoutMs);
    this.#active--;
    lane.busy = false;
    if (this.#stopped) return;
    this.#settle(lane, entry, outcome);
    this.#pump();
  }

  #settle(lane: Lane, entry: PendingUpdate, outcome: Delivered): void {
    if (outcome.error === undefined) {
      this.#firstGoneMs = undefined;
      this.#finish(lane, entry);
      if (outcome.method) this.#ports.invoke(outcome.method, outcome.values);
    } else {
      this.#noteError(outcome);
      if (!this.#stopped) this.#retry(lane, entry, outcome.retryAfterSeconds);
    }
  }

  #finish(lane: Lane, entry: PendingUpdate): void {
    this.#bot.updates.confirm(entry);
    this.#world.changed();
    lane.entries.shift();
    lane.fails = 0;
    lane.pauseSeconds = 1;
    if (lane.entries.length > 0) this.#schedule(lane, 0);
    else this.#lanes.delete(lane.key);
  }

  /** The first repetition follows at once, then the pauses double: as in the official server. */
  #retry(lane: Lane, entry: PendingUpdate, retryAfterSeconds: number): void {
    let pause = Math.min(retryAfterSeconds, maxRetryAfterSeconds);
    if (pause === 0 && lane.fails > 0) {
      const longest = maxPauseSeconds * (1 + Math.random());
      lane.pauseSeconds = Math.min(longest, lane.pauseSeconds * 2);
      pause = lane.pauseSeconds;
    }
    lane.fails++;
    if (this.#world.clock.nowMs() + pause * 1000 > entry.expiresAtMs) this.#finish(lane, entry);
    else this.#schedule(lane, pause);
  }

  #noteError(outcome: Delivered): void {
    this.#config.lastErrorDate = this.#world.clock.now();
    this.#config.lastErrorMessage = outcome.error ?? "";
    if (outcome.status !== 410) {
      this.#firstGoneMs = undefined;
      return;
    }
    const now = this.#world.clock.nowMs();
    this.#firstGoneMs ??= now;
    if (now > this.#firstGoneMs + goneSeconds * 1000) this.#ports.onGone();
  }

  /** Skips what was confirmed otherwise or has waited too long. */
  #firstAlive(lane: Lane): PendingUpdate | undefined {
    const now = this.#world.clock.nowMs();
    let entry = lane.entries[0];
    while (entry && (entry.done || entry.expiresAtMs <= now)) {
      this.#bot.updates.confirm(entry);
      lane.entries.shift();
      entry = lane.entries[0];
    }
    if (!entry) this.#lanes.delete(lane.key);
    return entry;
  }
}
