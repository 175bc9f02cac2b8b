import type { Vault, VaultEntry } from "../../../core/transport/connector.ts";
import { createSerialQueue } from "../../../platform/queue/serial-queue.ts";

const FAMILY = "place";
const BLOCK = 256;
/** The id of the newest message, stored beside the blocks; of a supergroup with its id. */
const NEWEST = "newest";
/** About a hundred thousand messages; deletions of older ones are not emitted. */
const KEPT_BLOCKS = 400;
const IN_MEMORY = 4;

type Block = Record<string, string>;

/** Which 256 messages: of the account, or of a supergroup, which has message ids of its own. */
interface BlockId {
  readonly number: number;
  readonly channelId: number | undefined;
}

/**
 * The chat of each message of the account. Private chats and small groups share one sequence of message ids, and
 * their deletions lack the chat (TL constructor `updateDeleteMessages`). Of supergroups, only messages that became
 * several are recorded. One vault entry holds 256 messages.
 */
export class Places {
  readonly #vault: Pick<Vault, "read" | "write">;
  readonly #blocks = new Map<string, Block>();
  readonly #changed = new Map<string, BlockId>();
  readonly #inOrder = createSerialQueue();
  #newest = 0;
  readonly #newestOf = new Map<number, number>();
  readonly #changedSupergroups = new Set<number>();

  constructor(vault: Pick<Vault, "read" | "write">) {
    this.#vault = vault;
  }

  /** Records the place of a message, of a supergroup if `channelId` is given; stored by the next `flush`. */
  note(messageId: number, place: string, channelId?: number): Promise<void> {
    return this.#inOrder(async () => {
      const id = blockOf(messageId, channelId);
      const block = await this.#load(id);
      const inBlock = String(messageId % BLOCK);
      if (block[inBlock] === place) return;
      block[inBlock] = place;
      this.#changed.set(entryIdOf(id), id);
      if (channelId === undefined) this.#newest = Math.max(messageId, await this.#loadNewest());
    });
  }

  /** The same for an older message, unless it is too old to be kept. */
  async noteOld(messageId: number, place: string): Promise<void> {
    if (messageId > (await this.newest()) - KEPT_BLOCKS * BLOCK) await this.note(messageId, place);
  }

  /** Records a message of a supergroup, which has message ids of its own; stored by the next `flush`. */
  noteOf(channelId: number, messageId: number): Promise<void> {
    return this.#inOrder(async () => {
      if (messageId <= (await this.#loadNewestOf(channelId))) return;
      this.#newestOf.set(channelId, messageId);
      this.#changedSupergroups.add(channelId);
    });
  }

  /** The newest recorded message of a supergroup; 0 if there is none. */
  newestOf(channelId: number): Promise<number> {
    return this.#inOrder(() => this.#loadNewestOf(channelId));
  }

  /** The known places, by message id. */
  find(messageIds: readonly string[], channelId?: number): Promise<Record<string, string>> {
    return this.#inOrder(async () => {
      const found: Record<string, string> = {};
      for (const id of messageIds) {
        const messageId = Number(id);
        if (!Number.isSafeInteger(messageId)) continue;
        const block = await this.#load(blockOf(messageId, channelId));
        const place = block[String(messageId % BLOCK)];
        if (place !== undefined) found[id] = place;
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
      if (this.#changed.size + this.#changedSupergroups.size === 0) return;
      const changed = [...this.#changed];
      const kept = changed.map(([id]) => ({
        family: FAMILY,
        id,
        value: Buffer.from(JSON.stringify(this.#blocks.get(id) ?? {})),
      }));
      const old = changed
        .filter(([, { number }]) => number >= KEPT_BLOCKS)
        .map(([, { number, channelId }]) => ({
          family: FAMILY,
          id: entryIdOf({ number: number - KEPT_BLOCKS, channelId }),
          value: null,
        }));
      const isOwn = changed.some(([, { channelId }]) => channelId === undefined);
      const newest = isOwn ? [entryOf(NEWEST, this.#newest)] : [];
      const ofSupergroups = [...this.#changedSupergroups].map((id) =>
        entryOf(nameOf(id), this.#newestOf.get(id) ?? 0),
      );
      await this.#vault.write([...kept, ...old, ...newest, ...ofSupergroups]);
      this.#changed.clear();
      this.#changedSupergroups.clear();
      this.#shrink();
    });
  }

  async #loadNewest(): Promise<number> {
    if (this.#newest === 0) this.#newest = await this.#readNumber(NEWEST);
    return this.#newest;
  }

  async #loadNewestOf(channelId: number): Promise<number> {
    const known = this.#newestOf.get(channelId) ?? (await this.#readNumber(nameOf(channelId)));
    this.#newestOf.set(channelId, known);
    return known;
  }

  async #readNumber(id: string): Promise<number> {
    const stored = (await this.#vault.read(FAMILY, [id])).get(id);
    return stored === undefined ? 0 : Number(Buffer.from(stored).toString());
  }

  async #load(blockId: BlockId): Promise<Block> {
    const id = entryIdOf(blockId);
    const known = this.#blocks.get(id);
    if (known !== undefined) return known;
    const stored = (await this.#vault.read(FAMILY, [id])).get(id);
    const block = stored === undefined ? {} : (JSON.parse(Buffer.from(stored).toString()) as Block);
    this.#blocks.set(id, block);
    this.#shrink();
    return block;
  }

  /** Keeps blocks that are not stored yet. */
  #shrink(): void {
    for (const id of this.#blocks.keys()) {
      if (this.#blocks.size <= IN_MEMORY) return;
      if (!this.#changed.has(id)) this.#blocks.delete(id);
    }
  }
}

function blockOf(messageId: number, channelId: number | undefined): BlockId {
  return { number: Math.floor(messageId / BLOCK), channelId };
}

function entryIdOf({ number, channelId }: BlockId): string {
  return channelId === undefined ? String(number) : `${channelId}:${number}`;
}

function nameOf(channelId: number): string {
  return `${NEWEST}:${channelId}`;
}

function entryOf(id: string, newest: number): VaultEntry {
  return { family: FAMILY, id, value: Buffer.from(String(newest)) };
}
