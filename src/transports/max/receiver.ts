import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelLink } from "../../core/transport/connector.ts";
import type { TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign-date.ts";
import { needed, Unreadable } from "../kit/json.ts";
import type { Push } from "./client.ts";
import { fromMessage, type InboundContext, removed } from "./inbound.ts";
import { type Marker, OVERLAP_MS } from "./marker.ts";
import type { People } from "./people.ts";
import type { SentLog } from "./sent-log.ts";
import { type MaxMessage, readChatChanged, readMark, readMessage, readNews, readRemoved } from "./update.ts";
import { OP } from "./wire/opcodes.ts";

const STORE_AGAIN_MS = 1_000;

export interface ReceiverParts {
  readonly link: Pick<ChannelLink, "emit" | "deadLetter" | "log">;
  readonly people: People;
  readonly sent: SentLog;
  readonly marker: Marker;
  readonly signal: AbortSignal;
}

/** Hands on what MAX tells; each thing until it is stored. Nothing of it throws but for the end of the channel. */
export class Receiver {
  readonly #parts: ReceiverParts;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  /** One push; resolves when it is stored. Kinds that are of no use here tell nothing. */
  async take({ opcode, payload, raw }: Push): Promise<void> {
    const { marker } = this.#parts;
    if (raw !== undefined) return this.#keep({ opcode, raw }, "the payload cannot be read");
    const read = () => this.#eventsOf(opcode, payload);
    await this.#tell(read, { opcode, payload });
    const time = opcode === OP.newMessage ? readNews(payload)?.message?.time : undefined;
    if (time !== undefined) await this.#patiently(() => marker.advance(time, { now: false }));
  }

  /** Messages of one chat, the oldest first; resolves when all are stored. */
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

  /** Reads a dead letter once more. Throws where it can tell no more than before. */
  async readAgain(letter: unknown): Promise<void> {
    const { opcode, payload } = (letter ?? {}) as { readonly opcode?: unknown; readonly payload?: unknown };
    if (typeof opcode !== "number") throw new Unreadable("this is no frame of MAX");
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
      case OP.chatChanged:
        return this.#fromChat(payload);
      default:
        return [];
    }
  }

  async #fromNews(payload: unknown): Promise<readonly TransportEvent[]> {
    const { people, sent } = this.#parts;
    const { chatId, message } = readNews(payload) ?? {};
    const chat = needed(chatId, "chat id");
    const news = needed(message, "message");
    await people.meet(chat, news);
    const isOwn = news.sender === people.self && news.cid !== undefined;
    if (isOwn) await this.#patiently(() => sent.messageOf(news.cid ?? ""));
    const events = fromMessage(chat, news, this.#context());
    for (const event of events)
      if (event.kind === "group" && event.title !== undefined) people.learnTitle(chat, event.title);
    return events;
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
        marker.time > 0 && (time === undefined || time > marker.time - OVERLAP_MS),
    };
  }

  #fromRemoved(payload: unknown): readonly TransportEvent[] {
    const { chatId, messageIds, messageId } = readRemoved(payload) ?? {};
    const chat = needed(chatId, "chat id");
    const chatType = this.#parts.people.chatTypeOf(chat);
    const ids = needed(messageIds ?? (messageId === undefined ? undefined : [messageId]), "message id");
    if (chatType === null) return [];
    return ids.flatMap((externalId) => removed({ chatType, chatId: chat, externalId }, new Date()));
  }

  /** The other person read up to a time; what the account's owner reads on the phone is no news. */
  #fromMark(payload: unknown): readonly TransportEvent[] {
    const { chatId, userId, mark } = readMark(payload) ?? {};
    const { people } = this.#parts;
    const chat = needed(chatId, "chat id");
    const upTo = dateFromUnix(needed(mark, "mark"));
    const chatType = people.chatTypeOf(chat);
    if (userId === undefined || userId === people.self || chatType === null) return [];
    return [{ kind: "readUpTo", chatType, chatId: chat, upTo: { sentAt: upTo }, at: new Date() }];
  }

  /** A look at the group: its name is news where it was known by another one. */
  #fromChat(payload: unknown): readonly TransportEvent[] {
    const { chat } = readChatChanged(payload) ?? {};
    const chatId = needed(chat?.id, "chat id");
    const { people } = this.#parts;
    people.learnChat(chat ?? {});
    const chatType = people.chatTypeOf(chatId);
    if (chatType !== "maxgroup" || chat?.title === undefined) return [];
    const ref = { chatType, chatId, externalId: "title" };
    return [{ kind: "group", ref, at: new Date(), title: chat.title, isSeen: true }];
  }

  async #tell(read: () => Promise<readonly TransportEvent[]>, letter: object): Promise<void> {
    const events = await this.#readSafely(read, letter);
    await Promise.all(events.map((event) => this.#emit(event)));
  }

  /** One thing that cannot be read must not hold up those behind it. */
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
    return this.#patiently(() => this.#parts.link.deadLetter(letter, reason));
  }

  #emit(event: TransportEvent): Promise<void> {
    return this.#patiently(() => this.#parts.link.emit(event));
  }

  /** Until it is stored, or the channel closes: MAX repeats nothing by itself. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const { signal, link } = this.#parts;
    for (let tries = 0; ; tries++) {
      try {
        signal.throwIfAborted();
        return await work();
      } catch (error) {
        if (signal.aborted) throw error;
        if (tries === 0) link.log("warn", "MAX: what came cannot be stored yet", { error: String(error) });
        await sleep(STORE_AGAIN_MS, undefined, { signal });
      }
    }
  }
}

/** A message of a history that can be put in order; undefined for what cannot. */
export function placeInHistory(raw: unknown): { readonly id: string; readonly time: number } | undefined {
  const { id, time } = readMessage(raw) ?? {};
  return id === undefined || time === undefined ? undefined : { id, time };
}
