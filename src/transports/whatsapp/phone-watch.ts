import type { BinaryNode } from "baileys";
import type { Vault } from "../../core/transport/connector.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/**
 * WhatsApp logs out linked devices if the phone has not been used for more than 14 days
 * (https://faq.whatsapp.com/378279804439436).
 */
const ASK_AFTER_MS = 12 * DAY_MS;
const AWAY_AFTER_MS = 13 * DAY_MS;
const ASK_EVERY_MS = 6 * 60 * MINUTE_MS;
/** A phone that is online responds within seconds; a sleeping one responds when it next wakes up. */
const ANSWER_MS = 10 * MINUTE_MS;
const STORE_EVERY_MS = 60 * MINUTE_MS;

const FAMILY = "phone-watch";
const ID = "phone";

/** Times by the server's clock, in ms. */
export interface PhoneFacts {
  /** When the phone was last active. */
  readonly seenAt: number;
  /** When it was first queried after that; null if it was not. */
  readonly askedAt: number | null;
  readonly lastAskedAt: number | null;
}

/**
 * `ask`: the phone has been inactive for long and should be queried, which makes it respond if it is online. `away`: it
 * has not responded to the query either. Pure.
 */
export function judgePhone({ seenAt, askedAt, lastAskedAt }: PhoneFacts, now: number) {
  const quietMs = now - seenAt;
  return {
    ask: quietMs >= ASK_AFTER_MS && (lastAskedAt === null || now - lastAskedAt >= ASK_EVERY_MS),
    away: quietMs >= AWAY_AFTER_MS && askedAt !== null && now - askedAt >= ANSWER_MS,
  };
}

/** Whether a stanza comes from the phone itself, which is device 0 of the account. Pure. */
export function isFromPhone(
  { tag, attrs }: Pick<BinaryNode, "tag" | "attrs">,
  me: { readonly id: string; readonly lid?: string | undefined },
): boolean {
  if (tag !== "message" && tag !== "receipt") return false;
  const author = partsOf(attrs["participant"] ?? attrs["from"]);
  if (author.user === "" || author.device !== "0") return false;
  return [me.id, me.lid].some((own) => {
    const { user, server } = partsOf(own);
    return user === author.user && server === author.server;
  });
}

/** `<user>_<agent>:<device>@<server>`; the device defaults to 0. */
function partsOf(jid: string | undefined): { user: string; device: string; server: string } {
  const [name = "", server = ""] = (jid ?? "").split("@");
  const [who = "", device = "0"] = name.split(":");
  return { user: who.split("_")[0] ?? "", device, server };
}

/**
 * Records when the account's phone was last active: when it sent a receipt for a message of this device, an echo of a
 * message written on it, or a response to a query. Times are by the server's clock. Stored in the vault, so that the
 * phone does not appear active after a restart.
 */
export class PhoneWatch {
  readonly #vault: Vault;
  #seenAt: number | null = null;
  #askedAt: number | null = null;
  #lastAskedAt: number | null = null;
  #aheadMs = 0;
  #stored = "";
  #storedSeenAt = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Loads the state that an earlier process stored. */
  async load(): Promise<void> {
    const bytes = (await this.#vault.read(FAMILY, [ID])).get(ID);
    if (bytes === undefined || this.#seenAt !== null) return;
    this.#stored = Buffer.from(bytes).toString();
    const { seenAt, askedAt } = JSON.parse(this.#stored) as Omit<PhoneFacts, "lastAskedAt">;
    [this.#seenAt, this.#askedAt, this.#storedSeenAt] = [seenAt, askedAt, seenAt];
  }

  /** Call at each login with the server's time in seconds. During linking, the phone is active. */
  setClock(seconds: string | undefined): void {
    const serverMs = Number(seconds) * 1_000;
    if (Number.isSafeInteger(serverMs) && serverMs > 0) this.#aheadMs = serverMs - Date.now();
    this.#seenAt ??= this.#now();
  }

  /** Call with each stanza. Delayed stanzas contain the time when they were sent. */
  see(node: BinaryNode, me: { readonly id: string; readonly lid?: string | undefined }): void {
    if (!isFromPhone(node, me)) return;
    const sentAt = Number(node.attrs["t"]) * 1_000;
    const now = this.#now();
    const at = Number.isSafeInteger(sentAt) && sentAt > 0 ? Math.min(sentAt, now) : now;
    if (at <= (this.#seenAt ?? 0)) return;
    this.#seenAt = at;
    if (this.#askedAt !== null && at < this.#askedAt) return;
    this.#askedAt = null;
    this.#lastAskedAt = null;
  }

  get isAway(): boolean {
    return this.#judgement().away;
  }

  /** Whether to query the phone now; if so, it counts as queried. */
  takeQuestion(): boolean {
    if (!this.#judgement().ask) return false;
    this.#lastAskedAt = this.#now();
    this.#askedAt ??= this.#lastAskedAt;
    return true;
  }

  /** Stores significant changes; call periodically. Throws if the store is unavailable. */
  async store(): Promise<void> {
    const facts = JSON.stringify({ seenAt: this.#seenAt, askedAt: this.#askedAt });
    const isOld = (this.#seenAt ?? 0) - this.#storedSeenAt >= STORE_EVERY_MS;
    const wasAsked = this.#stored.includes('"askedAt":null') === (this.#askedAt !== null);
    if (this.#seenAt === null || facts === this.#stored || !(isOld || wasAsked)) return;
    await this.#vault.write([{ family: FAMILY, id: ID, value: Buffer.from(facts) }]);
    [this.#stored, this.#storedSeenAt] = [facts, this.#seenAt];
  }

  #judgement(): ReturnType<typeof judgePhone> {
    if (this.#seenAt === null) return { ask: false, away: false };
    const facts = { seenAt: this.#seenAt, askedAt: this.#askedAt, lastAskedAt: this.#lastAskedAt };
    return judgePhone(facts, this.#now());
  }

  #now(): number {
    return Date.now() + this.#aheadMs;
  }
}
