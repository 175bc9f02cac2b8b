import type { Vault } from "../../core/transport/connector.ts";
import { createOrder } from "../../platform/in-order.ts";

const FAMILY = "place";
const BLOCK = 256;
/** The id of the newest message, beside the blocks. */
const NEWEST = "newest";
/** A hundred thousand messages; what is deleted later is not told. */
const KEPT_BLOCKS = 400;
const IN_MEMORY = 4;

type Block = Record<string, string>;

/**
 * In which chat each message of the account stands. Private chats and small groups number their messages together, and
 * their deletions come without the chat (TL constructor `updateDeleteMessages`). One entry of the vault holds 256 of them.
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

  /** To be stored with the next `flush`. */
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

  /** Those that are known, by message id. */
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

  /** The newest message that was noted; 0 where there is none. */
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

  /** What is not stored yet stays. */
  #shrink(): void {
    for (const number of this.#blocks.keys()) {
      if (this.#blocks.size <= IN_MEMORY) return;
      if (!this.#changed.has(number)) this.#blocks.delete(number);
    }
  }
}
