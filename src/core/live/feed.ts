import type { Base } from "../base.ts";
import type { Typing } from "../chat/typing.ts";
import {
  canResume,
  countAfter,
  type Followed,
  type LogPart,
  type LogRow,
  readLog,
} from "../event/live-log.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { loadChats } from "../inbox/chat-view.ts";
import type { Presence } from "../inbox/presence.ts";
import { type InboxSession, isReachable, reachOf } from "../inbox/reach.ts";
import { LiveLoader } from "./loader.ts";
import type { LiveUpdate } from "./updates.ts";

/** An open page. */
export interface Follower {
  readonly session: InboxSession;
  /** False once the page has disconnected. */
  readonly isOpen: boolean;
  /** False: the event was accepted, but the buffer is full until `drained` resolves. Must not throw. */
  send(event: {
    readonly id: number;
    readonly type: LiveUpdate["type"] | "ready" | "typing" | "presence";
    readonly data: string;
  }): boolean;
  /** Resolves when the follower accepts more events or has disconnected. */
  drained(): Promise<void>;
  /** Disconnects the follower, which then has to reconnect. */
  drop(): void;
}

interface Subscriber {
  readonly follower: Follower;
  position: number;
}

/** Changes per read of the log. */
export const READ_LIMIT = 200;
/** Changes per read for a single page that catches up: about what its buffer holds, so that little is read twice. */
const CATCH_UP_LIMIT = 50;
/**
 * A page that missed more changes than this is asked to reload, which takes a few requests; changes are read in many
 * statements, one after another, and thousands of them took 12 s.
 */
const MAX_MISSED = 500;
/** Of an account without new events. */
export const NOTHING: LogPart = { rows: [], end: 0 };
const RENEW_INTERVAL_MS = 10 * 60_000;

/** The changes of one account on this node: read once and sent to every follower. */
export class Feed {
  readonly accountId: number;
  readonly #core: Base & HasLive;
  readonly #subscribers = new Set<Subscriber>();
  #position = 0;
  #followedAt = Number.NEGATIVE_INFINITY;
  #sending = false;
  /** Followers that are still catching up with the others. */
  #joining = 0;
  readonly #onSettled: () => void;
  readonly #loader: LiveLoader;

  /** `onSettled` is called when a follower has caught up or has left before it did. The feeds of a node share `loader`. */
  constructor(
    core: Base & HasLive,
    accountId: number,
    onSettled: () => void,
    loader: LiveLoader = new LiveLoader(core),
  ) {
    this.#core = core;
    this.accountId = accountId;
    this.#onSettled = onSettled;
    this.#loader = loader;
  }

  /** The position after which the next read starts. */
  get position(): number {
    return this.#position;
  }

  /** True if there are no followers, or if the changes of the previous read are still being sent. */
  get isResting(): boolean {
    return this.#sending || this.#subscribers.size === 0;
  }

  /** True if no page follows the account and none is catching up. */
  get isIdle(): boolean {
    return this.#subscribers.size === 0 && this.#joining === 0;
  }

  /** Sends the follower the changes after `position` (null: none), then every later change. */
  join(follower: Follower, position: number | null): Promise<void> {
    return this.#whileJoining(async () => {
      const followed = await this.#renew();
      const resumes = position !== null && (await this.#canResume(position, followed));
      if (this.#subscribers.size === 0 && !this.#sending)
        this.#position = Math.max(this.#position, followed.now);
      // Earlier changes may still be on their way to the others; a new follower does not get those.
      const subscriber = { follower, position: resumes ? position : Math.max(this.#position, followed.now) };
      follower.send({ id: subscriber.position, type: "ready", data: "{}" });
      if (position !== null && !resumes)
        follower.send({ id: subscriber.position, type: "reload", data: "{}" });
      await this.#catchUp(subscriber, subscriber.position < this.#position);
    });
  }

  async #whileJoining(work: () => Promise<void>): Promise<void> {
    this.#joining += 1;
    try {
      await work();
    } finally {
      this.#joining -= 1;
      this.#onSettled();
    }
  }

  leave(follower: Follower): void {
    for (const subscriber of this.#subscribers)
      if (subscriber.follower === follower) this.#subscribers.delete(subscriber);
  }

  /** Sends what was read after `position` and resolves when it is sent. Also extends the account's subscription. */
  async send({ rows, end }: LogPart): Promise<void> {
    this.#sending = true;
    try {
      if (this.#core.clock.monotonicMs() - this.#followedAt > RENEW_INTERVAL_MS) await this.#renew();
      if (rows.length === 0) {
        // Up to there is nothing that matters to pages.
        this.#position = Math.max(this.#position, end);
        return;
      }
      const known: ReadonlySet<Subscriber> = new Set(this.#subscribers);
      const users = [...new Set([...known].map(({ follower }) => follower.session.opening.userId))];
      await this.#loader.forAll({ accountId: this.accountId, rows, users }, ({ updates, position }) => {
        this.#position = position;
        // The updates lack what employees who came meanwhile have seen, so these read the log by themselves.
        for (const subscriber of this.#subscribers)
          if (!known.has(subscriber) || !sendTo(subscriber, updates, position)) {
            this.#subscribers.delete(subscriber);
            void this.#whileJoining(() => this.#resume(subscriber));
          }
      });
    } finally {
      this.#sending = false;
    }
  }

  /** Tells the followers who may see the chat. It is nowhere stored, so the position stays. */
  async tellTyping({ chat: id, seconds }: Typing): Promise<void> {
    const [chat] = await loadChats(this.#core.db, this.accountId, [id]);
    if (chat === undefined) return;
    const data = JSON.stringify({ chat_id: id, seconds });
    for (const { follower, position } of this.#subscribers)
      if (isReachable(follower.session.opening, chat)) follower.send({ id: position, type: "typing", data });
  }

  /** Tells the followers of other employees who may see the chat. As typing, it is nowhere stored. */
  tellPresence({ chat, user, state, asks, seconds, identity }: Presence): void {
    const data = JSON.stringify({ chat_id: chat, user, state, asks, seconds });
    for (const { follower, position } of this.#subscribers) {
      const { opening } = follower.session;
      if (opening.userId !== user.id && isReachable(opening, identity))
        follower.send({ id: position, type: "presence", data });
    }
  }

  async #renew(): Promise<Followed> {
    const followed = await this.#core.live.start(this.accountId);
    this.#followedAt = this.#core.clock.monotonicMs();
    return followed;
  }

  /** Whether a page at this position can be sent the changes that it missed, sooner than it can load its content again. */
  async #canResume(position: number, followed: Followed): Promise<boolean> {
    if (!canResume(position, followed, this.#core.clock.now())) return false;
    return (await countAfter(this.#core.db, this.accountId, position, MAX_MISSED + 1)) <= MAX_MISSED;
  }

  /** Nothing is buffered for a slow follower; once it has drained, the log is read again for it. */
  async #resume(subscriber: Subscriber): Promise<void> {
    try {
      await subscriber.follower.drained();
      await this.#catchUp(subscriber, true);
    } catch (error) {
      this.#core.log.debug(
        { err: error },
        "a page could not catch up with the changes it missed; it is disconnected and has to reconnect",
      );
      subscriber.follower.drop();
    }
  }

  /** Sends the follower what it missed, and adds it to the others once it has caught up with them. */
  async #catchUp(subscriber: Subscriber, isBehindNow: boolean): Promise<void> {
    const { follower } = subscriber;
    let [missed, limit] = [0, CATCH_UP_LIMIT];
    for (let isBehind = isBehindNow; isBehind && follower.isOpen; ) {
      // Changes sent to the others during this read follow in the next iteration.
      const reached = this.#position;
      const from = new Map([[this.accountId, subscriber.position]]);
      const { rows } = (await readLog(this.#core.db, from, limit)).get(this.accountId) ?? NOTHING;
      if (missed > MAX_MISSED) {
        subscriber.position = this.#position;
        follower.send({ id: subscriber.position, type: "reload", data: "{}" });
        break;
      }
      const tookAll = await this.#sendMissed(subscriber, rows, rows.length < limit ? reached : 0);
      const sent = rows.filter(({ id }) => id <= subscriber.position).length;
      missed += sent;
      limit = Math.min(CATCH_UP_LIMIT, 2 * Math.max(1, sent));
      if (!tookAll) await follower.drained();
      isBehind = !tookAll || subscriber.position < this.#position;
    }
    if (this.#subscribers.size === 0 && !this.#sending)
      this.#position = Math.max(this.#position, subscriber.position);
    if (follower.isOpen) this.#subscribers.add(subscriber);
  }

  /** `end`: the position that the follower has reached once it took all rows. Returns as `sendTo`. */
  async #sendMissed(subscriber: Subscriber, rows: readonly LogRow[], end: number): Promise<boolean> {
    const last = rows.at(-1);
    if (last === undefined) return sendTo(subscriber, [], end);
    const users = [subscriber.follower.session.opening.userId];
    return this.#loader.forOne({ accountId: this.accountId, rows, users }, ({ updates, position }) =>
      sendTo(subscriber, updates, position === last.id ? Math.max(end, position) : position),
    );
  }
}

/** False: the follower's buffer is full; `place.position` is the last change it accepted. */
function sendTo(subscriber: Subscriber, updates: readonly LiveUpdate[], position: number): boolean {
  const { follower } = subscriber;
  const { opening } = follower.session;
  const isInReach = reachOf(opening);
  for (const { id, type, chat, dataFor } of updates) {
    if (id <= subscriber.position || (chat !== null && !isInReach(chat))) continue;
    subscriber.position = id;
    if (!follower.send({ id, type, data: dataFor(opening) })) return false;
  }
  subscriber.position = Math.max(subscriber.position, position);
  return true;
}
