import type Long from "long";

/** A message of the server that the client has to confirm. */
export interface Outgoing {
  readonly body: Buffer;
  readonly kind: "answer" | "update" | "service";
  /** Set when it is first transmitted. */
  sent?: { readonly id: Long; readonly seqNo: number; readonly atMs: number };
}

/** After so long a message is not repeated under its old id: clients take no older ones. */
const repeatableMs = 280_000;

/** What a session has yet to deliver: messages that wait for a connection, and those that were not confirmed. */
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

  /** What a new connection has to be given, oldest first. `lost`: updates that are too old to be repeated. */
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
