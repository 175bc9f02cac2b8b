import type { Bundle } from "../signal/agreement.ts";
import { lidJid, phoneJid } from "../wire/jid.ts";
import type { Node } from "../wire/node.ts";

/** The connection of a linked device. */
export interface DeviceConnection {
  readonly isOpen: boolean;
  send(stanza: Node): void;
  end(last?: Node): void;
  drop(): void;
  freeze(): void;
  thaw(): void;
}

/** The keys that a linked device has registered. */
export interface CompanionKeys {
  /** The static key of its connections. */
  readonly noiseKey: Buffer;
  readonly identityKey: Buffer;
  readonly registrationId: number;
  readonly signedPreKey: Bundle["signedPreKey"];
}

/** Below this number of one-time keys, the server requests more. */
const lowPreKeys = 10;

/** A linked device: the data known to the server and to others, and its waiting stanzas. */
export class LinkedDevice<Owner extends { readonly phone: string; readonly lid: string }> {
  readonly person: Owner;
  readonly device: number;
  readonly keyIndex: number;
  readonly preKeys = new Map<number, Buffer>();
  /** The encoded signed identity issued by the phone, with the device's own signature. */
  readonly signedIdentity: Buffer;
  keys: CompanionKeys;
  connection: DeviceConnection | undefined;
  /** It has requested its waiting stanzas. */
  isReady = false;
  /** Whether the phone has pushed history and keys to it, and the device has used them. */
  history: "due" | "pushed" | "taken" = "due";
  /** Group sender keys that it has: `<group> <author>`. */
  readonly senderKeys = new Set<string>();
  /** Stanzas that it has not confirmed, oldest first; sent again after a reconnect. */
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

  /** Its name in the sessions of others. */
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

  /** Sends now or once the device is ready, and again until it is confirmed. */
  deliver(stanza: Node): void {
    this.#unconfirmed.push(stanza);
    this.tell(stanza);
  }

  /** Sends to a connected device; otherwise drops it. */
  tell(stanza: Node): void {
    if (this.isReady) this.connection?.send(stanza);
  }

  /** Sends the waiting stanzas, marked as such; returns their number. */
  catchUp(): number {
    this.isReady = true;
    for (const [index, stanza] of this.#unconfirmed.entries())
      this.tell({ ...stanza, attrs: { ...stanza.attrs, offline: String(index) } });
    return this.#unconfirmed.length;
  }

  /** The device has confirmed a stanza of this kind and id with matching addresses. False if it was not expected. */
  confirm(tag: string, id: string, fits: (attrs: Node["attrs"]) => boolean): boolean {
    const index = this.#unconfirmed.findIndex(
      ({ tag: own, attrs }) => own === tag && attrs["id"] === id && fits(attrs),
    );
    if (index >= 0) this.#unconfirmed.splice(index, 1);
    return index >= 0;
  }

  /** The stanzas that waited before a restart. */
  restoreUnconfirmed(stanzas: readonly Node[]): void {
    this.#unconfirmed.push(...stanzas);
  }

  /** A bundle with one of its one-time keys, which is consumed; without one if none is left. */
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
