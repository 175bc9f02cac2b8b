import type { ITelegramStorageProvider } from "@mtcute/core";
import type { Vault, VaultEntry } from "../../core/transport/connector.ts";
import { createOrder } from "../../platform/in-order.ts";

const KEYS = "auth-key";
const VALUES = "value";
/** Where in the account's updates we are (`pts`, `qts`, `date`, `seq`, and one per supergroup). */
const UPDATES_PREFIX = "updates_";

/** The number of the account's own data centre, and its address as the library stores it. */
const OWN_DC = "own_dc";
const DC_ADDRESSES = ["dc_main", "dc_media"];

export interface VaultStorageOptions {
  /** The data centre of the settings. */
  readonly firstDc: number;
  /** A patient one: what the library cannot store it takes for stored. */
  readonly vault: Pick<Vault, "readAll" | "write">;
  /** False while an account is being linked: an abandoned attempt leaves nothing behind. */
  readonly isLinked: boolean;
  /** Awaited before a place in the updates is stored: resolves once everything before it is stored. */
  received(): Promise<void>;
  /** Telegram does not know the key of the linked account any more. */
  keyRefused(): void;
}

/**
 * What the library remembers of an account, in the channel's vault: the keys of data centres, which one is the account's
 * own, salts, and the place in the updates. Everything is read once and written as it changes, one batch per write.
 */
export class VaultStorage implements ITelegramStorageProvider {
  readonly #options: VaultStorageOptions;
  readonly #keys: Map<string, Uint8Array>;
  readonly #values: Map<string, Uint8Array>;
  #unsaved = new Map<string, VaultEntry>();
  readonly #inOrder = createOrder();

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

  /** All that a new link consists of, to be written at once. */
  entries(ownDc: number): VaultEntry[] {
    this.#values.set(OWN_DC, Uint8Array.of(ownDc));
    const of = (family: string, map: ReadonlyMap<string, Uint8Array>): VaultEntry[] =>
      [...map].map(([id, value]) => ({ family, id, value }));
    return [...of(KEYS, this.#keys), ...of(VALUES, this.#values)];
  }

  readonly driver = { save: (): Promise<void> => this.#save() };

  readonly kv: ITelegramStorageProvider["kv"] = {
    set: async (key, value) => {
      if (key.startsWith(UPDATES_PREFIX)) await this.#options.received();
      this.#change(VALUES, key, value);
    },
    get: (key) => (this.#isOfSettings(key) ? null : (this.#values.get(key) ?? null)),
    delete: (key) => this.#change(VALUES, key, null),
    // Only `AccountLife` forgets an account.
    deleteAll: () => undefined,
  };

  readonly authKeys: ITelegramStorageProvider["authKeys"] = {
    set: (dc, key) => this.#setKey(String(dc), key),
    get: (dc) => this.#keys.get(String(dc)) ?? null,
    // Without perfect forward secrecy there are none.
    setTemp: () => undefined,
    getTemp: () => null,
    deleteByDc: (dc) => this.#setKey(String(dc), null),
    deleteAll: () => undefined,
  };

  /** People and groups are in the `PeerBook`, which takes the place of what would use these. */
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
   * The library makes a new key as soon as a server does not know the old one. For a linked account that would lose the
   * link for one confused server, so the stored key stays, and the account tries again with it.
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

  /** Where the account's own data centre is the one of the settings, its address may have changed there. */
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

  /** Resolves when what has changed so far is stored. */
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
