import type { Base } from "../base.ts";
import { type Typing, typingOf } from "../chat/typing.ts";
import { type LogPart, readLog } from "../event/live-log.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { type Presence, presenceOf } from "../inbox/presence.ts";
import { Feed, type Follower, NOTHING, READ_LIMIT } from "./feed.ts";
import { LiveLoader } from "./loader.ts";

/** Poll interval. Notifications may be lost, so all followed accounts are polled in one statement. */
const POLL_INTERVAL_MS = 1_000;

/**
 * The open pages of a node. The log of an account is read once for all its pages, after something was published for it.
 * Nothing is read while no page is open.
 */
export class LiveHub {
  readonly #core: Base & HasLive;
  readonly #feeds = new Map<number, Feed>();
  /** Accounts that may have something new. */
  readonly #changed = new Set<number>();
  readonly #loader: LiveLoader;
  #off: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | null = null;
  #closed = false;

  constructor(core: Base & HasLive) {
    this.#core = core;
    this.#loader = new LiveLoader(core);
  }

  /** Sends the follower the changes after `position`, then every later change until `leave`. */
  async join(follower: Follower, position: number | null): Promise<void> {
    const { accountId } = follower.session.scope;
    let feed = this.#feeds.get(accountId);
    if (feed === undefined) {
      const onSettled = (): void => {
        this.#removeIdle(accountId);
        // Changes published while the follower caught up have not been sent yet.
        this.#poll(accountId);
      };
      feed = new Feed(this.#core, accountId, onSettled, this.#loader);
      this.#feeds.set(accountId, feed);
    }
    this.#startPolling();
    await feed.join(follower, position);
  }

  leave(follower: Follower): void {
    const { accountId } = follower.session.scope;
    this.#feeds.get(accountId)?.leave(follower);
    this.#removeIdle(accountId);
  }

  #removeIdle(accountId: number): void {
    if (this.#feeds.get(accountId)?.isIdle === true) this.#feeds.delete(accountId);
    if (this.#feeds.size === 0) this.#stopPolling();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopPolling();
    await this.#polling;
  }

  #startPolling(): void {
    if (this.#off !== null || this.#closed) return;
    const { signals } = this.#core;
    const offs = [
      signals.on("webhooks", (detail) => this.#poll(detail === "" ? null : Number.parseInt(detail, 10))),
      signals.on("typing", (detail) => this.#tellTyping(typingOf(detail))),
      signals.on("presence", (detail) => this.#tellPresence(presenceOf(detail))),
    ];
    this.#off = () => {
      for (const off of offs) off();
    };
    this.#timer = setInterval(() => this.#poll(null), POLL_INTERVAL_MS);
  }

  #tellTyping(typing: Typing | null): void {
    if (typing === null) return;
    this.#feeds
      .get(typing.accountId)
      ?.tellTyping(typing)
      .catch((error: unknown) =>
        this.#core.log.debug({ err: error }, "open pages were not told that somebody is typing"),
      );
  }

  #tellPresence(presence: Presence | null): void {
    if (presence !== null) this.#feeds.get(presence.accountId)?.tellPresence(presence);
  }

  #stopPolling(): void {
    this.#off?.();
    this.#off = null;
    clearInterval(this.#timer);
  }

  /** Polls never overlap; a request during a poll causes another poll after it. */
  #poll(accountId: number | null): void {
    for (const id of accountId === null ? this.#feeds.keys() : [accountId]) this.#changed.add(id);
    if (this.#polling !== null || this.#closed || this.#due().size === 0) return;
    this.#polling = this.#read()
      .catch((error: unknown) =>
        this.#core.log.debug({ err: error }, "changes could not be sent to open pages"),
      )
      .finally(() => {
        this.#polling = null;
        if (this.#changed.size > 0) this.#poll(this.#changed.values().next().value ?? null);
      });
  }

  /** Positions of the feeds that may have new changes and are not sending. */
  #due(): Map<number, number> {
    const due = new Map<number, number>();
    for (const id of this.#changed) {
      const feed = this.#feeds.get(id);
      if (feed === undefined) this.#changed.delete(id);
      else if (!feed.isResting) due.set(id, feed.position);
    }
    return due;
  }

  async #read(): Promise<void> {
    const due = this.#due();
    const feeds = [...due.keys()].map((id) => this.#feeds.get(id));
    for (const id of due.keys()) this.#changed.delete(id);
    const parts = await readLog(this.#core.db, due, READ_LIMIT);
    for (const feed of feeds) {
      // The last page may have left during the read, and a new page may have created a feed at another position.
      if (feed === undefined || this.#feeds.get(feed.accountId) !== feed) continue;
      this.#send(feed, parts.get(feed.accountId) ?? NOTHING);
    }
  }

  /** Not awaited, so that an account with slow pages does not delay the others. */
  #send(feed: Feed, part: LogPart): void {
    const { accountId } = feed;
    feed
      .send(part)
      .then(() => {
        if (part.rows.length > 0) this.#poll(accountId);
      })
      .catch((error: unknown) => {
        this.#core.log.debug({ err: error, accountId }, "changes could not be sent to open pages");
      });
  }
}
