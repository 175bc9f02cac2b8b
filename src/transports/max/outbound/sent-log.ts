import { randomInt } from "node:crypto";
import type { Vault } from "../../../core/transport/connector.ts";
import { BoundedMap } from "../bounded-map.ts";

const DAYS = 8;
const DAY_MS = 86_400_000;
/** Messages that MAX may report before it responds to the send. */
const KEPT = 200;

/**
 * The `cid` of each of our messages. It is stored before the message is sent, so that it is the same at every
 * attempt, and so that MAX's later reports are recognised as ours. One vault family per day, deleted after a week.
 */
export class SentLog {
  readonly #vault: Vault;
  readonly #now: () => number;
  readonly #messages = new BoundedMap<string, string>(KEPT);
  readonly #edits = new BoundedMap<string, string>(KEPT);
  /** Chosen, but perhaps not stored yet. */
  readonly #chosen = new BoundedMap<number, true>(KEPT);
  #tidied = 0;

  constructor(vault: Vault, now: () => number = Date.now) {
    this.#vault = vault;
    this.#now = now;
  }

  /** The message's `cid`: that of its first attempt, or a new one, which is stored before this resolves. */
  async cidOf(messageId: string): Promise<number> {
    const known = await this.#find(messageKey(messageId));
    const cid = known === undefined ? await this.#newCid() : Number(known);
    if (known === undefined) await this.#store(messageId, cid);
    this.#messages.set(String(cid), messageId);
    return cid;
  }

  /** The message id of a recently sent message. */
  recent(cid: string): string | undefined {
    return this.#messages.get(cid);
  }

  /** The `OutboundMessage.id` for a `cid`; undefined if this channel did not send it. */
  async messageOf(cid: string): Promise<string | undefined> {
    const messageId = this.#messages.get(cid) ?? (await this.#find(cidKey(cid)));
    if (messageId !== undefined) this.#messages.set(cid, messageId);
    return messageId;
  }

  /** Call before an edit is sent. */
  noteEdit(messageId: string, text: string): void {
    this.#edits.set(messageId, text);
  }

  isOwnEdit(messageId: string, text: string): boolean {
    return this.#edits.get(messageId) === text;
  }

  /**
   * A random millisecond of the last 24 hours. The web client uses the current one. If we did, a message that the owner
   * writes elsewhere in the same millisecond would have our `cid`: its report would be taken for ours, and in the same
   * chat MAX would respond to our send with that message.
   */
  async #newCid(): Promise<number> {
    for (;;) {
      const cid = this.#now() - randomInt(DAY_MS);
      if (this.#chosen.has(cid)) continue;
      this.#chosen.set(cid, true);
      if ((await this.#find(cidKey(String(cid)))) === undefined) return cid;
    }
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

  /** Deletes the day whose family tomorrow's messages will use. */
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
