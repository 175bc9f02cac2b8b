import { randomInt } from "node:crypto";
import { generateKeyPair, type KeyPair, typedKey } from "../crypto/x25519.ts";
import { sign } from "../crypto/xeddsa.ts";
import { type Bundle, beginIncoming, beginOutgoing } from "./agreement.ts";
import { encodePreKeyMessage, parseMessage, parsePreKeyMessage } from "./message.ts";
import { decryptWith, encryptWith, ReadBefore, type Session } from "./session.ts";

/** The type of an encrypted text: the first ones of a session contain keys. */
export type CipherType = "pkmsg" | "msg";

/** The state that survives a restart. */
export interface DeviceState {
  readonly identity: KeyPair;
  readonly registrationId: number;
  readonly signedPreKey: KeyPair;
  readonly signedPreKeySignature: Buffer;
  readonly preKeys: ReadonlyMap<number, KeyPair>;
  readonly nextPreKeyId: number;
  /** Sessions by the peer's address, current one first. */
  readonly sessions: ReadonlyMap<string, readonly Session[]>;
}

const signedPreKeyId = 1;
/** Older sessions of a peer, for messages still in transit. */
const keptSessions = 40;

/** The Signal device of a person's phone: real keys, and real sessions with all linked devices that write to it. */
export class SignalDevice {
  readonly identity: KeyPair;
  readonly registrationId: number;
  readonly #signedPreKey: KeyPair;
  readonly #signature: Buffer;
  readonly #preKeys: Map<number, KeyPair>;
  readonly #sessions: Map<string, readonly Session[]>;
  #nextPreKeyId: number;

  constructor(state: DeviceState = newDevice()) {
    this.identity = state.identity;
    this.registrationId = state.registrationId;
    this.#signedPreKey = state.signedPreKey;
    this.#signature = state.signedPreKeySignature;
    this.#preKeys = new Map(state.preKeys);
    this.#sessions = new Map(state.sessions);
    this.#nextPreKeyId = state.nextPreKeyId;
  }

  get state(): DeviceState {
    return {
      identity: this.identity,
      registrationId: this.registrationId,
      signedPreKey: this.#signedPreKey,
      signedPreKeySignature: this.#signature,
      preKeys: this.#preKeys,
      nextPreKeyId: this.#nextPreKeyId,
      sessions: this.#sessions,
    };
  }

  /** A bundle with a new one-time key. */
  issueBundle(): Bundle {
    const id = this.#nextPreKeyId++;
    const pair = generateKeyPair();
    this.#preKeys.set(id, pair);
    return {
      registrationId: this.registrationId,
      identityKey: this.identity.publicKey,
      signedPreKey: { id: signedPreKeyId, key: this.#signedPreKey.publicKey, signature: this.#signature },
      preKey: { id, key: pair.publicKey },
    };
  }

  hasSession(address: string): boolean {
    return (this.#sessions.get(address)?.length ?? 0) > 0;
  }

  /** As after a reinstallation: messages in transit can no longer be decrypted. Without an address: all sessions. */
  forgetSessions(address?: string): void {
    if (address === undefined) this.#sessions.clear();
    else this.#sessions.delete(address);
  }

  /**
   * Starts a new session; the next text to `address` contains its keys. Older sessions can still decrypt messages in
   * transit.
   */
  begin(address: string, bundle: Bundle): void {
    this.#put(address, beginOutgoing(this.identity, bundle));
  }

  /** Encrypts in the current session, which must exist. */
  encrypt(address: string, plain: Uint8Array): { readonly type: CipherType; readonly ciphertext: Buffer } {
    const session = this.#sessions.get(address)?.[0];
    if (!session) throw new Error(`no session with ${address}`);
    const { session: after, message } = encryptWith(session, plain, this.identity.publicKey);
    this.#put(address, after);
    if (!after.pending) return { type: "msg", ciphertext: message };
    const head = {
      registrationId: this.registrationId,
      ...after.pending,
      baseKey: Buffer.from(after.baseKey, "hex"),
      identityKey: this.identity.publicKey,
    };
    return { type: "pkmsg", ciphertext: encodePreKeyMessage(head, message) };
  }

  /** Decrypts; throws for messages not meant for this device, and `ReadBefore`. */
  decrypt(address: string, type: CipherType, wire: Uint8Array): Buffer {
    return type === "pkmsg" ? this.#decryptFirst(address, wire) : this.#decryptNext(address, wire);
  }

  #decryptFirst(address: string, wire: Uint8Array): Buffer {
    const first = parsePreKeyMessage(wire);
    const known = this.#sessions
      .get(address)
      ?.find(({ baseKey }) => baseKey === first.baseKey.toString("hex"));
    const session = known ?? this.#accept(first);
    const { session: after, plain } = decryptWith(session, first.message, this.identity.publicKey);
    this.#put(address, after);
    if (first.preKeyId !== undefined) this.#preKeys.delete(first.preKeyId);
    return plain;
  }

  #accept(first: ReturnType<typeof parsePreKeyMessage>): Session {
    if (first.signedPreKeyId !== signedPreKeyId) throw new Error(`signed pre-key ${first.signedPreKeyId}`);
    const preKey = first.preKeyId === undefined ? undefined : this.#preKeys.get(first.preKeyId);
    if (first.preKeyId !== undefined && !preKey) throw new Error(`pre-key ${first.preKeyId} is gone`);
    return beginIncoming({ identity: this.identity, signedPreKey: this.#signedPreKey, preKey }, first);
  }

  #decryptNext(address: string, wire: Uint8Array): Buffer {
    const message = parseMessage(wire);
    const failures: string[] = [];
    for (const session of this.#sessions.get(address) ?? []) {
      try {
        const { session: after, plain } = decryptWith(session, message, this.identity.publicKey);
        this.#put(address, after);
        return plain;
      } catch (error) {
        if (error instanceof ReadBefore) throw error;
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    throw new Error(failures.length === 0 ? "no session" : failures.join(", "));
  }

  /** Makes a session the current one, replacing its former state. */
  #put(address: string, session: Session): void {
    const others = (this.#sessions.get(address) ?? []).filter(({ baseKey }) => baseKey !== session.baseKey);
    this.#sessions.set(address, [session, ...others].slice(0, keptSessions));
  }
}

function newDevice(): DeviceState {
  const identity = generateKeyPair();
  const signedPreKey = generateKeyPair();
  return {
    identity,
    registrationId: randomInt(1, 16380),
    signedPreKey,
    signedPreKeySignature: sign(identity.privateKey, typedKey(signedPreKey.publicKey)),
    preKeys: new Map(),
    nextPreKeyId: 1,
    sessions: new Map(),
  };
}
