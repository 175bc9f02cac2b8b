import type { Vault } from "../../core/transport/connector.ts";
import { BoundedMap } from "./bounded-map.ts";

const DAYS = 8;
const DAY_MS = 86_400_000;
/** Messages of which MAX may tell before it answers the send. */
const KEPT = 200;

/**
 * Which `cid` each message of ours goes by. It is stored before the message leaves, so that it is the same at every
 * attempt, and that what MAX tells of it later is known to be ours. One family per day, forgotten after a week.
 */
export class SentLog {
  readonly #vault: Vault;
  readonly #now: () => number;
  readonly #messages = new BoundedMap<string, string>(KEPT);
  readonly #edits = new BoundedMap<string, string>(KEPT);
  #last = 0;
  #tidied = 0;

  constructor(vault: Vault, now: () => number = Date.now) {
    this.#vault = vault;
    this.#now = now;
  }

  /** The message's `cid`: that of its first attempt, else a new one that is stored when this resolves. */
  async cidOf(messageId: string): Promise<number> {
    const known = await this.#find(messageKey(messageId));
    const cid = known === undefined ? await this.#newCid() : Number(known);
    if (known === undefined) await this.#store(messageId, cid);
    this.#messages.set(String(cid), messageId);
    return cid;
  }

  /** Of a message that was sent a short while ago. */
  recent(cid: string): string | undefined {
    return this.#messages.get(cid);
  }

  /** `OutboundMessage.id` of what has this `cid`; undefined for what this channel did not send. */
  async messageOf(cid: string): Promise<string | undefined> {
    const messageId = this.#messages.get(cid) ?? (await this.#find(cidKey(cid)));
    if (messageId !== undefined) this.#messages.set(cid, messageId);
    return messageId;
  }

  /** Call it before an edit leaves. */
  noteEdit(messageId: string, text: string): void {
    this.#edits.set(messageId, text);
  }

  isOwnEdit(messageId: string, text: string): boolean {
    return this.#edits.get(messageId) === text;
  }

  /** Milliseconds, as the web client takes; the clock may have been set back, and two may come at once. */
  async #newCid(): Promise<number> {
    let cid = Math.max(this.#now(), this.#last + 1);
    this.#last = cid;
    while ((await this.#find(cidKey(String(cid)))) !== undefined) {
      cid = Math.max(cid, this.#last) + 1;
      this.#last = cid;
    }
    return cid;
  }

  async #store(messageId: string, cid: number): Promise<void> {
    const family = familyOf(this.#today());
    await this.#tidy();
    await this.#vault.write([
      { family, id: messageKey(messageId), value: Buffer.from(String(cid)) },
      { family, id: cidKey(String(cid)), value: Buffer.from(messageId) },
    ]);
  }

  async #find(key: string): Promise<string | undefined> {
    const today = this.#today();
    const families = Array.from({ length: DAYS - 1 }, (_, age) => familyOf(today - age));
    const read = await Promise.all(families.map((family) => this.#vault.read(family, [key])));
    const value = read.map((found) => found.get(key)).find((each) => each !== undefined);
    return value === undefined ? undefined : Buffer.from(value).toString();
  }

  /** Forgets the day whose family tomorrow's messages will need. */
  async #tidy(): Promise<void> {
    const today = this.#today();
    if (this.#tidied === today) return;
    const family = familyOf(today + 1);
    const old = [...(await this.#vault.readAll(family)).keys()];
    if (old.length > 0) await this.#vault.write(old.map((id) => ({ family, id, value: null })));
    this.#tidied = today;
  }

  #today(): number {
    return Math.floor(this.#now() / DAY_MS);
  }
}

const messageKey = (messageId: string): string => `message ${messageId}`;
const cidKey = (cid: string): string => `cid ${cid}`;
const familyOf = (day: number): string => `sent-${day % DAYS}`;
