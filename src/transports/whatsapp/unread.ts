import type { WAMessage, WAMessageKey } from "baileys";
import type { Vault, VaultEntry } from "../../core/transport/connector.ts";
import { parseJid } from "./addresses.ts";
import { decodeJson, encodeJson } from "./key-store.ts";

const FAMILY = "unread";

export interface UnreadParts {
  readonly vault: Vault;
  /** So long a message is waited for, from when this device was there to get it. */
  readonly waitMs: number;
  giveUp(message: WAMessage): void;
}

/**
 * Messages that could not be decrypted. The library asks for them once more and confirms them to WhatsApp, which does
 * not repeat them: only what is kept here knows, over crashes and lost lines, that there was something.
 */
export class UnreadMessages {
  readonly #parts: UnreadParts;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(parts: UnreadParts) {
    this.#parts = parts;
  }

  /** Waits also for what an earlier connection or process waited for: it may have been sent meanwhile. */
  async recover(): Promise<void> {
    for (const bytes of (await this.#parts.vault.readAll(FAMILY)).values())
      this.#wait(decodeJson(bytes) as WAMessage);
  }

  /** Resolves when it would outlive a crash. */
  async add(message: WAMessage): Promise<void> {
    const { key, messageTimestamp, pushName } = message;
    const value = encodeJson({ key, messageTimestamp: Number(messageTimestamp), pushName });
    await this.#parts.vault.write([{ family: FAMILY, id: idOf(key), value }]);
    this.#wait(message);
  }

  has(key: WAMessageKey): boolean {
    return this.#timers.has(idOf(key));
  }

  /** It came, or was given up. The vault's entry to remove once it is stored; null when it was not waited for. */
  take(key: WAMessageKey): VaultEntry | null {
    const id = idOf(key);
    clearTimeout(this.#timers.get(id));
    return this.#timers.delete(id) ? { family: FAMILY, id, value: null } : null;
  }

  /** They are waited for again when the next connection recovers. */
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

/** Others may use the same id in other chats. */
function idOf({ id, remoteJid, participant }: WAMessageKey): string {
  return [id, ...[remoteJid, participant].map((jid) => JSON.stringify(parseJid(jid)))].join(" ");
}
