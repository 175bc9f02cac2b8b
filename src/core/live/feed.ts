import type { Base } from "../base.ts";
import { type InboxSession, reachOf } from "../inbox/reach.ts";
import { canResume, type Followed, follow, type LogRow, readLog } from "./log.ts";
import { type News, newsOf } from "./news.ts";
import type { HasLive } from "./teller.ts";

/** An open page. */
export interface Follower {
  readonly session: InboxSession;
  /** False once nobody listens any more. */
  readonly isOpen: boolean;
  /** False: it took this, and wants no more until it is drained. Must not throw. */
  send(event: { readonly id: number; readonly type: News["type"] | "ready"; readonly data: string }): boolean;
  /** Resolves when it takes more, or is not open any more. */
  drained(): Promise<void>;
  /** It cannot be told any more: it has to come back. */
  drop(): void;
}

interface Place {
  readonly follower: Follower;
  position: number;
}

/** Changes that are read at a time. */
export const READ_LIMIT = 200;
/** The same for a page alone, at most: about as many as it takes at a time, so that little is read again. */
const CATCH_UP_LIMIT = 50;
/** Whoever missed more loads the page anew. */
const MAX_MISSED = 5_000;
const PROLONG_MS = 10 * 60_000;

/** One account's changes on this node: read once, told to all who follow. */
export class Feed {
  readonly accountId: number;
  readonly #core: Base & HasLive;
  readonly #places = new Set<Place>();
  #position = 0;
  #followedAt = Number.NEGATIVE_INFINITY;
  #telling = false;
  #prolonging: Promise<Followed> | null = null;
  /** Followers who are on their way to where the others are. */
  #joining = 0;
  readonly #onSettled: () => void;

  /** `onSettled`: somebody came to where the others are, or left on the way. */
  constructor(core: Base & HasLive, accountId: number, onSettled: () => void) {
    this.#core = core;
    this.accountId = accountId;
    this.#onSettled = onSettled;
  }

  /** Where the next read begins. */
  get position(): number {
    return this.#position;
  }

  /** Nobody follows, or it is still telling what was read before. */
  get rests(): boolean {
    return this.#telling || this.#places.size === 0;
  }

  /** Nobody follows, and nobody is about to. */
  get isIdle(): boolean {
    return this.#places.size === 0 && this.#joining === 0;
  }

  /** Tells the follower all that it missed behind its position (null: nothing), and everything from now on. */
  join(follower: Follower, position: number | null): Promise<void> {
    return this.#onItsWay(async () => {
      const followed = await this.#prolong();
      if (this.#places.size === 0 && !this.#telling) this.#position = Math.max(this.#position, followed.now);
      const resumes = position !== null && canResume(position, followed, this.#core.clock.now());
      // Others may be told right now of what was before: nobody who begins here is.
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

  /** Tells what was read behind `position`; resolves when it is told. Keeps the changes coming, too. */
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

  /** Once for all who come at the same moment: after a restart these are all open pages. */
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

  /** Whoever takes no more is kept nothing for: the log is read again once it does. */
  async #resume(place: Place): Promise<void> {
    try {
      await place.follower.drained();
      await this.#catchUp(place, true);
    } catch (error) {
      this.#core.log.debug({ err: error }, "a page could not be told what it missed");
      place.follower.drop();
    }
  }

  /** Tells the follower what it missed, and joins it to the others once it is where they are. */
  async #catchUp(place: Place, isBehindNow: boolean): Promise<void> {
    const { follower } = place;
    let [missed, limit] = [0, CATCH_UP_LIMIT];
    for (let isBehind = isBehindNow; isBehind && follower.isOpen; ) {
      // What the others are told while this is read comes with the next turn.
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

/** False: the follower takes no more for now, and was told up to its place. */
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
