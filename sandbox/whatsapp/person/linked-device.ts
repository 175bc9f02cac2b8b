import type { Bundle } from "../signal/agreement.ts";
import { lidJid, phoneJid } from "../wire/jid.ts";
import type { Node } from "../wire/node.ts";

/** The connection that a linked device is on. */
export interface DeviceConnection {
  readonly isOpen: boolean;
  send(stanza: Node): void;
  end(last?: Node): void;
  drop(): void;
  freeze(): void;
  thaw(): void;
}

/** What a linked device has registered. */
export interface CompanionKeys {
  /** The static key of its connections. */
  readonly noiseKey: Buffer;
  readonly identityKey: Buffer;
  readonly registrationId: number;
  readonly signedPreKey: Bundle["signedPreKey"];
}

/** Below so many one-time keys the server asks for more. */
const lowPreKeys = 10;

/** A linked device: what the server and the others know of it, and what waits for it. */
export class LinkedDevice<Owner extends { readonly phone: string; readonly lid: string }> {
  readonly person: Owner;
  readonly device: number;
  readonly keyIndex: number;
  readonly preKeys = new Map<number, Buffer>();
  /** The signed identity that the phone gave it, with the device's own signature; encoded. */
  readonly signedIdentity: Buffer;
  keys: CompanionKeys;
  connection: DeviceConnection | undefined;
  /** It has said that it wants what waits. */
  isReady = false;
  /** Whether the phone has pushed history and keys to it, and the device has used them. */
  history: "due" | "pushed" | "taken" = "due";
  /** Group sender keys that it holds: `<group> <author>`. */
  readonly senderKeys = new Set<string>();
  /** Stanzas that it has not confirmed, oldest first; a reconnect gets them again. */
  readonly #unconfirmed: Node[] = [];

  constructor(setup: {
    person: Owner;
    device: number;
    keyIndex: number;
    keys: CompanionKeys;
    signedIdentity: Buffer;
  }) {
    this.person = setup.person;
    this.device = setup.device;
    this.keyIndex = setup.keyIndex;
    this.keys = setup.keys;
    this.signedIdentity = setup.signedIdentity;
  }

  /** How the sessions of others name it. */
  get address(): string {
    return `${this.person.phone}:${this.device}`;
  }

  get jid(): string {
    return phoneJid(this.person.phone, this.device);
  }

  get lid(): string {
    return lidJid(this.person.lid, this.device);
  }

  get isOnline(): boolean {
    return this.connection?.isOpen === true;
  }

  get unconfirmed(): readonly Node[] {
    return this.#unconfirmed;
  }

  /** Sends now or when the device is next ready, and again until it is confirmed. */
  deliver(stanza: Node): void {
    this.#unconfirmed.push(stanza);
    this.tell(stanza);
  }

  /** Sends to a device that is there, and forgets it otherwise. */
  tell(stanza: Node): void {
    if (this.isReady) this.connection?.send(stanza);
  }

  /** Sends what waits, marked as having waited; returns how much it was. */
  catchUp(): number {
    this.isReady = true;
    for (const [index, stanza] of this.#unconfirmed.entries())
      this.tell({ ...stanza, attrs: { ...stanza.attrs, offline: String(index) } });
    return this.#unconfirmed.length;
  }

  /** The device has confirmed a stanza of this kind and id whose addresses fit. False when it was not waited for. */
  confirm(tag: string, id: string, fits: (attrs: Node["attrs"]) => boolean): boolean {
    const index = this.#unconfirmed.findIndex(
      ({ tag: own, attrs }) => own === tag && attrs["id"] === id && fits(attrs),
    );
    if (index >= 0) this.#unconfirmed.splice(index, 1);
    return index >= 0;
  }

  /** What waited before a restart. */
  restoreUnconfirmed(stanzas: readonly Node[]): void {
    this.#unconfirmed.push(...stanzas);
  }

  /** A bundle with one of its one-time keys, which is gone then; without one when there is none left. */
  takeBundle(): { readonly bundle: Bundle; readonly isLow: boolean } {
    const [first] = this.preKeys;
    if (first) this.preKeys.delete(first[0]);
    const { registrationId, identityKey, signedPreKey } = this.keys;
    const preKey = first && { id: first[0], key: first[1] };
    return {
      bundle: { registrationId, identityKey, signedPreKey, preKey },
      isLow: this.preKeys.size < lowPreKeys,
    };
  }
}
