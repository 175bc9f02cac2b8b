import { hkdf } from "../crypto/cipher.ts";
import { agree, generateKeyPair, type KeyPair } from "../crypto/x25519.ts";
import { type Chain, messageKeys, skipTo, stepChain } from "./chain.ts";
import { openMessage, type RatchetMessage, sealMessage } from "./message.ts";

/** Keys that the peer needs until its first reply. */
export interface PendingPreKey {
  readonly preKeyId: number | undefined;
  readonly signedPreKeyId: number;
}

interface ReceivingChain {
  /** The peer's ratchet key in hex. */
  readonly ratchet: string;
  readonly chain: Chain;
  /** Seeds of skipped messages, by number. */
  readonly skipped: ReadonlyMap<number, Buffer>;
}

/** A session of the double ratchet (https://signal.org/docs/specifications/doubleratchet/). Immutable. */
export interface Session {
  /** The initiator's public base key in hex: identifies the session. */
  readonly baseKey: string;
  readonly remoteIdentity: Buffer;
  readonly rootKey: Buffer;
  readonly ratchet: KeyPair;
  readonly sending: Chain | undefined;
  readonly previousCounter: number;
  readonly receiving: readonly ReceivingChain[];
  readonly pending: PendingPreKey | undefined;
}

/** The key of this text was already used: it is a duplicate, or its sender has lost count. The receiver drops it. */
export class ReadBefore extends Error {
  override readonly name = "ReadBefore";
  constructor() {
    super("this message was read before");
  }
}

/** How many of the peer's ratchet keys are kept for late messages. */
const keptChains = 5;

/** The session after the key agreement; the initiator can send at once. */
export function beginSession(setup: {
  secret: Buffer;
  baseKey: Buffer;
  remoteIdentity: Buffer;
  ratchet: KeyPair;
  remoteRatchet?: Buffer;
  pending?: PendingPreKey;
}): Session {
  const keys = hkdf(setup.secret, 64, { salt: Buffer.alloc(32), info: "WhisperText" });
  const session: Session = {
    baseKey: setup.baseKey.toString("hex"),
    remoteIdentity: setup.remoteIdentity,
    rootKey: keys.subarray(0, 32),
    ratchet: setup.ratchet,
    sending: undefined,
    previousCounter: 0,
    receiving: [],
    pending: setup.pending,
  };
  if (!setup.remoteRatchet) return session;
  const { rootKey, chain } = turn(session.rootKey, setup.ratchet, setup.remoteRatchet);
  return { ...session, rootKey, sending: chain };
}

/** Encrypts the next message. Its MAC covers `identities`. */
export function encryptWith(
  session: Session,
  plain: Uint8Array,
  ownIdentity: Buffer,
): { session: Session; message: Buffer } {
  if (!session.sending) throw new Error("the peer has not spoken yet");
  const { seed, chain } = stepChain(session.sending);
  const message = sealMessage(
    {
      ratchetKey: session.ratchet.publicKey,
      counter: session.sending.next,
      previousCounter: session.previousCounter,
    },
    { plain, keys: messageKeys(seed), sender: ownIdentity, receiver: session.remoteIdentity },
  );
  return { session: { ...session, sending: chain }, message };
}

/**
 * Decrypts a message; throws, without changing the session, if it does not belong to the session or is a duplicate.
 */
export function decryptWith(
  session: Session,
  message: RatchetMessage,
  ownIdentity: Buffer,
): { session: Session; plain: Buffer } {
  const turned = followRatchet(session, message);
  const name = message.ratchetKey.toString("hex");
  const found = turned.receiving.find(({ ratchet }) => ratchet === name);
  if (!found) throw new Error("no chain for this message");
  const { seed, updated } = takeSeed(found, message.counter);
  const plain = openMessage(message, {
    keys: messageKeys(seed),
    sender: session.remoteIdentity,
    receiver: ownIdentity,
  });
  const receiving = turned.receiving.map((each) => (each === found ? updated : each));
  return { session: { ...turned, receiving, pending: undefined }, plain };
}

/** A new ratchet key advances the ratchet: a new receiving chain, then a new sending chain. */
function followRatchet(session: Session, message: RatchetMessage): Session {
  const name = message.ratchetKey.toString("hex");
  if (session.receiving.some(({ ratchet }) => ratchet === name)) return session;
  const receivingTurn = turn(session.rootKey, session.ratchet, message.ratchetKey);
  const ratchet = generateKeyPair();
  const sendingTurn = turn(receivingTurn.rootKey, ratchet, message.ratchetKey);
  const last = session.receiving.at(-1);
  const older = last ? [...session.receiving.slice(0, -1), passOver(last, message.previousCounter + 1)] : [];
  const opened = { ratchet: name, chain: receivingTurn.chain, skipped: new Map<number, Buffer>() };
  return {
    ...session,
    rootKey: sendingTurn.rootKey,
    ratchet,
    sending: sendingTurn.chain,
    previousCounter: Math.max(0, (session.sending?.next ?? 0) - 1),
    receiving: [...older, opened].slice(-keptChains),
  };
}

function passOver(receiving: ReceivingChain, until: number): ReceivingChain {
  const { chain, skipped } = skipTo(receiving.chain, until);
  return { ...receiving, chain, skipped: new Map([...receiving.skipped, ...skipped]) };
}

function takeSeed(receiving: ReceivingChain, counter: number): { seed: Buffer; updated: ReceivingChain } {
  if (counter < receiving.chain.next) {
    const seed = receiving.skipped.get(counter);
    if (!seed) throw new ReadBefore();
    const skipped = new Map(receiving.skipped);
    skipped.delete(counter);
    return { seed, updated: { ...receiving, skipped } };
  }
  const passed = passOver(receiving, counter);
  const { seed, chain } = stepChain(passed.chain);
  return { seed, updated: { ...passed, chain } };
}

function turn(rootKey: Buffer, own: KeyPair, theirs: Buffer): { rootKey: Buffer; chain: Chain } {
  const keys = hkdf(agree(own.privateKey, theirs), 64, { salt: rootKey, info: "WhisperRatchet" });
  return { rootKey: keys.subarray(0, 32), chain: { key: keys.subarray(32), next: 0 } };
}
