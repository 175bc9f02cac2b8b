import type { PossiblyExtendedCacheStore } from "baileys";

const REMEMBERED = 200;
const FRESH_MS = 5 * 60_000;

/** The device lists of people, cached for some minutes. The library's keys are the user part of the address. */
export class DeviceLists implements PossiblyExtendedCacheStore {
  readonly #lists = new Map<string, { readonly value: unknown; readonly until: number }>();

  get<T>(user: string): T | undefined {
    const known = this.#lists.get(user);
    if (known !== undefined && known.until < Date.now()) this.#lists.delete(user);
    return this.#lists.get(user)?.value as T | undefined;
  }

  set<T>(user: string, value: T): void {
    this.#lists.delete(user);
    this.#lists.set(user, { value, until: Date.now() + FRESH_MS });
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > REMEMBERED && oldest !== undefined) this.#lists.delete(oldest);
  }

  del(user: string): void {
    this.#lists.delete(user);
  }

  flushAll(): void {
    this.#lists.clear();
  }

  /** Makes the next message to this address, or to any member of a group, look up the devices again. */
  forget(jid: string): void {
    const user = jid.split("@")[0]?.split(":")[0] ?? "";
    if (jid.endsWith("@g.us")) this.flushAll();
    else this.del(user);
  }
}
