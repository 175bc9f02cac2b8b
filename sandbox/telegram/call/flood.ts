import type { Clock } from "../../clock.ts";

/** The sending limits of a bot; the defaults of the admin API are those of https://core.telegram.org/bots/faq */
export interface FloodLimits {
  readonly botPerSecond: number;
  readonly chatPerSecond: number;
  /** How many messages to one chat are accepted at once before `chatPerSecond` applies. */
  readonly chatBurst: number;
  readonly groupPerMinute: number;
}

/** A token bucket. */
class Bucket {
  readonly #perMs: number;
  readonly #capacity: number;
  #level: number;
  #filledAt: number;

  constructor(perMs: number, capacity: number, nowMs: number) {
    this.#perMs = perMs;
    this.#capacity = capacity;
    this.#level = capacity;
    this.#filledAt = nowMs;
  }

  /** Milliseconds until a token is available; 0: now. */
  waitMs(nowMs: number): number {
    this.#level = Math.min(this.#capacity, this.#level + (nowMs - this.#filledAt) * this.#perMs);
    this.#filledAt = nowMs;
    return this.#level >= 1 ? 0 : (1 - this.#level) / this.#perMs;
  }

  take(): void {
    this.#level--;
  }
}

interface OneOff {
  readonly botId: number | undefined;
  readonly chatId: number | undefined;
  readonly untilMs: number;
}

/** Decides whether a message may be sent now; without limits until an admin sets them. */
export class FloodControl {
  readonly #clock: Clock;
  #limits: FloodLimits | undefined;
  #limitedBot: number | undefined;
  #oneOffs: OneOff[] = [];
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get armed(): boolean {
    return this.#limits !== undefined || this.#oneOffs.length > 0;
  }

  /** Undefined: no limits. */
  limit(limits: FloodLimits | undefined, botId: number | undefined): void {
    this.#limits = limits;
    this.#limitedBot = botId;
    this.#buckets.clear();
  }

  /** Refuses all matching calls for this time. */
  block(block: { botId: number | undefined; chatId: number | undefined; seconds: number }): void {
    const { botId, chatId, seconds } = block;
    this.#oneOffs.push({ botId, chatId, untilMs: this.#clock.nowMs() + seconds * 1000 });
  }

  clear(): void {
    this.limit(undefined, undefined);
    this.#oneOffs = [];
  }

  /** Counts a message to the chat; returns the seconds to wait if it is over the limit. */
  retryAfter(botId: number, chatId: number): number | undefined {
    const now = this.#clock.nowMs();
    const waitMs = Math.max(this.#blockedMs(botId, chatId, now), this.#bucketsMs(botId, chatId, now));
    return waitMs > 0 ? Math.max(1, Math.ceil(waitMs / 1000)) : undefined;
  }

  #blockedMs(botId: number, chatId: number, now: number): number {
    this.#oneOffs = this.#oneOffs.filter((block) => block.untilMs > now);
    const hits = this.#oneOffs.filter(
      (block) => (block.botId ?? botId) === botId && (block.chatId ?? chatId) === chatId,
    );
    return Math.max(0, ...hits.map((block) => block.untilMs - now));
  }

  #bucketsMs(botId: number, chatId: number, now: number): number {
    const limits = this.#limits;
    if (!limits || (this.#limitedBot ?? botId) !== botId) return 0;
    const buckets = [
      this.#bucket(`${botId}`, limits.botPerSecond / 1000, limits.botPerSecond, now),
      this.#bucket(`${botId}/${chatId}`, limits.chatPerSecond / 1000, limits.chatBurst, now),
    ];
    if (chatId < 0) {
      const perMinute = limits.groupPerMinute;
      buckets.push(this.#bucket(`${botId}/${chatId}/minute`, perMinute / 60_000, perMinute, now));
    }
    const waitMs = Math.max(...buckets.map((bucket) => bucket.waitMs(now)));
    if (waitMs === 0) for (const bucket of buckets) bucket.take();
    return waitMs;
  }

  #bucket(key: string, perMs: number, capacity: number, now: number): Bucket {
    const existing = this.#buckets.get(key);
    if (existing) return existing;
    const bucket = new Bucket(perMs, Math.max(1, capacity), now);
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
