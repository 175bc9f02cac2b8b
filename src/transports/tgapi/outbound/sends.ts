import { createHash } from "node:crypto";
import { Long } from "@mtcute/core";
import type { OutboundFile, OutboundMessage, Vault } from "../../../core/transport/connector.ts";
import { chatIdOf, soundId, type TgMedia, type TgMessage } from "../inbound/update.ts";
import { chooseForm } from "../outbound.ts";

const FAMILY = "send";
/** Slightly longer than core retries a message. */
const KEPT_MS = 25 * 3_600_000;
/** Tolerance between the clocks of two machines. */
const SKEW_MS = 120_000;
const REMEMBERED = 300;

/** A message of ours, stored before its first attempt. */
export interface Send {
  readonly chatId: string;
  /** Unix milliseconds of the first attempt. */
  readonly at: number;
  /** The text, or the caption of a file; undefined for a file without one. */
  readonly text: string | undefined;
  /** Undefined for a text, and in entries of earlier versions. */
  readonly file?: SentFile;
  /** Set once Telegram has accepted it. */
  readonly externalId?: string;
  readonly sentAt?: number;
}

/** What identifies a file in Telegram's report of it, besides its place and time. */
export interface SentFile {
  /** Undefined for an animation, which Telegram converts. */
  readonly size?: number;
  /** Of photos, which Telegram converts as well: the ids under which it stored the file, one for each attempt. */
  readonly photoIds?: readonly string[];
}

/** Where and when a message is sent. */
export interface Attempt {
  readonly chatId: string;
  /** Of a file that is sent as a photo. */
  readonly photoId?: string | undefined;
  /** Unix milliseconds; default: now. */
  readonly at?: number;
}

/**
 * The messages being sent, in the channel's vault. An entry is written before its message is sent, so that after a
 * crash Telegram's report of it is recognised as ours and not as an echo, and a retry finds the result of the first
 * attempt.
 */
export class Sends {
  readonly #vault: Pick<Vault, "readAll" | "write">;
  readonly #sends = new Map<string, Send>();
  /** Our message ids by chat and Telegram message id. */
  readonly #arrived = new Map<string, string>();

  /** Waiters for the arrival of a message, by our message id. */
  readonly #waiting = new Map<string, (send: Send) => void>();

  private constructor(vault: Pick<Vault, "readAll" | "write">) {
    this.#vault = vault;
  }

  static async load(vault: Pick<Vault, "readAll" | "write">, now: number = Date.now()): Promise<Sends> {
    const sends = new Sends(vault);
    const stored = await vault.readAll(FAMILY);
    for (const [id, value] of stored) sends.#remember(id, JSON.parse(Buffer.from(value).toString()) as Send);
    await sends.#tidy(now);
    return sends;
  }

  find(id: string): Send | undefined {
    return this.#sends.get(id);
  }

  /** Call before each attempt. Resolves when the entry is stored and the message may be sent. */
  async begin(message: OutboundMessage, attempt: Attempt): Promise<void> {
    const { photoId } = attempt;
    const known = this.#sends.get(message.id);
    if (known !== undefined && photoId === undefined) return;
    const send = known ?? newSend(message, attempt);
    await this.#store(message.id, photoId === undefined ? send : withPhoto(send, photoId));
  }

  async finish(id: string, externalId: string, sentAt: Date): Promise<void> {
    const send = this.#sends.get(id);
    if (send === undefined || send.externalId === externalId) return;
    const arrived = { ...send, externalId, sentAt: sentAt.getTime() };
    await this.#store(id, arrived);
    this.#waiting.get(id)?.(arrived);
    if (this.#sends.size > REMEMBERED) await this.#tidy(Date.now());
  }

  /** Resolves when Telegram reports the message, which may happen before or instead of its response. */
  arrival(id: string): { readonly promise: Promise<Send>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<Send>();
    this.#waiting.set(id, resolve);
    return { promise, cancel: () => void this.#waiting.delete(id) };
  }

  /** Telegram refused the message, so it is no longer being sent. */
  async forget(id: string): Promise<void> {
    if (!this.#sends.delete(id)) return;
    await this.#vault.write([{ family: FAMILY, id, value: null }]);
  }

  /** The send that a message of this account belongs to; undefined if it was written on another device. */
  claim(message: TgMessage): { readonly id: string; readonly isNew: boolean } | undefined {
    const chatId = chatIdOf(message.peerId);
    const externalId = soundId(message.id);
    if (message.out !== true || chatId === undefined || externalId === undefined) return undefined;
    const known = this.#arrived.get(placeOf(chatId, externalId));
    if (known !== undefined) return { id: known, isNew: false };
    for (const [id, send] of this.#sends)
      if (send.externalId === undefined && isThis(send, chatId, message)) return { id, isNew: true };
    return undefined;
  }

  async #store(id: string, send: Send): Promise<void> {
    this.#remember(id, send);
    await this.#vault.write([{ family: FAMILY, id, value: Buffer.from(JSON.stringify(send)) }]);
  }

  #remember(id: string, send: Send): void {
    this.#sends.set(id, send);
    if (send.externalId !== undefined) this.#arrived.set(placeOf(send.chatId, send.externalId), id);
  }

  async #tidy(now: number): Promise<void> {
    const old = [...this.#sends].filter(([, { at }]) => now - at > KEPT_MS);
    for (const [id, { chatId, externalId = "" }] of old) {
      this.#sends.delete(id);
      this.#arrived.delete(placeOf(chatId, externalId));
    }
    if (old.length > 0) await this.#vault.write(old.map(([id]) => ({ family: FAMILY, id, value: null })));
  }
}

const placeOf = (chatId: string, externalId: string): string => `${chatId}/${externalId}`;

function newSend({ content }: OutboundMessage, { chatId, at = Date.now() }: Attempt): Send {
  if (content.type === "file") return { chatId, at, text: content.caption, file: fileOf(content.file) };
  return { chatId, at, text: content.type === "text" ? content.text : undefined };
}

function fileOf(file: OutboundFile): SentFile {
  return chooseForm(file) === "animation" ? {} : { size: file.size };
}

function withPhoto(send: Send, photoId: string): Send {
  const { file } = send;
  return file === undefined
    ? send
    : { ...send, file: { ...file, photoIds: [...(file.photoIds ?? []), photoId] } };
}

/** Whether a message may be the one that was sent: same chat, time and content. Pure. */
export function isThis(send: Send, chatId: string, message: TgMessage): boolean {
  const { date = 0, media, message: text = "", _: kind } = message;
  if (kind !== "message" || send.chatId !== chatId || date * 1_000 < send.at - SKEW_MS) return false;
  const isFile = media?._ === "messageMediaPhoto" || media?._ === "messageMediaDocument";
  const hasFile = send.file !== undefined || send.text === undefined;
  if (isFile !== hasFile || text.trim() !== (send.text ?? "").trim()) return false;
  return !isFile || send.file === undefined || isThisFile(send.file, media);
}

function isThisFile({ size, photoIds = [] }: SentFile, { _: kind, photo, document }: TgMedia): boolean {
  if (kind === "messageMediaPhoto") return photo?.id !== undefined && photoIds.includes(photo.id);
  if (size !== undefined) return document?.size === size;
  return document?.attributes?.some(({ _: attribute }) => attribute === "documentAttributeAnimated") === true;
}

/**
 * The id by which Telegram deduplicates (`random_id`): 64 bits of a hash of our message id, so that it is known
 * before anything is stored and is the same after a crash.
 */
export function randomIdOf(messageId: string): Long {
  const hash = createHash("sha256").update(`tgapi send ${messageId}`).digest();
  return Long.fromBits(hash.readInt32LE(0), hash.readInt32LE(4));
}
