import type Long from "long";

/** A client's message in a session. */
interface Received {
  readonly id: Long;
  readonly seqNo: number;
  /** The serialized `rpc_result`, once there is one. */
  answer: Buffer | undefined;
}

/** How many messages of a session the server remembers. */
const kept = 1000;
/** How many of them a new message's number is compared with. */
const compared = 64;

/** Checks the sequence numbers of a client's messages, and remembers them, so that none is processed twice. */
export class IncomingSequence {
  readonly #received = new Map<string, Received>();

  find(id: Long): Received | undefined {
    return this.#received.get(id.toString());
  }

  /** Stores a valid message. */
  add(id: Long, seqNo: number): void {
    this.#received.set(id.toString(), { id, seqNo, answer: undefined });
    if (this.#received.size <= kept) return;
    for (const oldest of this.#received.keys()) {
      this.#received.delete(oldest);
      return;
    }
  }

  /** Removes a message, as if it had never arrived. */
  forget(id: Long): void {
    this.#received.delete(id.toString());
  }

  /**
   * The code of `bad_msg_notification` for the sequence number of a new message; undefined if it is valid.
   * Acknowledgements with an odd number are accepted, because widely used clients send them.
   */
  fault(id: Long, seqNo: number, isContent: boolean): 32 | 33 | 35 | undefined {
    if (isContent && seqNo % 2 === 0) return 35;
    for (const other of [...this.#received.values()].slice(-compared)) {
      const isOdd = other.seqNo % 2 === 1;
      if (other.id.lessThan(id) && (other.seqNo > seqNo || (other.seqNo === seqNo && isOdd))) return 32;
      if (other.id.greaterThan(id) && (other.seqNo < seqNo || (other.seqNo === seqNo && isOdd))) return 33;
    }
    return undefined;
  }
}
