import type { BinaryNode } from "baileys";

/** A call that nobody answered. */
export interface MissedCall {
  readonly id: string;
  readonly from: string;
  /** The address with the phone number, if `from` is a hidden id. */
  readonly alternative?: string | undefined;
  /** In Unix seconds. */
  readonly at: number;
}

interface Call {
  /** The call was answered, or was missed and has been reported. */
  readonly isOver: boolean;
  readonly number: string | undefined;
}

const REMEMBERED = 100;

/** Distinguishes missed from answered calls. */
export class CallWatch {
  readonly #calls = new Map<string, Call>();

  /** The missed call that a stanza ends; null for all other stanzas. Each call is returned once. */
  missedBy({ tag, attrs, content }: BinaryNode): MissedCall | null {
    const part = tag === "call" && Array.isArray(content) ? content[0] : undefined;
    const { "call-id": id, "call-creator": creator, from = creator, caller_pn } = part?.attrs ?? {};
    if (part === undefined || id === undefined || from === undefined) return null;
    const known = this.#calls.get(id);
    // The phone reports the end a second time in another form.
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

/** Excludes the rejection by a device that cannot take calls, because the phone keeps ringing. */
function isEnd({ tag, attrs }: BinaryNode): boolean {
  return (tag === "terminate" || tag === "reject") && attrs["reason"] !== "uncallable";
}

/** The call was answered, which is reported to other devices as an end; or it is a group call. */
function isNobodysLoss({ tag, attrs }: BinaryNode): boolean {
  const isTaken = tag === "accept" || attrs["reason"] === "accepted_elsewhere";
  return isTaken || attrs["type"] === "group" || attrs["group-jid"] !== undefined;
}
