import type { proto as Proto, WAMessage } from "baileys";
import type { Vault, VaultEntry } from "../../core/transport/connector.ts";
import { proto } from "./library.ts";

const DAYS = 8;
const DAY_MS = 86_400_000;
/** Receipts may come before the answer to the sending is stored; later they find the message by its own id. */
const NAMED = 300;

/**
 * The messages of the last week: needed when somebody asks for one again, is quoted, or edits. One family per day, so
 * that a whole day can be forgotten.
 */
export class RecentMessages {
  readonly #vault: Vault;
  readonly #names = new Map<string, string>();
  #cleared = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Call it before a message leaves: `name` is `OutboundMessage.id`. */
  nameSent(externalId: string, name: string): void {
    this.#names.set(externalId, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size > NAMED && oldest !== undefined) this.#names.delete(oldest);
  }

  /** The name of a message that was sent a while ago at most. */
  nameOf(externalId: string): string | undefined {
    return this.#names.get(externalId);
  }

  /** To be written with whatever else is written then. */
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

  /** Whoever wrote it; ours where several have the same id. */
  find(messageId: string, now?: number): Promise<WAMessage | undefined> {
    return this.#find([messageId, theirs(messageId)], now);
  }

  /** Only what this account wrote: others may use the same id, and must not speak in its name. */
  async findOwn(messageId: string, now?: number): Promise<WAMessage | undefined> {
    const found = await this.#find([messageId], now);
    return found?.key.fromMe === true ? found : undefined;
  }

  /** Only what others wrote. */
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

  /** Forgets the day that the next one will need the room of: call it each day, it does nothing twice. */
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
