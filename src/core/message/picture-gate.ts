import type { Base } from "../base.ts";
import { Cache } from "../cache.ts";
import type { Avatar, HasAvatars } from "../chat/avatars.ts";
import type { HasChats } from "../chat/chats.ts";
import { resolveChat } from "../chat/chats.ts";
import type { FirstPictures } from "../chat/first-pictures.ts";
import { chatOf, type Report } from "./report.ts";

/**
 * Limits of waiting messages; beyond them, messages do not wait. Pictures are fetched a few at a time, so
 * many would wait in vain.
 */
const MAX_WAITING = { ofNode: 512, ofAccount: 64 };
const REMEMBERED = { maxEntries: 50_000, ttlMs: 3_600_000 };

/**
 * Delays a person's first message, and the first one after a picture has appeared, until the picture is there or two
 * seconds have passed; later reports of the same chat follow. Other chats are not delayed. Nothing is acknowledged to the messenger meanwhile.
 */
export class PictureGate {
  readonly #core: () => Base & HasAvatars & HasChats;
  readonly #pictures: FirstPictures;
  /** By chat: what its next report has to wait for. */
  readonly #last = new Map<string, Promise<void>>();
  /** Number of delayed reports, by account and by channel. */
  readonly #held = new Map<number | string, number>();
  readonly #known = new Cache<string, true>(REMEMBERED);

  constructor(core: () => Base & HasAvatars & HasChats, pictures: FirstPictures) {
    this.#core = core;
    this.#pictures = pictures;
  }

  /** Calls `store` at once, or in the chat's order after the wait, and settles with its result. */
  pass(report: Report, store: (report: Report) => Promise<void>): Promise<void> {
    const keys = keysOf(report);
    const earlier = keys.flatMap((key) => this.#last.get(key) ?? []);
    const waits = this.#mayWait(report, keys);
    if (earlier.length === 0 && !waits) return store(report);
    this.#count(report, 1);
    const handedOver = Promise.all(earlier)
      .then(() => (waits ? this.#withPicture(report) : null))
      // Wrapped in an object, so that the next report does not wait until this one is stored.
      .then((found) => {
        this.#count(report, -1);
        return { stored: found === null ? store(report) : this.#storeWith(found, report, store) };
      });
    this.#follow(
      keys,
      handedOver.then(({ stored }) => void stored.catch(() => undefined)),
    );
    return handedOver.then(({ stored }) => stored);
  }

  /** Numbers of delayed reports, of an account and of one of its channels. */
  waitingOf({ accountId, channelId }: Pick<Report, "accountId" | "channelId">): {
    readonly account: number;
    readonly channel: number;
  } {
    return { account: this.#held.get(accountId) ?? 0, channel: this.#held.get(channelId) ?? 0 };
  }

  #count({ accountId, channelId }: Report, by: 1 | -1): void {
    for (const key of [accountId, channelId]) {
      const count = (this.#held.get(key) ?? 0) + by;
      if (count === 0) this.#held.delete(key);
      else this.#held.set(key, count);
    }
  }

  /** Synchronous, so that reports keep their order. */
  #mayWait({ accountId, event }: Report, [key = ""]: readonly string[]): boolean {
    if (event.kind !== "message" || event.message.direction !== "in") return false;
    const { contact, formerChatId } = event.message;
    if (contact.avatar === undefined || formerChatId !== undefined) return false;
    if (this.#known.get(key) === true) return false;
    const isCrowded = (this.#held.get(accountId) ?? 0) >= MAX_WAITING.ofAccount;
    if (isCrowded || this.#last.size >= MAX_WAITING.ofNode) return false;
    this.#known.set(key, true);
    return true;
  }

  /** Null if the report has no picture that its chat could lack. Never rejects. */
  async #withPicture(report: Report): Promise<WithPicture | null> {
    const core = this.#core();
    const found = await avatarOf(core, report).catch(() => null);
    if (found === null || core.caches.avatars.get(found.avatar.chat) === true) return null;
    return { avatar: found.avatar, file: await this.#pictures.find(found.avatar, found.isFirst) };
  }

  async #storeWith(
    { avatar, file }: WithPicture,
    report: Report,
    store: (report: Report) => Promise<void>,
  ): Promise<void> {
    if (file !== null) return store({ ...report, pictureId: file });
    await store(report);
    void this.#pictures.adopt(avatar);
  }

  #follow(keys: readonly string[], turn: Promise<void>): void {
    for (const key of keys) this.#last.set(key, turn);
    void turn.then(() => {
      for (const key of keys) if (this.#last.get(key) === turn) this.#last.delete(key);
    });
  }
}

interface WithPicture {
  readonly avatar: Avatar;
  readonly file: string | null;
}

async function avatarOf(
  core: Base & HasChats,
  { accountId, channelId, event }: Report,
): Promise<{ readonly avatar: Avatar; readonly isFirst: boolean } | null> {
  const file = event.kind === "message" ? event.message.contact.avatar : undefined;
  if (file === undefined) return null;
  const chat = await resolveChat(core, { accountId, channelId, ...chatOf(event) });
  // A message under a former name may be of another chat.
  if (chat.isFormerName === true) return null;
  const isFirst = chat.isNew || chat.isUnheard === true;
  return { avatar: { accountId, channelId, chat: chat.id, file }, isFirst };
}

/** All reports of a chat keep their order. A chat that moves has two keys. */
function keysOf({ channelId, event }: Report): string[] {
  const { chatType, chatId } = chatOf(event);
  const former = event.kind === "message" ? event.message.formerChatId : undefined;
  const other = event.kind === "moved" ? event.newChatId : former;
  return [chatId, ...(other === undefined ? [] : [other])].map((id) => `${channelId} ${chatType} ${id}`);
}
