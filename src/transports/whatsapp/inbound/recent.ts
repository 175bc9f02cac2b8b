import type { proto as Proto, WAMessage } from "baileys";
import type { Vault, VaultEntry } from "../../../core/transport/connector.ts";
import { proto } from "../library.ts";

const DAYS = 8;
const DAY_MS = 86_400_000;
/**
 * A receipt may arrive before the response to the send is stored; later receipts find the message by its WhatsApp id.
 */
const NAMED = 300;

/**
 * The messages of the last week, needed for retransmissions, quotes and edits. One vault family per day, so that a
 * whole day can be deleted.
 */
export class RecentMessages {
  readonly #vault: Vault;
  readonly #names = new Map<string, string>();
  #cleared = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Call before a message is sent; `name` is `OutboundMessage.id`. */
  nameSent(externalId: string, name: string): void {
    this.#names.set(externalId, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size > NAMED && oldest !== undefined) this.#names.delete(oldest);
  }

  /** Our id of a recently sent message. */
  nameOf(externalId: string): string | undefined {
    return this.#names.get(externalId);
  }

  /** The vault entry of a message, to be written together with other entries. */
  entry(message: WAMessage, now: number = Date.now()): VaultEntry {
    const { key, message: content, messageTimestamp } = message;
    const value = proto.WebMessageInfo.encode({
      key: {
        remoteJid: key.remoteJid ?? null,
        fromMe: key.fromMe ?? null,
        id: key.id ?? null,
        participant: key.participant ?? null,
      },
      message: content ?? null,
      messageTimestamp: messageTimestamp ?? null,
    } as Proto.IWebMessageInfo).finish();
    const id = key.id ?? "";
    return { family: familyOf(dayOf(now)), id: key.fromMe === true ? id : theirs(id), value };
  }

  /** A message by any author; ours if several have the same id. */
  find(messageId: string, now?: number): Promise<WAMessage | undefined> {
    return this.#find([messageId, theirs(messageId)], now);
  }

  /** Only messages of this account: others may use the same id, and must not be mistaken for it. */
  async findOwn(messageId: string, now?: number): Promise<WAMessage | undefined> {
    const found = await this.#find([messageId], now);
    return found?.key.fromMe === true ? found : undefined;
  }

  /** Only messages of others. */
  findTheirs(messageId: string, now?: number): Promise<WAMessage | undefined> {
    return this.#find([theirs(messageId)], now);
  }

  async #find(ids: readonly string[], now: number = Date.now()): Promise<WAMessage | undefined> {
    for (let age = 0; age < DAYS - 1; age++) {
      const read = await this.#vault.read(familyOf(dayOf(now) - age), ids);
      const found = ids.map((id) => read.get(id)).find((value) => value !== undefined);
      if (found !== undefined) return proto.WebMessageInfo.decode(found) as WAMessage;
    }
    return undefined;
  }

  /** Deletes the day whose family the next day will use. Call daily; repeated calls do nothing. */
  async tidy(now: number = Date.now()): Promise<void> {
    const day = dayOf(now);
    if (this.#cleared === day) return;
    this.#cleared = day;
    try {
      const family = familyOf(day + 1);
      const old = [...(await this.#vault.readAll(family)).keys()];
      if (old.length > 0) await this.#vault.write(old.map((id) => ({ family, id, value: null })));
    } catch (error) {
      this.#cleared = 0;
      throw error;
    }
  }
}

const theirs = (messageId: string): string => `theirs ${messageId}`;
const dayOf = (now: number): number => Math.floor(now / DAY_MS);
const familyOf = (day: number): string => `recent-${day % DAYS}`;
