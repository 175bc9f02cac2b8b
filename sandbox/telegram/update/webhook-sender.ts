import type { Bot, WebhookConfig } from "../bot.ts";
import type { World } from "../world.ts";
import type { PendingUpdate } from "./update-queue.ts";
import { type Delivered, WebhookLine } from "./webhook-line.ts";

/** Official server: WEBHOOK_MAX_RESEND_TIMEOUT. */
const maxPauseSeconds = 60;
const maxRetryAfterSeconds = 3600;
/** Official server: a receiver that responds 410 for this long loses its webhook. */
const goneSeconds = 23 * 60 * 60;

/** Updates with the same ordering key, delivered one by one. */
interface KeyQueue {
  readonly key: string;
  readonly entries: PendingUpdate[];
  busy: boolean;
  /** Failures of the first update. */
  fails: number;
  pauseSeconds: number;
  timer: NodeJS.Timeout | undefined;
}

/** The dependencies of the sender. */
export interface SenderPorts {
  /** Runs a method named in the receiver's response. */
  readonly invoke: (method: string, values: Readonly<Record<string, unknown>>) => void;
  /** The receiver is gone for good: remove the webhook. */
  readonly onGone: () => void;
}

/** Pushes the updates of one bot to its webhook: in order per ordering key, several keys concurrently. */
export class WebhookSender {
  readonly #bot: Bot;
  readonly #world: World;
  readonly #config: WebhookConfig;
  readonly #ports: SenderPorts;
  readonly #line: WebhookLine;
  readonly #queues = new Map<string, KeyQueue>();
  readonly #ready: KeyQueue[] = [];
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
    const queue = this.#queues.get(entry.orderingKey) ?? this.#openQueue(entry.orderingKey);
    queue.entries.push(entry);
    if (queue.entries.length === 1) this.#schedule(queue, 0);
  }

  stop(): void {
    this.#stopped = true;
    for (const queue of this.#queues.values()) clearTimeout(queue.timer);
    this.#queues.clear();
    this.#line.close();
  }

  /** Sends all delayed updates that are due, after the clock was moved. */
  hurry(): void {
    for (const queue of this.#queues.values()) {
      if (queue.timer) this.#schedule(queue, 0);
    }
  }

  #openQueue(key: string): KeyQueue {
    const queue = { key, entries: [], busy: false, fails: 0, pauseSeconds: 1, timer: undefined };
    this.#queues.set(key, queue);
    return queue;
  }

  #schedule(queue: KeyQueue, pauseSeconds: number): void {
    clearTimeout(queue.timer);
    queue.timer = undefined;
    const run = () => {
      queue.timer = undefined;
      this.#ready.push(queue);
      this.#pump();
    };
    const pauseMs = pauseSeconds * 1000 * this.#world.settings.retryScale;
    if (pauseMs > 0) queue.timer = setTimeout(run, pauseMs).unref();
    else run();
  }

  #pump(): void {
    while (!this.#stopped && this.#active < this.#config.maxConnections) {
      const queue = this.#ready.shift();
      if (!queue) return;
      if (!queue.busy) void this.#deliver(queue);
    }
  }

  async #deliver(queue: KeyQueue): Promise<void> {
    const entry = this.#firstAlive(queue);
    if (!entry) return;
    queue.busy = true;
    this.#active++;
    const body = JSON.stringify({ update_id: entry.id, ...entry.body });
    const outcome = await this.#line.post(body, this.#world.settings.webhookTimeoutMs);
    this.#active--;
    queue.busy = false;
    if (this.#stopped) return;
    this.#settle(queue, entry, outcome);
    this.#pump();
  }

  #settle(queue: KeyQueue, entry: PendingUpdate, outcome: Delivered): void {
    if (outcome.error === undefined) {
      this.#firstGoneMs = undefined;
      this.#finish(queue, entry);
      if (outcome.method) this.#ports.invoke(outcome.method, outcome.values);
    } else {
      this.#noteError(outcome);
      if (!this.#stopped) this.#retry(queue, entry, outcome.retryAfterSeconds);
    }
  }

  #finish(queue: KeyQueue, entry: PendingUpdate): void {
    this.#bot.updates.confirm(entry);
    this.#world.changed();
    queue.entries.shift();
    queue.fails = 0;
    queue.pauseSeconds = 1;
    if (queue.entries.length > 0) this.#schedule(queue, 0);
    else this.#queues.delete(queue.key);
  }

  /** The first retry follows at once, then the delay doubles, as in the official server. */
  #retry(queue: KeyQueue, entry: PendingUpdate, retryAfterSeconds: number): void {
    let pause = Math.min(retryAfterSeconds, maxRetryAfterSeconds);
    if (pause === 0 && queue.fails > 0) {
      const longest = maxPauseSeconds * (1 + Math.random());
      queue.pauseSeconds = Math.min(longest, queue.pauseSeconds * 2);
      pause = queue.pauseSeconds;
    }
    queue.fails++;
    if (this.#world.clock.nowMs() + pause * 1000 > entry.expiresAtMs) this.#finish(queue, entry);
    else this.#schedule(queue, pause);
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

  /** Skips updates that were confirmed otherwise or have expired. */
  #firstAlive(queue: KeyQueue): PendingUpdate | undefined {
    const now = this.#world.clock.nowMs();
    let entry = queue.entries[0];
    while (entry && (entry.done || entry.expiresAtMs <= now)) {
      this.#bot.updates.confirm(entry);
      queue.entries.shift();
      entry = queue.entries[0];
    }
    if (!entry) this.#queues.delete(queue.key);
    return entry;
  }
}
