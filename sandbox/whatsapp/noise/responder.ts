import { hkdf, openGcm, sealGcm, sha256 } from "../crypto/cipher.ts";
import { agree, generateKeyPair, type KeyPair } from "../crypto/x25519.ts";

/** Exactly 32 bytes with its padding, so that it is its own first hash. */
const protocolName = Buffer.from("Noise_XX_25519_AESGCM_SHA256\0\0\0\0");
const nothing = Buffer.alloc(0);

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

  /** Throws when the frame is not the next one of this direction. */
  open(sealed: Uint8Array): Buffer {
    return openGcm(this.#key, counterIv(this.#counter++), sealed);
  }
}

/** What the second message of the handshake carries. */
export interface ServerHello {
  readonly ephemeral: Buffer;
  readonly static: Buffer;
  readonly payload: Buffer;
}

/** What is known and possible once the handshake is done. */
export interface Established {
  readonly clientStatic: Buffer;
  readonly payload: Buffer;
  readonly incoming: TransportCipher;
  readonly outgoing: TransportCipher;
}

/** The answering side of the Noise handshake XX (https://noiseprotocol.org/noise.html, 5 and 7.5). */
export class NoiseResponder {
  readonly #static: KeyPair;
  readonly #ephemeral: KeyPair;
  #hash: Buffer = protocolName;
  #chainingKey: Buffer = protocolName;
  #key: Buffer = nothing;
  #counter = 0;

  /** `ephemeral` is given by tests only. */
  constructor(setup: { static: KeyPair; prologue: Uint8Array; ephemeral?: KeyPair }) {
    this.#static = setup.static;
    this.#ephemeral = setup.ephemeral ?? generateKeyPair();
    this.#mixHash(setup.prologue);
  }

  /** The handshake hash, the same on both sides. */
  get hash(): Buffer {
    return this.#hash;
  }

  /**
   * `-> e`, then `<- e, ee, s, es` with the payload. WhatsApp's first message has no payload, and unlike Noise it
   * does not hash an empty one either; tests give `clientPayload`.
   */
  hello(clientEphemeral: Uint8Array, payload: Uint8Array, clientPayload?: Uint8Array): ServerHello {
    this.#mixHash(clientEphemeral);
    if (clientPayload) this.#mixHash(clientPayload);
    this.#mixHash(this.#ephemeral.publicKey);
    this.#mixKey(agree(this.#ephemeral.privateKey, clientEphemeral));
    const sealedStatic = this.#seal(this.#static.publicKey);
    this.#mixKey(agree(this.#static.privateKey, clientEphemeral));
    return { ephemeral: this.#ephemeral.publicKey, static: sealedStatic, payload: this.#seal(payload) };
  }

  /** `-> s, se` with the client's payload. Throws when the client speaks for another key or handshake. */
  finish(sealedStatic: Uint8Array, sealedPayload: Uint8Array): Established {
    const clientStatic = this.#open(sealedStatic);
    this.#mixKey(agree(this.#ephemeral.privateKey, clientStatic));
    const payload = this.#open(sealedPayload);
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
