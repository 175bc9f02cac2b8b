import type Long from "long";

/** A message of the server that the client must confirm. */
export interface Outgoing {
  readonly body: Buffer;
  readonly kind: "answer" | "update" | "service";
  /** Set when it is first transmitted. */
  sent?: { readonly id: Long; readonly seqNo: number; readonly atMs: number };
}

/** Older messages are not repeated under their id, because clients reject them. */
const repeatableMs = 280_000;

/** The undelivered messages of a session: waiting for a connection, or not confirmed. */
export class Outbox {
  readonly #unconfirmed = new Map<string, Outgoing>();
  #waiting: Outgoing[] = [];

  get unconfirmed(): number {
    return this.#unconfirmed.size;
  }

  get waitingUpdates(): number {
    return this.#waiting.filter(({ kind }) => kind === "update").length;
  }

  hold(message: Outgoing): void {
    this.#waiting.push(message);
  }

  transmitted(message: Outgoing): void {
    if (message.sent) this.#unconfirmed.set(message.sent.id.toString(), message);
  }

  confirm(ids: readonly Long[]): void {
    for (const id of ids) this.#unconfirmed.delete(id.toString());
  }

  find(id: Long): Outgoing | undefined {
    return this.#unconfirmed.get(id.toString());
  }

  forgetUpdates(): void {
    this.#waiting = this.#waiting.filter(({ kind }) => kind !== "update");
  }

  /** The messages for a new connection, oldest first. `lost`: updates that are too old to repeat. */
  takeDue(nowMs: number): { readonly due: Outgoing[]; readonly lost: boolean } {
    const repeated = [...this.#unconfirmed.values()];
    const isTooOld = ({ sent }: Outgoing) => sent !== undefined && nowMs - sent.atMs > repeatableMs;
    const lost = repeated.some((each) => isTooOld(each) && each.kind === "update");
    for (const each of repeated) if (isTooOld(each) && each.sent) this.confirm([each.sent.id]);
    const due = [...repeated.filter((each) => !isTooOld(each)), ...this.#waiting];
    this.#waiting = [];
    return { due, lost };
  }
}
