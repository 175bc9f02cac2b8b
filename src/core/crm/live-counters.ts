import { messageOf } from "../../platform/message-of.ts";
import type { Base } from "../base.ts";
import { ConcurrencyLimit } from "../concurrency-limit.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { countUnansweredOfEach, type Unanswered } from "./unanswered.ts";

/** Changes within this time are counted once. */
const COUNT_INTERVAL_MS = 1_000;
/** All counters, since notifications may be lost, and messages become older than the window. */
const LOOK_INTERVAL_MS = 30_000;
/** The log of an account that nobody follows ends after an hour. */
const RENEW_INTERVAL_MS = 15 * 60_000;
const MAX_CONCURRENT = 4;

type Core = Pick<Base, "db" | "clock" | "log" | "signals"> & HasLive;

/** A client that shows the counter of an employee. */
export interface CounterFollower {
  readonly accountId: number;
  readonly userId: string;
  /** Called with the present counter, and whenever it changes. */
  tell(counter: Unanswered): void;
}

interface Followed {
  /** By employee; `last` is what was told to all of them. */
  readonly users: Map<string, { readonly followers: Set<CounterFollower>; last: string | null }>;
  isDue: boolean;
  isCounting: boolean;
  lookedAtMs: number;
  renewedAtMs: number;
}

/**
 * The counters of unanswered messages that clients of this node show. One statement counts for all employees of an
 * account, at most once a second and only after something has changed. Nothing runs while no client follows.
 */
export class LiveCounters {
  readonly #core: Core;
  readonly #accounts = new Map<number, Followed>();
  readonly #turns = new ConcurrencyLimit({
    maxConcurrent: MAX_CONCURRENT,
    maxWaiting: Number.POSITIVE_INFINITY,
    refusal: "",
  });
  #timer: NodeJS.Timeout | undefined;
  #off: (() => void) | null = null;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Tells the present counter soon, and then every change, until the returned function is called. */
  follow(follower: CounterFollower): () => void {
    const { accountId, userId } = follower;
    const account = this.#accounts.get(accountId) ?? {
      users: new Map(),
      isDue: true,
      isCounting: false,
      lookedAtMs: Number.NEGATIVE_INFINITY,
      renewedAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#accounts.set(accountId, account);
    const user = account.users.get(userId) ?? { followers: new Set(), last: null };
    account.users.set(userId, user);
    user.followers.add(follower);
    // Also to the others of the employee, which is harmless and rare.
    user.last = null;
    account.isDue = true;
    this.#start();
    return () => {
      user.followers.delete(follower);
      if (user.followers.size === 0 && account.users.get(userId) === user) account.users.delete(userId);
      if (account.users.size === 0 && this.#accounts.get(accountId) === account)
        this.#accounts.delete(accountId);
      if (this.#accounts.size === 0) this.close();
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#off?.();
    this.#off = null;
  }

  #start(): void {
    if (this.#off !== null) return;
    this.#off = this.#core.signals.on("webhooks", (detail) => {
      const account = this.#accounts.get(Number.parseInt(detail, 10));
      if (account !== undefined) account.isDue = true;
    });
    this.#timer = setInterval(() => this.#countDue(), COUNT_INTERVAL_MS).unref();
    this.#countDue();
  }

  #countDue(): void {
    const now = this.#core.clock.monotonicMs();
    for (const [accountId, account] of this.#accounts) {
      if (account.isCounting || !(account.isDue || now - account.lookedAtMs >= LOOK_INTERVAL_MS)) continue;
      account.isCounting = true;
      this.#turns
        .run(() => this.#count(accountId, account))
        .catch((error: unknown) => {
          account.isDue = true;
          this.#core.log.debug(
            { reason: messageOf(error), accountId },
            "counters were not told; they are counted again",
          );
        })
        .finally(() => {
          account.isCounting = false;
        });
    }
  }

  async #count(accountId: number, account: Followed): Promise<void> {
    const now = this.#core.clock.monotonicMs();
    account.isDue = false;
    account.lookedAtMs = now;
    if (now - account.renewedAtMs >= RENEW_INTERVAL_MS) {
      // Before it is counted: what changes from now on is announced.
      await this.#core.live.start(accountId);
      account.renewedAtMs = now;
    }
    const counters = await countUnansweredOfEach(this.#core, { accountId }, [...account.users.keys()]);
    for (const [userId, user] of account.users) {
      const counter = counters.get(userId);
      // It came while the others were counted.
      if (counter === undefined) account.isDue = true;
      else if (user.last !== keyOf(counter)) {
        user.last = keyOf(counter);
        for (const follower of user.followers) follower.tell(counter);
      }
    }
  }
}

function keyOf({ counter, type }: Unanswered): string {
  return `${counter} ${type}`;
}
