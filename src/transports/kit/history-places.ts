import type { Vault, VaultEntry } from "../../core/transport/connector.ts";

const FAMILY = "history";
/** The place of the list of chats; all others are chat ids. */
const LIST = "";

/**
 * How far the import of an account's chats has got, in the channel's vault: the place in the list of chats, and one in
 * each chat that is still to be imported. Places are data that JSON can express.
 */
export class HistoryPlaces<List extends { readonly chats: number }, Chat> {
  readonly #vault: Pick<Vault, "readAll" | "write">;
  /** What the vault has; null: not read yet. */
  #kept: Map<string, Uint8Array> | null = null;

  constructor(vault: Pick<Vault, "readAll" | "write">) {
    this.#vault = vault;
  }

  get isLoaded(): boolean {
    return this.#kept !== null;
  }

  /** Call before the other methods. Reads the vault once. */
  async load(): Promise<void> {
    this.#kept ??= new Map(await this.#vault.readAll(FAMILY));
  }

  /** Null: the list was not begun. */
  list(): List | null {
    return this.#placeOf<List>(LIST);
  }

  /** The place in a chat; null: it is not to be imported. */
  chat(chatId: string): Chat | null {
    return this.#placeOf<Chat>(chatId);
  }

  /** A chat that is still to be imported; undefined: there is none. */
  nextChat(): string | undefined {
    return this.#kept?.keys().find((id) => id !== LIST);
  }

  /** Percent, less than 100 until the import is done; `isRead`: one more chat is. */
  progress({ chats }: List, isRead: boolean): number {
    const left = (this.#kept?.size ?? 1) - 1;
    return Math.min(99, ((chats - left + (isRead ? 1 : 0)) * 100) / Math.max(1, chats));
  }

  /** The next place in the list, and the chats that were found. */
  async foundChats(list: List, chats: readonly (readonly [chatId: string, place: Chat])[]): Promise<void> {
    await this.#write([...chats, [LIST, list]]);
  }

  /** The next place in a chat; null: it is imported. */
  async setChat(chatId: string, place: Chat | null): Promise<void> {
    await this.#write([[chatId, place]]);
  }

  /** Forgets all places. */
  async clear(): Promise<void> {
    await this.#write([...(this.#kept?.keys() ?? [])].map((id) => [id, null]));
  }

  #placeOf<T>(id: string): T | null {
    const stored = this.#kept?.get(id);
    return stored === undefined ? null : (JSON.parse(Buffer.from(stored).toString()) as T);
  }

  async #write(places: readonly (readonly [id: string, place: List | Chat | null])[]): Promise<void> {
    if (places.length === 0) return;
    const entries: VaultEntry[] = places.map(([id, place]) => ({
      family: FAMILY,
      id,
      value: place === null ? null : Buffer.from(JSON.stringify(place)),
    }));
    await this.#vault.write(entries);
    for (const { id, value } of entries) {
      if (value === null) this.#kept?.delete(id);
      else this.#kept?.set(id, value);
    }
  }
}
