import type { Base } from "../base.ts";
import { type InboxSession, reachOf } from "../inbox/reach.ts";
import { canResume, type Followed, follow, type LogRow, readLog } from "./log.ts";
import { type News, newsOf } from "./news.ts";
import type { HasLive } from "./teller.ts";

/** An open page. */
export interface Follower {
  readonly session: InboxSession;
  /** False once the page has disconnected. */
  readonly isOpen: boolean;
  /** False: the event was accepted, but the buffer is full until `drained` resolves. Must not throw. */
  send(event: { readonly id: number; readonly type: News["type"] | "ready"; readonly data: string }): boolean;
  /** Resolves when the follower accepts more events or has disconnected. */
  drained(): Promise<void>;
  /** Disconnects the follower, which then has to reconnect. */
  drop(): void;
}

interface Place {
  readonly follower: Follower;
  position: number;
}

/** Changes per read of the log. */
export const READ_LIMIT = 200;
/** Changes per read for a single page that catches up: about what its buffer holds, so that little is read twice. */
const CATCH_UP_LIMIT = 50;
/** A page that missed more changes than this is asked to reload. */
const MAX_MISSED = 5_000;
const PROLONG_MS = 10 * 60_000;

/** The changes of one account on this node: read once and sent to every follower. */
export class Feed {
  readonly accountId: number;
  readonly #core: Base & HasLive;
  readonly #places = new Set<Place>();
  #position = 0;
  #followedAt = Number.NEGATIVE_INFINITY;
  #telling = false;
  #prolonging: Promise<Followed> | null = null;
  /** Followers that are still catching up with the others. */
  #joining = 0;
  readonly #onSettled: () => void;

  /** `onSettled` is called when a follower has caught up or has left before it did. */
  constructor(core: Base & HasLive, accountId: number, onSettled: () => void) {
    this.#core = core;
    this.accountId = accountId;
    this.#onSettled = onSettled;
  }

  /** The position after which the next read starts. */
  get position(): number {
    return this.#position;
  }

  /** True if there are no followers, or if the changes of the previous read are still being sent. */
  get rests(): boolean {
    return this.#telling || this.#places.size === 0;
  }

  /** True if no page follows the account and none is catching up. */
  get isIdle(): boolean {
    return this.#places.size === 0 && this.#joining === 0;
  }

  /** Sends the follower the changes after `position` (null: none), then every later change. */
  join(follower: Follower, position: number | null): Promise<void> {
    return this.#onItsWay(async () => {
      const followed = await this.#prolong();
      if (this.#places.size === 0 && !this.#telling) this.#position = Math.max(this.#position, followed.now);
      const resumes = position !== null && canResume(position, followed, this.#core.clock.now());
      // Earlier changes may still be on their way to the others; a new follower does not get those.
      const place = { follower, position: resumes ? position : Math.max(this.#position, followed.now) };
      follower.send({ id: place.position, type: "ready", data: "{}" });
      if (position !== null && !resumes) follower.send({ id: place.position, type: "reload", data: "{}" });
      await this.#catchUp(place, place.position < this.#position);
    });
  }

  async #onItsWay(work: () => Promise<void>): Promise<void> {
    this.#joining += 1;
    try {
      await work();
    } finally {
      this.#joining -= 1;
      this.#onSettled();
    }
  }

  leave(follower: Follower): void {
    for (const place of this.#places) if (place.follower === follower) this.#places.delete(place);
  }

  /** Sends the rows read after `position` and resolves when they are sent. Also extends the account's subscription. */
  async tell(rows: readonly LogRow[]): Promise<void> {
    this.#telling = true;
    try {
      if (this.#core.clock.monotonicMs() - this.#followedAt > PROLONG_MS) await this.#prolong();
      if (rows.length === 0) return;
      const users = new Set([...this.#places].map(({ follower }) => follower.session.opening.userId));
      const news = await newsOf(this.#core, this.accountId, rows, [...users]);
      this.#position = rows.at(-1)?.id ?? this.#position;
      for (const place of this.#places)
        if (!tellOne(place, news, this.#position)) {
          this.#places.delete(place);
          void this.#onItsWay(() => this.#resume(place));
        }
    } finally {
      this.#telling = false;
    }
  }

  /** Concurrent callers share one statement: after a restart all open pages reconnect at once. */
  #prolong(): Promise<Followed> {
    this.#prolonging ??= this.#prolongNow().finally(() => {
      this.#prolonging = null;
    });
    return this.#prolonging;
  }

  async #prolongNow(): Promise<Followed> {
    const followed = await follow(this.#core.db, this.accountId);
    this.#followedAt = this.#core.clock.monotonicMs();
    this.#core.live.follow(this.accountId, followed.until);
    return followed;
  }

  /** Nothing is buffered for a slow follower; once it has drained, the log is read again for it. */
  async #resume(place: Place): Promise<void> {
    try {
      await place.follower.drained();
      await this.#catchUp(place, true);
    } catch (error) {
      this.#core.log.debug(
        { err: error },
        "a page could not catch up with the changes it missed; it is disconnected and has to reconnect",
      );
      place.follower.drop();
    }
  }

  /** Sends the follower what it missed, and adds it to the others once it has caught up with them. */
  async #catchUp(place: Place, isBehindNow: boolean): Promise<void> {
    const { follower } = place;
    let [missed, limit] = [0, CATCH_UP_LIMIT];
    for (let isBehind = isBehindNow; isBehind && follower.isOpen; ) {
      // Changes sent to the others during this read follow in the next iteration.
      const reached = this.#position;
      const rows = await readLog(this.#core.db, new Map([[this.accountId, place.position]]), limit);
      if (missed > MAX_MISSED) {
        place.position = this.#position;
        follower.send({ id: place.position, type: "reload", data: "{}" });
        break;
      }
      const news = await newsOf(this.#core, this.accountId, rows, [follower.session.opening.userId]);
      const last = rows.at(-1)?.id ?? reached;
      const end = rows.length < limit ? Math.max(reached, last) : last;
      const tookAll = tellOne(place, news, end);
      const told = rows.filter(({ id }) => id <= place.position).length;
      missed += told;
      limit = Math.min(CATCH_UP_LIMIT, 2 * Math.max(1, told));
      if (!tookAll) await follower.drained();
      isBehind = !tookAll || place.position < this.#position;
    }
    if (this.#places.size === 0 && !this.#telling) this.#position = Math.max(this.#position, place.position);
    if (follower.isOpen) this.#places.add(place);
  }
}

/** False: the follower's buffer is full; `place.position` is the last change it accepted. */
function tellOne(place: Place, news: readonly News[], position: number): boolean {
  const { follower } = place;
  const { opening } = follower.session;
  const isInReach = reachOf(opening);
  for (const { id, type, chat, dataFor } of news) {
    if (id <= place.position || (chat !== null && !isInReach(chat))) continue;
    place.position = id;
    if (!follower.send({ id, type, data: dataFor(opening.userId) })) return false;
  }
  place.position = Math.max(place.position, position);
  return true;
}
