import { createHash } from "node:crypto";
import { Long } from "@mtcute/core";
import type { OutboundMessage, Vault } from "../../../core/transport/connector.ts";
import { chatIdOf, soundId, type TgMessage } from "../inbound/update.ts";

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
  /** The text; undefined for a file. */
  readonly text: string | undefined;
  /** Set once Telegram has accepted it. */
  readonly externalId?: string;
  readonly sentAt?: number;
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

  /** Resolves when the entry is stored and the message may be sent. */
  async begin({ id, content }: OutboundMessage, chatId: string, now: number = Date.now()): Promise<Send> {
    const send: Send = { chatId, at: now, text: content.type === "text" ? content.text : undefined };
    await this.#store(id, send);
    return send;
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

/** Whether a message may be the one that was sent: same chat, time and content. Pure. */
export function isThis(send: Send, chatId: string, message: TgMessage): boolean {
  const { date = 0, media, message: text = "", _: kind } = message;
  if (kind !== "message" || send.chatId !== chatId || date * 1_000 < send.at - SKEW_MS) return false;
  const isFile = media?._ === "messageMediaPhoto" || media?._ === "messageMediaDocument";
  return send.text === undefined ? isFile && text === "" : !isFile && text.trim() === send.text.trim();
}

/**
 * The id by which Telegram deduplicates (`random_id`): 64 bits of a hash of our message id, so that it is known
 * before anything is stored and is the same after a crash.
 */
export function randomIdOf(messageId: string): Long {
  const hash = createHash("sha256").update(`tgapi send ${messageId}`).digest();
  return Long.fromBits(hash.readInt32LE(0), hash.readInt32LE(4));
}
