import type { Vault } from "../../core/transport/connector.ts";
import { createOrder } from "../../platform/in-order.ts";

const FAMILY = "place";
const BLOCK = 256;
/** The id of the newest message, stored beside the blocks. */
const NEWEST = "newest";
/** About a hundred thousand messages; deletions of older ones are not emitted. */
const KEPT_BLOCKS = 400;
const IN_MEMORY = 4;

type Block = Record<string, string>;

/**
 * The chat of each message of the account. Private chats and small groups share one sequence of message ids, and
 * their deletions lack the chat (TL constructor `updateDeleteMessages`). One vault entry holds 256 messages.
 */
export class Places {
  readonly #vault: Pick<Vault, "read" | "write">;
  readonly #blocks = new Map<number, Block>();
  readonly #changed = new Set<number>();
  readonly #inOrder = createOrder();
  #newest = 0;

  constructor(vault: Pick<Vault, "read" | "write">) {
    this.#vault = vault;
  }

  /** Records the chat of a message; stored by the next `flush`. */
  note(messageId: number, chatId: string): Promise<void> {
    return this.#inOrder(async () => {
      const number = Math.floor(messageId / BLOCK);
      const block = await this.#load(number);
      const place = String(messageId % BLOCK);
      if (block[place] === chatId) return;
      block[place] = chatId;
      this.#changed.add(number);
      this.#newest = Math.max(messageId, await this.#loadNewest());
    });
  }

  /** The known chats, by message id. */
  find(messageIds: readonly string[]): Promise<Record<string, string>> {
    return this.#inOrder(async () => {
      const found: Record<string, string> = {};
      for (const id of messageIds) {
        const messageId = Number(id);
        if (!Number.isSafeInteger(messageId)) continue;
        const block = await this.#load(Math.floor(messageId / BLOCK));
        const chatId = block[String(messageId % BLOCK)];
        if (chatId !== undefined) found[id] = chatId;
      }
      return found;
    });
  }

  /** The newest recorded message; 0 if there is none. */
  newest(): Promise<number> {
    return this.#inOrder(() => this.#loadNewest());
  }

  flush(): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#changed.size === 0) return;
      const numbers = [...this.#changed];
      const kept = numbers.map((number) => ({
        family: FAMILY,
        id: String(number),
        value: Buffer.from(JSON.stringify(this.#blocks.get(number) ?? {})),
      }));
      const old = numbers
        .filter((number) => number >= KEPT_BLOCKS)
        .map((number) => ({ family: FAMILY, id: String(number - KEPT_BLOCKS), value: null }));
      const newest = { family: FAMILY, id: NEWEST, value: Buffer.from(String(this.#newest)) };
      await this.#vault.write([...kept, ...old, newest]);
      this.#changed.clear();
      this.#shrink();
    });
  }

  async #loadNewest(): Promise<number> {
    if (this.#newest > 0) return this.#newest;
    const stored = (await this.#vault.read(FAMILY, [NEWEST])).get(NEWEST);
    this.#newest = stored === undefined ? 0 : Number(Buffer.from(stored).toString());
    return this.#newest;
  }

  async #load(number: number): Promise<Block> {
    const known = this.#blocks.get(number);
    if (known !== undefined) return known;
    const stored = (await this.#vault.read(FAMILY, [String(number)])).get(String(number));
    const block = stored === undefined ? {} : (JSON.parse(Buffer.from(stored).toString()) as Block);
    this.#blocks.set(number, block);
    this.#shrink();
    return block;
  }

  /** Keeps blocks that are not stored yet. */
  #shrink(): void {
    for (const number of this.#blocks.keys()) {
      if (this.#blocks.size <= IN_MEMORY) return;
      if (!this.#changed.has(number)) this.#blocks.delete(number);
    }
  }
}
