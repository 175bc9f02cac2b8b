import type { WAMessage, WAMessageKey } from "baileys";
import type { Vault, VaultEntry } from "../../../core/transport/connector.ts";
import { decodeJson, encodeJson } from "../keys/key-store.ts";
import { parseJid } from "../people/addresses.ts";

const FAMILY = "unread";

export interface UnreadParts {
  readonly vault: Vault;
  /** How long a message is awaited, counted from when this device could receive it. */
  readonly waitMs: number;
  giveUp(message: WAMessage): void;
}

/**
 * The messages that could not be decrypted. The library requests a retransmission and acknowledges them to WhatsApp,
 * which does not repeat them, so after a crash or a lost connection only this store knows about them.
 */
export class UnreadMessages {
  readonly #parts: UnreadParts;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(parts: UnreadParts) {
    this.#parts = parts;
  }

  /** Also awaits the messages of an earlier connection or process, which may have been retransmitted meanwhile. */
  async recover(): Promise<void> {
    for (const bytes of (await this.#parts.vault.readAll(FAMILY)).values())
      this.#wait(decodeJson(bytes) as WAMessage);
  }

  /** Resolves when the entry is stored. */
  async add(message: WAMessage): Promise<void> {
    const { key, messageTimestamp, pushName } = message;
    const value = encodeJson({ key, messageTimestamp: Number(messageTimestamp), pushName });
    await this.#parts.vault.write([{ family: FAMILY, id: idOf(key), value }]);
    this.#wait(message);
  }

  has(key: WAMessageKey): boolean {
    return this.#timers.has(idOf(key));
  }

  /**
   * Called when the message has arrived or was given up. Returns the vault entry to delete once it is stored; null if
   * the message was not awaited.
   */
  take(key: WAMessageKey): VaultEntry | null {
    const id = idOf(key);
    clearTimeout(this.#timers.get(id));
    return this.#timers.delete(id) ? { family: FAMILY, id, value: null } : null;
  }

  /** The next connection awaits them again after `recover`. */
  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #wait(message: WAMessage): void {
    const id = idOf(message.key);
    if (this.#timers.has(id)) return;
    const { waitMs, giveUp } = this.#parts;
    this.#timers.set(id, setTimeout(() => giveUp(message), waitMs).unref());
  }
}

/** Other chats may use the same id. */
function idOf({ id, remoteJid, participant }: WAMessageKey): string {
  return [id, ...[remoteJid, participant].map((jid) => JSON.stringify(parseJid(jid)))].join(" ");
}
