import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { inflate } from "node:zlib";
import type { WAMessage } from "baileys";
import { TransportError } from "../../../core/transport/errors.ts";
import { HISTORY_BATCH, type HistoryMessage } from "../../../core/transport/events.ts";
import { text } from "../../../platform/foreign/foreign-json.ts";
import { retryingVault } from "../../kit/retrying-vault.ts";
import type { Timing } from "../connection.ts";
import { proto } from "../library.ts";
import type { WhatsAppLink } from "../link.ts";

/** The kept notifications of parts of the history, by message id. */
const PARTS = "history";
/** How many messages of a part are imported, by its id; "last": when the last part was finished, and its progress. */
const PLACES = "history at";
const LAST = "last";
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
  readonly timing: Pick<Timing, "historyQuietMs" | "historyStalledMs">;
  readonly signal: AbortSignal;
  /** The packed bytes of a part that is not in its notification. */
  open(
    part: { readonly directPath: string; readonly mediaKey: Uint8Array },
    signal: AbortSignal,
  ): Promise<Readable>;
  read(message: WAMessage): Promise<readonly HistoryMessage[]>;
  learn(chats: HistoryChats): Promise<void>;
}

type Notification = InstanceType<typeof proto.Message.HistorySyncNotification>;
interface Part {
  readonly id: string;
  readonly notification: Notification;
}

/**
 * The import of the history that the phone pushes to a new device, in parts. The notification of each is kept in the
 * vault until its messages are stored, since WhatsApp does not repeat it; the position within the part is kept as well.
 * A part has the newest messages of each chat first.
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
    else if (await this.#isOver()) await link.emit({ kind: "history", messages: [], isDone: true });
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
    await this.#parts.link.vault.write([
      ...parts.map(({ id }) => ({ family: PARTS, id, value: null })),
      ...[...places.keys()].map((id) => ({ family: PLACES, id, value: null })),
    ]);
  }

  /** Waits for another part. Returns whether there will be none: it has been quiet for long enough. */
  async #isOver(): Promise<boolean> {
    const { link, timing, signal } = this.#parts;
    const last = (await link.vault.read(PLACES, [LAST])).get(LAST);
    const { at, progress } =
      last === undefined
        ? { at: Date.now(), progress: 0 }
        : (JSON.parse(Buffer.from(last).toString()) as { at: number; progress: number });
    if (last === undefined) await this.#setLast(0);
    const quietMs = progress >= 100 ? timing.historyQuietMs : timing.historyStalledMs;
    const left = at + quietMs - Date.now();
    if (left <= 0) return true;
    const pause = sleep(left, undefined, { signal, ref: false }).catch(() => undefined);
    await Promise.race([pause, this.#wake.promise]);
    return false;
  }

  async #setLast(progress: number): Promise<void> {
    const value = Buffer.from(JSON.stringify({ at: Date.now(), progress }));
    await this.#parts.link.vault.write([{ family: PLACES, id: LAST, value }]);
  }

  async #import({ id, notification }: Part, since: Date): Promise<void> {
    const { link, signal } = this.#parts;
    const progress = Number(notification.progress ?? 0);
    const messages = await this.#messagesOf(notification, since);
    const stored = (await link.vault.read(PLACES, [id])).get(id);
    let place = stored === undefined ? 0 : Number(Buffer.from(stored).toString());
    while (place < messages.length && (await link.history()) !== null) {
      signal.throwIfAborted();
      const some = messages.slice(place, place + HISTORY_BATCH).toReversed();
      for (const batch of await this.#batchesOf(some)) await link.emit({ kind: "history", messages: batch });
      place += some.length;
      await link.vault.write([{ family: PLACES, id, value: Buffer.from(String(place)) }]);
    }
    await link.emit({ kind: "history", messages: [], progress: Math.min(progress, 99) });
    await this.#setLast(progress);
    await link.vault.write([
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
  async #messagesOf(notification: Notification, since: Date): Promise<WAMessage[]> {
    const bytes = await this.#bytesOf(notification);
    if (bytes === null) return [];
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
    return conversations.flatMap(({ messages }) =>
      (messages ?? [])
        .flatMap(({ message }) => (message?.key == null ? [] : [message as WAMessage]))
        .filter(isWanted)
        .toSorted((a, b) => Number(b.messageTimestamp ?? 0) - Number(a.messageTimestamp ?? 0)),
    );
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
