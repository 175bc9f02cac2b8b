import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelLink } from "../../../core/transport/connector.ts";
import type { InboundMessage, TransportEvent } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { objectIn, required, Unreadable } from "../../kit/json.ts";
import { fromMessage, type InboundContext, personIn, removed } from "../inbound.ts";
import type { Push } from "../line/client.ts";
import type { SentLog } from "../outbound/sent-log.ts";
import type { Ask, People } from "../people/people.ts";
import { OP } from "../wire/opcodes.ts";
import { type Marker, OVERLAP_MS } from "./marker.ts";
import { reactionsTo, readReactionPush } from "./reactions.ts";
import { unknownIn } from "./unknown.ts";
import {
  type MaxMessage,
  readChatChanged,
  readContactChanged,
  readMark,
  readMessage,
  readNewMessage,
  readRemoved,
} from "./update.ts";

const STORE_AGAIN_MS = 1_000;
const HANDLED: ReadonlySet<number> = new Set([
  OP.newMessage,
  OP.messagesRemoved,
  OP.readMark,
  OP.contactChanged,
  OP.chatChanged,
  OP.reactions,
  OP.reacted,
]);

/** Pushes that say nothing of messages: typing, presence, settings, drafts and folders of the owner. */
const IGNORED: ReadonlySet<number> = new Set([
  ...[OP.typing, OP.typed, OP.presence, OP.config, OP.contactsSorted, OP.assets, OP.draft, OP.draftDiscarded],
  ...[OP.profile, OP.folders],
]);

/**
 * Whether a receiver takes the push, as opposed to ignoring it. An unreadable push becomes a dead letter; an unknown one
 * is reported as unknown.
 */
export function isHandled({ opcode, raw }: Push): boolean {
  return raw !== undefined || !IGNORED.has(opcode);
}

export interface ReceiverParts {
  readonly link: Pick<ChannelLink, "emit" | "deadLetter" | "reportUnknown" | "log">;
  readonly people: People;
  readonly ask: Ask;
  readonly sent: SentLog;
  readonly marker: Marker;
  readonly signal: AbortSignal;
}

/** Emits MAX's pushes, retrying each until it is stored. Throws only when the channel ends. */
export class Receiver {
  readonly #parts: ReceiverParts;
  /** When MAX last did not tell who reacted, by `performance.now()`. */
  #reactionsFailedAt: number | undefined;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  /** Handles one push; resolves when it is stored. */
  async take({ opcode, payload, raw }: Push): Promise<void> {
    const { marker } = this.#parts;
    if (raw !== undefined) return this.#keep({ opcode, raw }, "the payload cannot be read");
    if (!HANDLED.has(opcode)) return this.#reportUnknown(`push.${opcode}`, payload);
    const read = () => this.#eventsOf(opcode, payload);
    await this.#emitAll(read, { opcode, payload });
    const time = opcode === OP.newMessage ? readNewMessage(payload)?.message?.time : undefined;
    if (time !== undefined) await this.#retryUntilStored(() => marker.advance(time, { now: false }));
  }

  /** Emits messages of one chat, oldest first; resolves when all are stored. */
  async takeHistory(chatId: string, messages: readonly unknown[]): Promise<void> {
    // The events of a chat are stored in the order of the calls.
    const stored: Promise<void>[] = [];
    for (const raw of messages) {
      const payload = { chatId, message: raw };
      const events = await this.#readSafely(() => this.#eventsOf(OP.newMessage, payload), {
        opcode: OP.newMessage,
        payload,
      });
      stored.push(...events.map((event) => this.#emit(event)));
    }
    await Promise.all(stored);
  }

  /** A message of the history and its further files; nothing for what is no message. Throws `Unreadable`. */
  async fromHistory(chatId: string, raw: unknown): Promise<readonly InboundMessage[]> {
    const { people } = this.#parts;
    const { message } = readNewMessage({ chatId, message: raw }) ?? {};
    const news = required(message, "message");
    await people.fetchUnknown(chatId, news);
    // An edited message is imported with its present content.
    const events = fromMessage(chatId, news, { ...this.#context(), isMissed: () => true });
    return events.flatMap((event) => (event.kind === "message" ? [event.message] : []));
  }

  /** Parses a dead letter again and emits its events. Throws if it is still unreadable. */
  async reprocess(letter: unknown): Promise<void> {
    const { opcode, payload } = (letter ?? {}) as { readonly opcode?: unknown; readonly payload?: unknown };
    if (typeof opcode !== "number") throw new Unreadable("this is not a MAX frame");
    for (const event of await this.#eventsOf(opcode, payload)) await this.#parts.link.emit(event);
  }

  async emit(event: TransportEvent): Promise<void> {
    await this.#emit(event);
  }

  async #eventsOf(opcode: number, payload: unknown): Promise<readonly TransportEvent[]> {
    switch (opcode) {
      case OP.newMessage:
        return this.#fromNews(payload);
      case OP.messagesRemoved:
        return this.#fromRemoved(payload);
      case OP.readMark:
        return this.#fromMark(payload);
      case OP.contactChanged:
        return this.#fromContact(payload);
      case OP.chatChanged:
        return this.#fromChat(payload);
      case OP.reactions:
      case OP.reacted:
        return this.#fromReaction(opcode, payload);
      default:
        return [];
    }
  }

  async #fromNews(payload: unknown): Promise<readonly TransportEvent[]> {
    const { people, sent } = this.#parts;
    const { chatId, message } = readNewMessage(payload) ?? {};
    const chat = required(chatId, "chat id");
    const news = required(message, "message");
    await people.fetchUnknown(chat, news);
    const isOwn = news.sender === people.self && news.cid !== undefined;
    if (isOwn) await this.#retryUntilStored(() => sent.messageOf(news.cid ?? ""));
    const events = fromMessage(chat, news, this.#context());
    if (people.chatTypeOf(chat) !== null) await this.#reportUnknowns(news, payload);
    for (const event of events)
      if (event.kind === "group" && event.title !== undefined) people.learnTitle(chat, event.title);
    return events;
  }

  async #reportUnknowns(news: MaxMessage, payload: unknown): Promise<void> {
    for (const kind of unknownIn(news, objectIn(payload, "message")))
      await this.#reportUnknown(kind, payload);
  }

  #reportUnknown(kind: string, sample: unknown): Promise<void> {
    return this.#retryUntilStored(() => this.#parts.link.reportUnknown(kind, sample));
  }

  #context(): InboundContext {
    const { people, sent, marker } = this.#parts;
    return {
      self: people.self,
      now: new Date(),
      chatTypeOf: people.chatTypeOf,
      titleOf: people.titleOf,
      personOf: people.personOf,
      sentAs: (cid) => sent.recent(cid),
      isOwnEdit: (messageId, text) => sent.isOwnEdit(messageId, text),
      isMissed: ({ time }: MaxMessage) =>
        marker.time > 0 && (time === undefined || time > Math.max(marker.time - OVERLAP_MS, marker.linkedAt)),
      isSinceLink: ({ time }: MaxMessage) =>
        time === undefined || marker.linkedAt === 0 || time > marker.linkedAt,
    };
  }

  #fromRemoved(payload: unknown): readonly TransportEvent[] {
    const { chatId, messageIds, messageId } = readRemoved(payload) ?? {};
    const chat = required(chatId, "chat id");
    const chatType = this.#parts.people.chatTypeOf(chat);
    const ids = required(messageIds ?? (messageId === undefined ? undefined : [messageId]), "message id");
    if (chatType === null) return [];
    return ids.flatMap((externalId) => removed({ chatType, chatId: chat, externalId }, new Date()));
  }

  /** The other person has read up to a time. The owner's own read position is ignored. */
  #fromMark(payload: unknown): readonly TransportEvent[] {
    const { chatId, userId, mark } = readMark(payload) ?? {};
    const { people } = this.#parts;
    const chat = required(chatId, "chat id");
    const upTo = dateFromUnix(required(mark, "mark"));
    const chatType = people.chatTypeOf(chat);
    if (userId === undefined || userId === people.self || chatType === null) return [];
    return [{ kind: "readUpTo", chatType, chatId: chat, upTo: { sentAt: upTo }, at: new Date() }];
  }

  /** A person's current name and picture; reported with their next message. */
  #fromContact(payload: unknown): readonly TransportEvent[] {
    this.#parts.people.learnContact(required(readContactChanged(payload)?.contact, "contact"));
    return [];
  }

  /** A group's current state: its title counts as changed if another title is stored. */
  #fromChat(payload: unknown): readonly TransportEvent[] {
    const { chat } = readChatChanged(payload) ?? {};
    const chatId = required(chat?.id, "chat id");
    const { people } = this.#parts;
    people.learnChat(chat ?? {});
    const chatType = people.chatTypeOf(chatId);
    if (chatType !== "maxgroup" || chat?.title === undefined) return [];
    const ref = { chatType, chatId, externalId: "title" };
    return [{ kind: "group", ref, at: new Date(), title: chat.title, isSeen: true }];
  }

  /** If MAX does not tell who reacted, the reaction is skipped: messages behind it must not wait. */
  async #fromReaction(opcode: number, payload: unknown): Promise<readonly TransportEvent[]> {
    const { people, ask, link } = this.#parts;
    const { chatId, messageId } = readReactionPush(payload) ?? {};
    const chat = required(chatId, "chat id");
    const externalId = required(messageId, "message id");
    const chatType = people.chatTypeOf(chat);
    if (chatType === null || isRecent(this.#reactionsFailedAt)) return [];
    const whoIs = (userId: string) => personIn(userId, this.#context());
    try {
      const ref = { chatType, chatId: chat, externalId };
      return await reactionsTo(ref, opcode, { ask, self: people.self, now: new Date(), whoIs });
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      this.#reactionsFailedAt = performance.now();
      link.log("info", "MAX: it is not known who reacted", { error: String(error) });
      return [];
    }
  }

  async #emitAll(read: () => Promise<readonly TransportEvent[]>, letter: object): Promise<void> {
    const events = await this.#readSafely(read, letter);
    await Promise.all(events.map((event) => this.#emit(event)));
  }

  /** An unreadable item must not block those behind it. */
  async #readSafely(
    read: () => Promise<readonly TransportEvent[]>,
    letter: object,
  ): Promise<readonly TransportEvent[]> {
    try {
      return await read();
    } catch (error) {
      if (this.#parts.signal.aborted) throw error;
      await this.#keep(letter, error instanceof Error ? error.message : String(error));
      return [];
    }
  }

  #keep(letter: object, reason: string): Promise<void> {
    return this.#retryUntilStored(() => this.#parts.link.deadLetter(letter, reason));
  }

  #emit(event: TransportEvent): Promise<void> {
    return this.#retryUntilStored(() => this.#parts.link.emit(event));
  }

  /** Retries until the event is stored or the channel closes, because MAX repeats nothing by itself. */
  async #retryUntilStored<T>(work: () => Promise<T>): Promise<T> {
    const { signal, link } = this.#parts;
    for (let tries = 0; ; tries++) {
      try {
        signal.throwIfAborted();
        return await work();
      } catch (error) {
        if (signal.aborted) throw error;
        if (tries === 0)
          link.log("warn", "MAX: received events cannot be stored yet", { error: String(error) });
        await sleep(STORE_AGAIN_MS, undefined, { signal });
      }
    }
  }
}

/** After a refusal, reactions are not requested for this long. */
const REACTIONS_PAUSE_MS = 60_000;

function isRecent(at: number | undefined): boolean {
  return at !== undefined && performance.now() - at < REACTIONS_PAUSE_MS;
}

interface HistoryPlace {
  readonly id: string;
  readonly time: number;
  /** Whether the message was edited or deleted. */
  readonly isChanged: boolean;
}

/** Where a message belongs in its chat; undefined if its id or time is missing. */
export function placeInHistory(raw: unknown): HistoryPlace | undefined {
  const { id, time, status } = readMessage(raw) ?? {};
  const isChanged = status === "EDITED" || status === "REMOVED";
  return id === undefined || time === undefined ? undefined : { id, time, isChanged };
}
