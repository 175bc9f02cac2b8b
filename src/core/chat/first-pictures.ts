import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "../../database/database.ts";
import { createBatcher } from "../../platform/queue/batcher.ts";
import type { Base } from "../base.ts";
import { jsonRows } from "../json-rows.ts";
import { type AskedAvatar, type Avatar, askForAvatars, type HasAvatars } from "./avatars.ts";

/** A message of a person who has no picture yet waits at most this long for their picture (the interface: known within two seconds). */
const WAIT_MS = 2_000;
/** Another node requested the picture and reports the first message; messages that arrived here later follow it. */
const AFTER_OTHER_MS = 500;
const POLL_MS = 200;

/** What is known about a chat's picture; without a file it was never requested. */
interface Found {
  readonly chat: string;
  readonly file: string;
  readonly state: "waiting" | "stored" | "failed";
  readonly has_failed: boolean;
  readonly is_heard: boolean;
}

const FIND = sql(
  "first_pictures_find",
  `select i.chat, f.id as file, f.state, f.failure is not null as has_failed,
     (select c.last_inbound_at from chats c where c.account_id = any(array[i.account_id]) and c.id = i.chat) is not null as is_heard
   from json_to_recordset($1::json) as i(account_id bigint, chat uuid)
   cross join lateral (
     select id, state, failure from files
     where account_id = i.account_id and avatar_of = i.chat order by created_at desc limit 1) f`,
);

// If the picture arrives between the end of the wait and the storing of the first message, it is not yet linked to
// the chat.
const ADOPT = sql(
  "first_picture_adopt",
  `update chats c set avatar_file_id = f.id from files f
   where c.account_id = $1 and c.id = $2 and c.avatar_file_id is null
     and f.account_id = $1 and f.avatar_of = $2 and f.state = 'stored'`,
);

interface Waiter {
  readonly avatar: Avatar;
  readonly hasAsked: boolean;
  readonly until: number;
  done(file: string | null): void;
}

/**
 * Requests the pictures of chats that show none, and waits for them. One statement checks all waiting chats, whenever a file is
 * stored on any node and several times a second.
 */
export class FirstPictures {
  readonly #core: () => Base & HasAvatars;
  readonly #waiters = new Set<Waiter>();
  readonly #closing = new AbortController();
  #isPolling = false;
  /** Null: the picture is not requested now. */
  readonly #asks = createBatcher<Avatar, AskedAvatar | null>({
    maxItems: 256,
    maxConcurrent: 1,
    run: async (avatars) => {
      const asked = new Map((await askForAvatars(this.#core(), avatars)).map((each) => [each.chat, each]));
      return avatars.map(({ chat }) => asked.get(chat) ?? null);
    },
  });

  constructor(core: () => Base & HasAvatars) {
    this.#core = core;
  }

  /**
   * The stored file of the picture; null if there is none, or not in time. Waits only for a picture that is requested
   * now and replaces none, and with a person's first message also for one that another node requested. Never rejects.
   */
  async find(avatar: Avatar, isFirst: boolean): Promise<string | null> {
    try {
      const asked = await this.#asks.add(avatar);
      if (asked === null ? !isFirst : asked.isShown) return null;
      return await this.#wait(avatar, asked !== null);
    } catch (error) {
      this.#core().log.debug({ err: error }, "a picture could not be requested");
      return null;
    }
  }

  /** Call after a message that waited in vain is stored. Never rejects. */
  async adopt({ accountId, chat }: Avatar): Promise<void> {
    await this.#core()
      .db.query(ADOPT, [accountId, chat])
      .catch((error: unknown) => this.#core().log.debug({ err: error }, "a picture could not be shown"));
  }

  /** Ends all waits. */
  close(): void {
    this.#closing.abort();
  }

  #wait(avatar: Avatar, hasAsked: boolean): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const until = performance.now() + WAIT_MS + (hasAsked ? 0 : AFTER_OTHER_MS);
    const waiter: Waiter = {
      avatar,
      hasAsked,
      until,
      done: (file) => {
        this.#waiters.delete(waiter);
        resolve(file);
      },
    };
    this.#waiters.add(waiter);
    if (!this.#isPolling) void this.#poll();
    return promise;
  }

  /** Never rejects. */
  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiters.size > 0) {
      const next = this.#nextNotification();
      const found = await this.#readFiles();
      const now = performance.now();
      for (const waiter of [...this.#waiters]) {
        const file = verdict(waiter, found.get(waiter.avatar.chat));
        if (file !== undefined) waiter.done(file);
        else if (now >= waiter.until || this.#closing.signal.aborted) waiter.done(null);
      }
      await next(this.#waiters.size > 0);
    }
    this.#isPolling = false;
  }

  async #readFiles(): Promise<ReadonlyMap<string, Found>> {
    const chats = [...this.#waiters].map(({ avatar }) => ({
      account_id: avatar.accountId,
      chat: avatar.chat,
    }));
    try {
      const rows = await this.#core().db.query<Found>(FIND, [jsonRows(chats)]);
      return new Map(rows.map((row) => [row.chat, row]));
    } catch {
      return new Map();
    }
  }

  /** Listens from now on. The result waits for a notification, unless no one waits any more. */
  #nextNotification(): (isWaiting: boolean) => Promise<void> {
    const notified = new AbortController();
    const off = this.#core().signals.on("files", () => notified.abort());
    return async (isWaiting) => {
      const signal = AbortSignal.any([notified.signal, this.#closing.signal]);
      if (isWaiting) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
      off();
    };
  }
}

/** The file to show, null for none, undefined to keep waiting. Pure. */
function verdict({ hasAsked }: Waiter, found: Found | undefined): string | null | undefined {
  if (found === undefined || found.state === "failed" || found.has_failed) return null;
  if (hasAsked) return found.state === "stored" ? found.file : undefined;
  // The first message is reported by the node that requested the picture.
  return found.is_heard ? null : undefined;
}
