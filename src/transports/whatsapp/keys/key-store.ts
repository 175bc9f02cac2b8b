import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from "baileys";
import type { Vault, VaultEntry } from "../../../core/transport/connector.ts";
import { BufferJSON, proto } from "../library.ts";

/** The number of keys cached per account; the vault holds all of them. */
const CACHED = 120;
/** Used only once, so caching them is useless. */
const UNCACHED = new Set(["pre-key", "inbox"]);

/** The library's key store on the channel's vault. A batch is written in one transaction before `set` resolves. */
export function createKeyStore(vault: Vault): SignalKeyStore {
  const cache = new RecentKeys(CACHED);
  return {
    async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const values = new Map(ids.map((id) => [id, cache.take(`${type} ${id}`)]));
      const missing = ids.filter((id) => values.get(id) === undefined);
      const read = missing.length === 0 ? NOTHING : await vault.read(type, missing);
      for (const id of missing) {
        const stored = read.get(id);
        const set = cache.take(`${type} ${id}`);
        // A value that was set or deleted during the read is newer.
        const value = set !== undefined ? set : stored === undefined ? null : decode(type, stored);
        values.set(id, value);
        cache.set(`${type} ${id}`, value, !UNCACHED.has(type));
      }
      const found = [...values].filter(([, value]) => value != null);
      return Object.fromEntries(found) as { [id: string]: SignalDataTypeMap[T] };
    },
    async set(data: SignalDataSet) {
      const entries = entriesOf(data);
      for (const { family, id, raw } of entries) cache.set(`${family} ${id}`, raw, !UNCACHED.has(family));
      try {
        await vault.write(entries.map(({ family, id, value }) => ({ family, id, value })));
      } catch (error) {
        for (const { family, id } of entries) cache.drop(`${family} ${id}`);
        throw error;
      }
    },
  };
}

const NOTHING: ReadonlyMap<string, Uint8Array> = new Map();

function entriesOf(data: SignalDataSet): (VaultEntry & { readonly raw: unknown })[] {
  return Object.entries(data).flatMap(([family, values]) =>
    Object.entries(values ?? {}).map(([id, raw]) => ({
      family,
      id,
      raw: raw ?? null,
      value: raw == null ? null : encodeJson(raw),
    })),
  );
}

/** JSON that preserves byte arrays. */
export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value, BufferJSON.replacer));
}

export function decodeJson(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver);
}

function decode(type: string, bytes: Uint8Array): unknown {
  const value = decodeJson(bytes);
  // The library requires an instance of the class.
  return type === "app-state-sync-key"
    ? proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>)
    : value;
}

/** The most recently used keys, including those known not to exist. */
class RecentKeys {
  readonly #max: number;
  readonly #values = new Map<string, unknown>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Undefined if the key is not cached; null if it is known not to exist. */
  take(key: string): unknown {
    const value = this.#values.get(key);
    if (!this.#values.delete(key)) return undefined;
    this.#values.set(key, value);
    return value;
  }

  set(key: string, value: unknown, keep: boolean): void {
    this.#values.delete(key);
    if (!keep) return;
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#max && oldest !== undefined) this.#values.delete(oldest);
  }

  drop(key: string): void {
    this.#values.delete(key);
  }
}
