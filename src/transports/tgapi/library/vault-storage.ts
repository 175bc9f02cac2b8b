import type { ITelegramStorageProvider } from "@mtcute/core";
import type { Vault, VaultEntry } from "../../../core/transport/connector.ts";
import { createSerialQueue } from "../../../platform/queue/serial-queue.ts";

const KEYS = "auth-key";
const VALUES = "value";
/** The prefix of the position in the account's updates (`pts`, `qts`, `date`, `seq`, and one per supergroup). */
const UPDATES_PREFIX = "updates_";
/** The library stores a supergroup's position as four bytes, little-endian. */
const CHANNEL_PREFIX = "updates_channel:";

/** The number of the account's own data centre, and its addresses in the library's format. */
const OWN_DC = "own_dc";
const DC_ADDRESSES = ["dc_main", "dc_media"];

export interface VaultStorageOptions {
  /** Number of the data centre that the channel's settings name. */
  readonly firstDc: number;
  /** Must retry until it succeeds: the library assumes that everything is stored. */
  readonly vault: Pick<Vault, "readAll" | "write">;
  /** False during linking: an abandoned attempt stores nothing. */
  readonly isLinked: boolean;
  /** Awaited before a position is stored: resolves once all earlier updates are stored. */
  received(): Promise<void>;
  /** Telegram no longer knows the key of the linked account. */
  keyRefused(): void;
}

/**
 * The library's storage for an account, in the channel's vault: the keys of data centres, the account's own data
 * centre, salts, and the position in the updates. Everything is read once and written on change, one batch per write.
 */
export class VaultStorage implements ITelegramStorageProvider {
  readonly #options: VaultStorageOptions;
  readonly #keys: Map<string, Uint8Array>;
  readonly #values: Map<string, Uint8Array>;
  #unsaved = new Map<string, VaultEntry>();
  readonly #inOrder = createSerialQueue();

  private constructor(
    options: VaultStorageOptions,
    keys: ReadonlyMap<string, Uint8Array>,
    values: ReadonlyMap<string, Uint8Array>,
  ) {
    this.#options = options;
    this.#keys = new Map(keys);
    this.#values = new Map(values);
  }

  static async load(options: VaultStorageOptions): Promise<VaultStorage> {
    const { vault, isLinked } = options;
    if (!isLinked) return new VaultStorage(options, new Map(), new Map());
    const [keys, values] = await Promise.all([vault.readAll(KEYS), vault.readAll(VALUES)]);
    return new VaultStorage(options, keys, values);
  }

  /** All entries of a new link, to be written together. */
  entries(ownDc: number): VaultEntry[] {
    this.#values.set(OWN_DC, Uint8Array.of(ownDc));
    const of = (family: string, map: ReadonlyMap<string, Uint8Array>): VaultEntry[] =>
      [...map].map(([id, value]) => ({ family, id, value }));
    return [...of(KEYS, this.#keys), ...of(VALUES, this.#values)];
  }

  /** The stored position in the updates of each supergroup, by its id. */
  channelPositions(): [number, number][] {
    return [...this.#values].flatMap(([key, value]): [number, number][] => {
      if (!key.startsWith(CHANNEL_PREFIX) || value.length < 4) return [];
      return [[Number(key.slice(CHANNEL_PREFIX.length)), Buffer.from(value).readUInt32LE(0)]];
    });
  }

  readonly driver = { save: (): Promise<void> => this.#save() };

  readonly kv: ITelegramStorageProvider["kv"] = {
    set: async (key, value) => {
      if (key.startsWith(UPDATES_PREFIX)) await this.#options.received();
      this.#change(VALUES, key, value);
    },
    get: (key) => (this.#isOfSettings(key) ? null : (this.#values.get(key) ?? null)),
    delete: (key) => this.#change(VALUES, key, null),
    // Only `AccountLife` deletes an account.
    deleteAll: () => undefined,
  };

  readonly authKeys: ITelegramStorageProvider["authKeys"] = {
    set: (dc, key) => this.#setKey(String(dc), key),
    get: (dc) => this.#keys.get(String(dc)) ?? null,
    // Temporary keys are used only with perfect forward secrecy, which is off.
    setTemp: () => undefined,
    getTemp: () => null,
    deleteByDc: (dc) => this.#setKey(String(dc), null),
    deleteAll: () => undefined,
  };

  /** Peers are in the `PeerBook`, which replaces the users of these methods. */
  readonly peers: ITelegramStorageProvider["peers"] = {
    store: () => undefined,
    getById: () => null,
    getByUsername: () => null,
    getByPhone: () => null,
    deleteAll: () => undefined,
  };
  readonly refMessages: ITelegramStorageProvider["refMessages"] = {
    store: () => undefined,
    getByPeer: () => null,
    delete: () => undefined,
    deleteByPeer: () => undefined,
    deleteAll: () => undefined,
  };

  /**
   * The library creates a new key as soon as a server does not know the old one. For a linked account, one faulty
   * server would end the link, so the stored key is kept and the account retries with it.
   */
  async #setKey(dc: string, key: Uint8Array | null): Promise<void> {
    const known = this.#keys.get(dc);
    if (this.#options.isLinked && known !== undefined && !isSame(known, key) && dc === this.#ownDc())
      return this.#options.keyRefused();
    if (key === null) this.#keys.delete(dc);
    else this.#keys.set(dc, key);
    this.#note({ family: KEYS, id: dc, value: key });
    await this.#save();
  }

  /**
   * If the account's own data centre is the one in the settings, its address is taken from there, because it may have
   * changed.
   */
  #isOfSettings(key: string): boolean {
    return DC_ADDRESSES.includes(key) && this.#ownDc() === String(this.#options.firstDc);
  }

  #ownDc(): string {
    return String(this.#values.get(OWN_DC)?.[0] ?? "");
  }

  #change(family: string, id: string, value: Uint8Array | null): void {
    const known = this.#values.get(id) ?? null;
    if (value === null ? known === null : known !== null && isSame(known, value)) return;
    if (value === null) this.#values.delete(id);
    else this.#values.set(id, value);
    this.#note({ family, id, value });
  }

  #note(entry: VaultEntry): void {
    if (this.#options.isLinked) this.#unsaved.set(`${entry.family}/${entry.id}`, entry);
  }

  /** Resolves when all changes so far are stored. */
  #save(): Promise<void> {
    if (this.#unsaved.size === 0) return Promise.resolve();
    return this.#inOrder(async () => {
      const entries = [...this.#unsaved.values()];
      if (entries.length === 0) return;
      this.#unsaved = new Map();
      await this.#options.vault.write(entries);
    });
  }
}

function isSame(a: Uint8Array, b: Uint8Array | null): boolean {
  return b !== null && Buffer.from(a).equals(b);
}
