import type { tl } from "@mtcute/core";
import type { ChannelLink } from "../../../core/transport/connector.ts";
import type { InboundMessage, TransportEvent } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { objectIn, Unreadable } from "../../kit/json.ts";
import { settleAll } from "../../kit/settle-all.ts";
import { type InboundContext, type Letter, namedIn, placeOf, toEvents, unplacedIn } from "../inbound.ts";
import { type Plain, toPlain } from "../library/plain.ts";
import type { Sends } from "../outbound/sends.ts";
import { chatTypeOf } from "../people/names.ts";
import type { PeerBook } from "../people/peer-book.ts";
import type { Places } from "./places.ts";
import { IGNORED_UPDATES, unknownIn } from "./unknown.ts";
import { chatIdOf, readUpdate, soundId, type TgMessage } from "./update.ts";

/** The number of updates stored together. */
const BATCH = 100;
const STORE_AGAIN_MS = 1_000;

export interface ReceiverParts {
  readonly link: Pick<ChannelLink, "emit" | "deadLetter" | "reportUnknown" | "log">;
  readonly book: Pick<PeerBook, "who">;
  readonly places: Places;
  readonly sends: Sends;
  readonly selfId: string;
  readonly signal: AbortSignal;
  pause(ms: number): Promise<void>;
}

/** Kinds that the connector does not know. */
interface Unknown {
  readonly kinds: readonly string[];
  readonly sample: unknown;
}

/** The result of mapping one update: its events, or a dead letter with the reason. */
type Outcome =
  | { readonly events: readonly TransportEvent[]; readonly unknown?: Unknown }
  | { readonly letter: unknown; readonly reason: string };

/** Handles updates in order and passes them to core in batches, retrying each until it is stored. */
export class Receiver {
  readonly #parts: ReceiverParts;
  #queue: unknown[] = [];
  #working: Promise<void> | null = null;
  /** The newest inbound message of each chat, to be marked as read with the reply. */
  readonly #unread = new Map<string, number>();

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  take(update: tl.TypeUpdate | { readonly _: string }): void {
    if (IGNORED_UPDATES.has(update._)) return;
    this.#queue.push(update);
    this.#working ??= this.#work();
    this.#working.catch(() => undefined);
  }

  /** Resolves when everything received so far is stored; rejects if the session ends first. */
  async settled(): Promise<void> {
    while (this.#working !== null) await this.#working;
    this.#parts.signal.throwIfAborted();
  }

  /** The newest unread message of a chat; returned once. */
  takeUnread(chatId: string): number | undefined {
    const id = this.#unread.get(chatId);
    this.#unread.delete(chatId);
    return id;
  }

  /** Parses a dead letter again; keeps it if it is still unreadable. */
  async reprocess(letter: unknown): Promise<void> {
    await deliverLetter(this.#parts.link, letter, this.#context());
  }

  async #work(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const batch = this.#queue.splice(0, BATCH);
        // Repeating is harmless, and keeps the order if one update could not be stored.
        await this.#untilStored(async () => {
          const outcomes: Outcome[] = [];
          for (const update of batch) outcomes.push(await this.#read(toPlain(update)));
          await this.#store(outcomes);
          await this.#parts.places.flush();
        });
      }
    } finally {
      // Not in a later step: an update taken in between would wait for the next one.
      this.#working = null;
    }
  }

  async #untilStored(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const { link, pause, signal } = this.#parts;
        signal.throwIfAborted();
        link.log("warn", "Telegram: received updates cannot be stored yet", { error: String(error) });
        await pause(STORE_AGAIN_MS);
      }
    }
  }

  async #store(outcomes: readonly Outcome[]): Promise<void> {
    const stored = outcomes.flatMap((outcome) => storeOutcome(this.#parts.link, outcome));
    await settleAll(stored);
  }

  /** A message of the history, and its further files; nothing for what is no message of a chat. */
  async fromHistory(message: tl.TypeMessage): Promise<readonly InboundMessage[]> {
    const update = toPlain({ _: "updateNewMessage", message, pts: 0, ptsCount: 0 });
    const letter = await this.#letterOf(update);
    const outcome = readLetter(letter, this.#context());
    if ("reason" in outcome) {
      this.#parts.link.log("warn", "Telegram: a message of the history could not be parsed", {
        reason: outcome.reason,
      });
      return [];
    }
    const messages = outcome.events.flatMap((event) => (event.kind === "message" ? [event.message] : []));
    await this.#noteOld(readUpdate(update)?.message, messages);
    return messages;
  }

  /** Deletions in private chats and small groups do not name the chat. */
  async #noteOld(message: TgMessage | undefined, { length }: readonly InboundMessage[]): Promise<void> {
    const chatId = chatIdOf(message?.peerId);
    const id = Number(soundId(message?.id));
    const isInSupergroup = message?.peerId?.channelId !== undefined;
    if (length === 0 || chatId === undefined || isInSupergroup || !Number.isSafeInteger(id)) return;
    await this.#parts.places.noteOld(id, placeOf(chatId, length));
  }

  async #letterOf(update: Plain): Promise<Letter> {
    const { book, places } = this.#parts;
    const known: Plain[] = [];
    for (const id of namedIn(update)) {
      const who = await book.who(id);
      if (who !== undefined) known.push(who as Plain);
    }
    const unplaced = unplacedIn(update);
    return {
      update,
      known,
      ...(unplaced.ids.length > 0 && { places: await places.find(unplaced.ids, unplaced.channelId) }),
    };
  }

  async #read(update: Plain): Promise<Outcome> {
    const { _: kind = "", message } = readUpdate(update) ?? {};
    // People's names are not needed for it.
    if (kind.endsWith("UserTyping")) return readLetter({ update, known: [] }, this.#context());
    const isEdit = kind.startsWith("updateEdit");
    const letter = await this.#letterOf(update);
    const own = message && (await this.#readOwn(message, isEdit));
    if (own !== undefined) return { events: own };
    const outcome = readLetter(letter, this.#context());
    if (message !== undefined && "events" in outcome && outcome.events.length > 0)
      await this.#note(message, outcome.events.length);
    return outcome;
  }

  /** Messages that this session sent are not echoes. Telegram may report them before it responds to the send. */
  async #readOwn(message: TgMessage, isEdit: boolean): Promise<readonly TransportEvent[] | undefined> {
    const { sends } = this.#parts;
    const own = sends.claim(message);
    const chatId = chatIdOf(message.peerId);
    const externalId = soundId(message.id);
    if (own === undefined || chatId === undefined || externalId === undefined) return undefined;
    await this.#note(message);
    if (!own.isNew) return isEdit ? undefined : [];
    const at = dateFromUnix(message.date);
    await sends.finish(own.id, externalId, at);
    const ref = { chatType: chatTypeOf(chatId), chatId, externalId, messageId: own.id };
    return [{ kind: "receipt", ref, status: "sent", at }];
  }

  async #note(message: TgMessage, parts = 1): Promise<void> {
    const chatId = chatIdOf(message.peerId);
    const id = Number(soundId(message.id));
    if (chatId === undefined || !Number.isSafeInteger(id)) return;
    if (message.out !== true) this.#unread.set(chatId, id);
    const { places } = this.#parts;
    // Supergroups have their own message ids, and name the chat in deletions.
    const channelId = soundId(message.peerId?.channelId);
    if (channelId === undefined) return places.note(id, placeOf(chatId, parts));
    await places.noteOf(Number(channelId), id);
    if (parts > 1) await places.note(id, placeOf(chatId, parts), Number(channelId));
  }

  #context(): InboundContext {
    return { selfId: this.#parts.selfId, now: new Date() };
  }
}

function readLetter(letter: unknown, context: InboundContext): Outcome {
  try {
    const events = toEvents(letter, context);
    const unknown = unknownIn(letter);
    return unknown.length === 0
      ? { events }
      : { events, unknown: { kinds: unknown, sample: objectIn(letter, "update") } };
  } catch (error) {
    if (error instanceof Unreadable) return { letter, reason: error.message };
    throw error;
  }
}

type Store = Pick<ChannelLink, "emit" | "deadLetter" | "reportUnknown">;

function storeOutcome(link: Store, outcome: Outcome): Promise<void>[] {
  if (!("events" in outcome)) return [link.deadLetter(outcome.letter, outcome.reason)];
  const { events, unknown } = outcome;
  return [
    ...events.map((event) => link.emit(event)),
    ...(unknown?.kinds ?? []).map((kind) => link.reportUnknown(kind, unknown?.sample)),
  ];
}

/** Emits the events of one update, or stores it as a dead letter; resolves when it is stored. */
export async function deliverLetter(link: Store, letter: unknown, context: InboundContext): Promise<void> {
  await settleAll(storeOutcome(link, readLetter(letter, context)));
}
