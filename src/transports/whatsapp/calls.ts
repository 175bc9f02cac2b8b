import type { BinaryNode } from "baileys";

/** A call that nobody took. */
export interface MissedCall {
  readonly id: string;
  readonly from: string;
  /** The address with the phone number, where `from` hides it. */
  readonly alternative?: string | undefined;
  /** In seconds, as WhatsApp writes times. */
  readonly at: number;
}

interface Call {
  /** Somebody took it, or it was missed and that is told. */
  readonly isOver: boolean;
  readonly number: string | undefined;
}

const REMEMBERED = 100;

/** Tells missed calls from answered ones. */
export class CallWatch {
  readonly #calls = new Map<string, Call>();

  /** The call that a stanza ends and that nobody took; null for all others. Each call is answered once. */
  missedBy({ tag, attrs, content }: BinaryNode): MissedCall | null {
    const part = tag === "call" && Array.isArray(content) ? content[0] : undefined;
    const { "call-id": id, "call-creator": creator, from = creator, caller_pn } = part?.attrs ?? {};
    if (part === undefined || id === undefined || from === undefined) return null;
    const known = this.#calls.get(id);
    // The phone tells of an end once more in other words.
    if (known?.isOver === true) return null;
    const number = caller_pn ?? known?.number;
    const isMissed = isEnd(part) && !isNobodysLoss(part);
    this.#remember(id, { isOver: isMissed || isNobodysLoss(part), number });
    return isMissed ? { id, from, alternative: number, at: Number(attrs["t"] ?? 0) } : null;
  }

  #remember(id: string, call: Call): void {
    this.#calls.set(id, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > REMEMBERED && oldest !== undefined) this.#calls.delete(oldest);
  }
}

/** Not the refusal of one device that cannot take calls: the phone goes on ringing. */
function isEnd({ tag, attrs }: BinaryNode): boolean {
  return (tag === "terminate" || tag === "reject") && attrs["reason"] !== "uncallable";
}

/** Taken, which the other devices are told as an end of its own; or a group's, which is no call to this account alone. */
function isNobodysLoss({ tag, attrs }: BinaryNode): boolean {
  const isTaken = tag === "accept" || attrs["reason"] === "accepted_elsewhere";
  return isTaken || attrs["type"] === "group" || attrs["group-jid"] !== undefined;
}
