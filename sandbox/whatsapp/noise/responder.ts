import { hkdf, openGcm, sealGcm, sha256 } from "../crypto/cipher.ts";
import { agree, generateKeyPair, type KeyPair } from "../crypto/x25519.ts";

const nothing = Buffer.alloc(0);

/** The initial hash of a handshake pattern: its name, padded to 32 bytes, or hashed if longer (Noise, 5.2). */
function initialHash(pattern: "XX" | "IK" | "XXfallback"): Buffer {
  const name = Buffer.from(`Noise_${pattern}_25519_AESGCM_SHA256`);
  return name.length > 32 ? sha256(name) : Buffer.concat([name], 32);
}

/** One direction after the handshake: AES-GCM with a counter, without associated data. */
export class TransportCipher {
  readonly #key: Buffer;
  #counter = 0;

  constructor(key: Buffer) {
    this.#key = key;
  }

  seal(plain: Uint8Array): Buffer {
    return sealGcm(this.#key, counterIv(this.#counter++), plain);
  }

  /** Throws if the frame is not the next one of this direction. */
  open(sealed: Uint8Array): Buffer {
    return openGcm(this.#key, counterIv(this.#counter++), sealed);
  }
}

/** The content of the second handshake message. Without `static` in IK: the client knows it. */
export interface ServerHello {
  readonly ephemeral: Buffer;
  readonly static?: Buffer;
  readonly payload: Buffer;
}

/** The first handshake message of IK: the ephemeral key, and the sealed static key and payload. */
export interface ResumeHello {
  readonly ephemeral: Uint8Array;
  readonly static: Uint8Array;
  readonly payload: Uint8Array;
}

/** The result of the handshake. */
export interface Established {
  readonly clientStatic: Buffer;
  readonly payload: Buffer;
  readonly incoming: TransportCipher;
  readonly outgoing: TransportCipher;
}

/**
 * The responder of the Noise handshakes XX, IK and XXfallback (https://noiseprotocol.org/noise.html, 5, 7.5 and 10.2).
 * A client that knows the server's static key begins with IK, which saves a round trip. If the key is another one by
 * now, the server answers with XXfallback, which is XX from its second message on.
 */
export class NoiseResponder {
  readonly #static: KeyPair;
  readonly #ephemeral: KeyPair;
  readonly #prologue: Uint8Array;
  #hash: Buffer = nothing;
  #chainingKey: Buffer = nothing;
  #key: Buffer = nothing;
  #counter = 0;

  /** `ephemeral` is passed only by tests. */
  constructor(setup: { static: KeyPair; prologue: Uint8Array; ephemeral?: KeyPair }) {
    this.#static = setup.static;
    this.#ephemeral = setup.ephemeral ?? generateKeyPair();
    this.#prologue = setup.prologue;
  }

  /** The handshake hash, the same on both sides. */
  get hash(): Buffer {
    return this.#hash;
  }

  /**
   * `-> e`, then `<- e, ee, s, es` with the payload. WhatsApp's first message has no payload, and unlike in Noise, no
   * empty one is hashed; tests pass `clientPayload`.
   */
  hello(clientEphemeral: Uint8Array, payload: Uint8Array, clientPayload?: Uint8Array): ServerHello {
    this.#start("XX");
    return this.#hello(clientEphemeral, payload, clientPayload);
  }

  /** The same answer to a first message of IK that `resume` could not open. */
  fallback(clientEphemeral: Uint8Array, payload: Uint8Array): ServerHello {
    this.#start("XXfallback");
    return this.#hello(clientEphemeral, payload);
  }

  /**
   * `-> e, es, s, ss` with the client's payload, then `<- e, ee, se` with ours: the handshake is complete. Undefined if
   * the message is sealed for another static key. Throws if only its payload does not match.
   */
  resume(
    client: ResumeHello,
    payload: Uint8Array,
  ): { hello: ServerHello; established: Established } | undefined {
    this.#start("IK");
    this.#mixHash(this.#static.publicKey);
    this.#mixHash(client.ephemeral);
    this.#mixKey(agree(this.#static.privateKey, client.ephemeral));
    const clientStatic = this.#tryOpen(client.static);
    if (!clientStatic) return undefined;
    this.#mixKey(agree(this.#static.privateKey, clientStatic));
    const clientPayload = this.#open(client.payload);
    this.#mixHash(this.#ephemeral.publicKey);
    this.#mixKey(agree(this.#ephemeral.privateKey, client.ephemeral));
    this.#mixKey(agree(this.#ephemeral.privateKey, clientStatic));
    const hello = { ephemeral: this.#ephemeral.publicKey, payload: this.#seal(payload) };
    return { hello, established: this.#establish(clientStatic, clientPayload) };
  }

  /** `-> s, se` with the client's payload. Throws if the client's key or handshake does not match. */
  finish(sealedStatic: Uint8Array, sealedPayload: Uint8Array): Established {
    const clientStatic = this.#open(sealedStatic);
    this.#mixKey(agree(this.#ephemeral.privateKey, clientStatic));
    return this.#establish(clientStatic, this.#open(sealedPayload));
  }

  #start(pattern: Parameters<typeof initialHash>[0]): void {
    this.#hash = initialHash(pattern);
    this.#chainingKey = this.#hash;
    this.#mixHash(this.#prologue);
  }

  #hello(clientEphemeral: Uint8Array, payload: Uint8Array, clientPayload?: Uint8Array): ServerHello {
    this.#mixHash(clientEphemeral);
    if (clientPayload) this.#mixHash(clientPayload);
    this.#mixHash(this.#ephemeral.publicKey);
    this.#mixKey(agree(this.#ephemeral.privateKey, clientEphemeral));
    const sealedStatic = this.#seal(this.#static.publicKey);
    this.#mixKey(agree(this.#static.privateKey, clientEphemeral));
    return { ephemeral: this.#ephemeral.publicKey, static: sealedStatic, payload: this.#seal(payload) };
  }

  /** The client's keys come first in all three handshakes: in XXfallback too, it counts as the initiator. */
  #establish(clientStatic: Buffer, payload: Buffer): Established {
    const keys = hkdf(nothing, 64, { salt: this.#chainingKey });
    const incoming = new TransportCipher(keys.subarray(0, 32));
    const outgoing = new TransportCipher(keys.subarray(32));
    return { clientStatic, payload, incoming, outgoing };
  }

  #mixHash(data: Uint8Array): void {
    this.#hash = sha256(this.#hash, data);
  }

  #mixKey(secret: Buffer): void {
    const keys = hkdf(secret, 64, { salt: this.#chainingKey });
    this.#chainingKey = keys.subarray(0, 32);
    this.#key = keys.subarray(32);
    this.#counter = 0;
  }

  #seal(plain: Uint8Array): Buffer {
    const sealed = sealGcm(this.#key, counterIv(this.#counter++), plain, this.#hash);
    this.#mixHash(sealed);
    return sealed;
  }

  #tryOpen(sealed: Uint8Array): Buffer | undefined {
    try {
      return this.#open(sealed);
    } catch {
      return undefined;
    }
  }

  #open(sealed: Uint8Array): Buffer {
    const plain = openGcm(this.#key, counterIv(this.#counter++), sealed, this.#hash);
    this.#mixHash(sealed);
    return plain;
  }
}

/** 4 zero bytes and the counter in 8, big-endian. */
function counterIv(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeBigUInt64BE(BigInt(counter), 4);
  return iv;
}
