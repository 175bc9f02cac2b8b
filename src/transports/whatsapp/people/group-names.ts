import { isLost, toTransportError } from "../errors.ts";

const MAX_GROUPS = 2_000;
const FRESH_MS = 6 * 60 * 60_000;
/** Until the next lookup after a failed one. */
const RETRY_MS = 10 * 60_000;

interface Known {
  /** "" if no lookup has succeeded. */
  readonly name: string;
  readonly until: number;
}

/**
 * The names of an account's groups, over all its connections. WhatsApp limits lookups, and restricts accounts that
 * make many of them.
 */
export class GroupNames {
  readonly #names = new Map<string, Known>();
  /** Nothing is looked up before this time, because WhatsApp has refused for too many requests. */
  #heldUntil = 0;

  /** The known name of a group, or the one that `lookUp` returns; "" if it is unknown. */
  async find(jid: string, lookUp: () => Promise<{ readonly subject: string }>): Promise<string> {
    const known = this.#names.get(jid);
    const now = performance.now();
    if (known !== undefined && known.until > now) return known.name;
    const last = known?.name ?? "";
    if (this.#heldUntil > now) return last;
    try {
      const { subject } = await lookUp();
      this.learn(jid, subject);
      return subject;
    } catch (error) {
      const until = performance.now() + RETRY_MS;
      if (isFlood(error)) this.#heldUntil = until;
      else if (!isLost(error)) this.#set(jid, { name: last, until });
      return last;
    }
  }

  learn(jid: string, name: string): void {
    this.#set(jid, { name, until: performance.now() + FRESH_MS });
  }

  #set(jid: string, known: Known): void {
    this.#names.delete(jid);
    this.#names.set(jid, known);
    const [oldest] = this.#names.keys();
    if (this.#names.size > MAX_GROUPS && oldest !== undefined) this.#names.delete(oldest);
  }
}

function isFlood(error: unknown): boolean {
  return toTransportError(error, { sent: false }).code === "TOO_MANY_EXT_REQS";
}
