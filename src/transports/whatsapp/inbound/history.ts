import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { inflate } from "node:zlib";
import type { WAMessage } from "baileys";
import type { VaultEntry } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import { HISTORY_BATCH, type HistoryMessage } from "../../../core/transport/events.ts";
import { text } from "../../../platform/foreign/foreign-json.ts";
import { retryingVault } from "../../kit/retrying-vault.ts";
import type { Timing } from "../connection.ts";
import { proto } from "../library.ts";
import type { WhatsAppLink } from "../link.ts";
import {
  type Asked,
  askedNow,
  EARLIER,
  type EarlierPlace,
  nextRequest,
  placeAfter,
  placeEntry,
  placesAfterAnswer,
  placesIn,
  type Seen,
  seenIn,
} from "./earlier-history.ts";

/** The kept notifications of parts of the history, by message id. */
const PARTS = "history";
/**
 * How many messages of a part are imported, by its id; "last": when the last part that the phone pushed was finished,
 * and its progress; "asked": the latest request for earlier messages.
 */
const PLACES = "history at";
const LAST = "last";
const ASKED = "asked";
/** Beyond this an unpacked part is refused. */
const MAX_PART_BYTES = 256 * 1024 * 1024;
const MAX_PACKED_BYTES = 128 * 1024 * 1024;
const DOWNLOAD_LIMIT_MS = 10 * 60_000;
const AGAIN_MS = 30_000;
const unpack = promisify(inflate);

const { INITIAL_BOOTSTRAP, RECENT, FULL, ON_DEMAND } = proto.HistorySync.HistorySyncType;
/** Parts with messages of conversations, in the order in which phones send them. */
const KINDS: readonly number[] = [INITIAL_BOOTSTRAP, RECENT, FULL, ON_DEMAND];

/** What a part of the history tells of its chats. */
export interface HistoryChats {
  readonly names: readonly { readonly jid: string; readonly name: string }[];
  /** Numbers of hidden ids, both as JIDs. */
  readonly numbers: readonly { readonly lid: string; readonly pn: string }[];
}

export interface HistoryParts {
  readonly link: WhatsAppLink;
  readonly timing: Pick<Timing, "historyQuietMs" | "historyStalledMs" | "historyAskMs" | "historyAnswerMs">;
  readonly signal: AbortSignal;
  /** The packed bytes of a part that is not in its notification. */
  open(
    part: { readonly directPath: string; readonly mediaKey: Uint8Array },
    signal: AbortSignal,
  ): Promise<Readable>;
  read(message: WAMessage): Promise<readonly HistoryMessage[]>;
  learn(chats: HistoryChats): Promise<void>;
  /** Requests the messages before this one from the phone, which answers with a part of type ON_DEMAND, or never. */
  ask(jid: string, place: EarlierPlace): Promise<void>;
}

type Notification = InstanceType<typeof proto.Message.HistorySyncNotification>;
interface Content {
  readonly messages: readonly WAMessage[];
  readonly seen: readonly Seen[];
}
interface Part {
  readonly id: string;
  readonly notification: Notification;
}

/**
 * The import of the history that the phone pushes to a new device, in parts. The notification of each is kept in the
 * vault until its messages are stored, since WhatsApp does not repeat it; the position within the part is kept as well.
 * A part has the newest messages of each chat first. After the last part, the phone is asked for the earlier messages of
 * the chats that it said to have more of, one request at a time.
 */
export class HistoryImport {
  readonly #parts: HistoryParts;
  #hasImported = false;
  #wake = Promise.withResolvers<void>();

  constructor(parts: HistoryParts) {
    const { link, signal } = parts;
    this.#parts = { ...parts, link: { ...link, vault: retryingVault(link, "WhatsApp", signal) } };
  }

  /** Keeps the notification that a message contains, if there is one and a history is wanted. */
  async keep({ key, message }: WAMessage): Promise<void> {
    const notification = message?.protocolMessage?.historySyncNotification;
    const id = text(key.id);
    if (notification == null || id === undefined || !KINDS.includes(Number(notification.syncType))) return;
    const { link } = this.#parts;
    if ((await link.history()) === null) return;
    const value = proto.Message.HistorySyncNotification.encode(notification).finish();
    await link.vault.write([{ family: PARTS, id, value }]);
    this.#wake.resolve();
  }

  /** Imports what is kept and what arrives, until the history ends or the connection does. Never rejects. */
  async run(): Promise<void> {
    const { signal, link } = this.#parts;
    while (!signal.aborted) {
      try {
        if (await this.#importNext()) continue;
        return;
      } catch (error) {
        if (signal.aborted) return;
        link.log("warn", "WhatsApp: a part of the history could not be imported", { error: String(error) });
        await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Returns false once there is nothing to be imported any more. */
  async #importNext(): Promise<boolean> {
    const { link } = this.#parts;
    const wish = await link.history();
    const parts = await this.#kept();
    if (wish === null) {
      if (this.#hasImported || parts.length > 0) await this.#forget(parts);
      return false;
    }
    this.#hasImported = true;
    this.#wake = Promise.withResolvers();
    const [part] = parts.length > 0 ? parts : await this.#kept();
    if (part !== undefined) await this.#import(part, wish.since);
    else if ((await this.#isOver()) && !(await this.#askEarlier()))
      await link.emit({ kind: "history", messages: [], isDone: true });
    return true;
  }

  async #kept(): Promise<Part[]> {
    const stored = await this.#parts.link.vault.readAll(PARTS);
    return [...stored]
      .map(([id, bytes]) => ({ id, notification: proto.Message.HistorySyncNotification.decode(bytes) }))
      .toSorted((a, b) => placeOf(a) - placeOf(b));
  }

  async #forget(parts: readonly Part[]): Promise<void> {
    const places = await this.#parts.link.vault.readAll(PLACES);
    const earlier = await this.#parts.link.vault.readAll(EARLIER);
    await this.#parts.link.vault.write([
      ...parts.map(({ id }) => ({ family: PARTS, id, value: null })),
      ...[...earlier.keys()].map((id) => placeEntry(id, null)),
      ...[...places.keys()].map((id) => ({ family: PLACES, id, value: null })),
    ]);
  }

  /** Waits for another part. Returns whether there will be none: it has been quiet for long enough. */
  async #isOver(): Promise<boolean> {
    const { link, timing } = this.#parts;
    const last = (await link.vault.read(PLACES, [LAST])).get(LAST);
    const { at, progress } =
      last === undefined
        ? { at: Date.now(), progress: 0 }
        : (JSON.parse(Buffer.from(last).toString()) as { at: number; progress: number });
    if (last === undefined) await this.#setLast(0);
    const quietMs = progress >= 100 ? timing.historyQuietMs : timing.historyStalledMs;
    const left = at + quietMs - Date.now();
    if (left <= 0) return true;
    await this.#pause(left);
    return false;
  }

  /** At most until another part arrives. */
  async #pause(ms: number): Promise<void> {
    const { signal } = this.#parts;
    const pause = sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
    await Promise.race([pause, this.#wake.promise]);
  }

  /**
   * Asks for earlier messages, or waits until it may. The request is recorded before it is sent: after a crash it is
   * repeated, but not sooner. Returns false if there is nothing to ask for.
   */
  async #askEarlier(): Promise<boolean> {
    const { link, timing, ask } = this.#parts;
    const asked = await this.#asked();
    const next = nextRequest(placesIn(await link.vault.readAll(EARLIER)), asked, Date.now(), timing);
    if (next === null) return false;
    if ("waitMs" in next) {
      await this.#pause(next.waitMs);
      return true;
    }
    const { jid, place } = next;
    await link.vault.write([
      askedEntry(askedNow(jid, asked, Date.now())),
      placeEntry(jid, { ...place, tries: place.tries + 1 }),
    ]);
    await ask(jid, place);
    return true;
  }

  async #asked(): Promise<Asked | null> {
    const stored = (await this.#parts.link.vault.read(PLACES, [ASKED])).get(ASKED);
    return stored === undefined ? null : (JSON.parse(Buffer.from(stored).toString()) as Asked);
  }

  /** What the vault has to record of the chats of an imported part. */
  async #earlierAfter(seen: readonly Seen[], since: Date, isAnswer: boolean): Promise<VaultEntry[]> {
    const places = placesIn(await this.#parts.link.vault.readAll(EARLIER));
    if (!isAnswer)
      return seen.map((each) => placeEntry(each.jid, placeAfter(places.get(each.jid) ?? null, each, since)));
    const asked = await this.#asked();
    if (asked === null) return [];
    const changed = placesAfterAnswer(places, asked, seen, since);
    return [
      ...changed.map(([jid, place]) => placeEntry(jid, place)),
      askedEntry({ ...asked, unanswered: 0 }),
    ];
  }

  async #setLast(progress: number): Promise<void> {
    const value = Buffer.from(JSON.stringify({ at: Date.now(), progress }));
    await this.#parts.link.vault.write([{ family: PLACES, id: LAST, value }]);
  }

  async #import({ id, notification }: Part, since: Date): Promise<void> {
    const { link, signal } = this.#parts;
    const progress = Number(notification.progress ?? 0);
    const isAnswer = Number(notification.syncType) === ON_DEMAND;
    const { messages, seen } = await this.#contentOf(notification, since);
    const stored = (await link.vault.read(PLACES, [id])).get(id);
    let place = stored === undefined ? 0 : Number(Buffer.from(stored).toString());
    while (place < messages.length && (await link.history()) !== null) {
      signal.throwIfAborted();
      const some = messages.slice(place, place + HISTORY_BATCH).toReversed();
      for (const batch of await this.#batchesOf(some)) await link.emit({ kind: "history", messages: batch });
      place += some.length;
      await link.vault.write([{ family: PLACES, id, value: Buffer.from(String(place)) }]);
    }
    if (!isAnswer) {
      await link.emit({ kind: "history", messages: [], progress: Math.min(progress, 99) });
      await this.#setLast(progress);
    }
    await link.vault.write([
      ...(await this.#earlierAfter(seen, since, isAnswer)),
      { family: PARTS, id, value: null },
      { family: PLACES, id, value: null },
    ]);
  }

  /** A message with several files is several messages. */
  async #batchesOf(messages: readonly WAMessage[]): Promise<HistoryMessage[][]> {
    const read: HistoryMessage[] = [];
    for (const message of messages) {
      try {
        read.push(...(await this.#parts.read(message)));
      } catch (error) {
        this.#parts.signal.throwIfAborted();
        // As a dead letter, a replay would report it as a new message.
        this.#parts.link.log("warn", "WhatsApp: a message of the history could not be parsed", {
          error: String(error),
        });
      }
    }
    return Array.from({ length: Math.ceil(read.length / HISTORY_BATCH) }, (_, n) =>
      read.slice(n * HISTORY_BATCH, (n + 1) * HISTORY_BATCH),
    );
  }

  /** The messages of a part, chat by chat, newest first as they are in it; none if WhatsApp has deleted the part. */
  async #contentOf(notification: Notification, since: Date): Promise<Content> {
    const bytes = await this.#bytesOf(notification);
    if (bytes === null) return { messages: [], seen: [] };
    const unpacked = await unpack(bytes, { maxOutputLength: MAX_PART_BYTES });
    const { conversations, phoneNumberToLidMappings } = proto.HistorySync.decode(unpacked);
    await this.#parts.learn({
      names: conversations.flatMap(({ id, name }) => {
        const [jid, subject] = [text(id), text(name)];
        return jid?.endsWith("@g.us") === true && subject !== undefined ? [{ jid, name: subject }] : [];
      }),
      numbers: [
        ...phoneNumberToLidMappings.map(({ lidJid, pnJid }) => ({ lid: lidJid, pn: pnJid })),
        ...conversations.map(({ id, lidJid, pnJid }) =>
          id?.endsWith("@lid") === true ? { lid: id, pn: pnJid } : { lid: lidJid, pn: id },
        ),
      ].filter(hasBoth),
    });
    const isWanted = ({ messageTimestamp }: WAMessage): boolean =>
      Number(messageTimestamp ?? 0) * 1_000 >= since.getTime();
    const messages = conversations.flatMap((conversation) =>
      (conversation.messages ?? [])
        .flatMap(({ message }) => (message?.key == null ? [] : [message as WAMessage]))
        .filter(isWanted)
        .toSorted((a, b) => Number(b.messageTimestamp ?? 0) - Number(a.messageTimestamp ?? 0)),
    );
    const seen = new Map(conversations.flatMap(seenIn).map((each) => [each.jid, each]));
    return { messages, seen: [...seen.values()] };
  }

  async #bytesOf({
    initialHistBootstrapInlinePayload: inline,
    directPath,
    mediaKey,
  }: Notification): Promise<Uint8Array | null> {
    if (inline != null && inline.length > 0) return inline;
    const { link, signal, open } = this.#parts;
    if (directPath == null || mediaKey == null) return null;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_LIMIT_MS)]);
    try {
      const stream = await open({ directPath, mediaKey }, limit);
      return await buffer(bounded(stream));
    } catch (error) {
      if (!(error instanceof TransportError) || error.code !== "GENERAL_ERROR") throw error;
      link.log("warn", "WhatsApp: a part of the history is gone", { detail: error.message });
      return null;
    }
  }
}

function askedEntry(asked: Asked): VaultEntry {
  return { family: PLACES, id: ASKED, value: Buffer.from(JSON.stringify(asked)) };
}

async function* bounded(stream: Readable): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_PACKED_BYTES) throw new RangeError("the part is too large");
    yield chunk;
  }
}

function placeOf({ notification: { syncType, chunkOrder } }: Part): number {
  return KINDS.indexOf(Number(syncType)) * 1_000_000 + Number(chunkOrder ?? 0);
}

function hasBoth<T extends { readonly lid: unknown; readonly pn: unknown }>(
  each: T,
): each is T & { readonly lid: string; readonly pn: string } {
  return typeof each.lid === "string" && each.lid !== "" && typeof each.pn === "string" && each.pn !== "";
}
