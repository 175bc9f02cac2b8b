import { hkdf, openGcm, sealGcm, sha256 } from "../crypto/cipher.ts";
import { agree, generateKeyPair, type KeyPair } from "../crypto/x25519.ts";
import { intro } from "../wire/frames.ts";
import { type ServerHello, TransportCipher } from "./responder.ts";

/** A client's side of the handshakes, for tests that need one which resumes (baileys does not). */
export class NoiseInitiator {
  readonly #static: KeyPair;
  readonly #ephemeral = generateKeyPair();
  #hash: Buffer = Buffer.alloc(0);
  #chainingKey: Buffer = Buffer.alloc(0);
  #key: Buffer = Buffer.alloc(0);
  #counter = 0;

  constructor(own: KeyPair) {
    this.#static = own;
  }

  /** The first message of XX. */
  begin(): { ephemeral: Buffer } {
    return { ephemeral: this.#ephemeral.publicKey };
  }

  /** The first message of IK, sealed for this key of the server. */
  resume(server: Buffer, payload: Uint8Array): { ephemeral: Buffer; static: Buffer; payload: Buffer } {
    this.#start("IK");
    this.#mixHash(server);
    this.#mixHash(this.#ephemeral.publicKey);
    this.#mixKey(agree(this.#ephemeral.privateKey, server));
    const sealedStatic = this.#seal(this.#static.publicKey);
    this.#mixKey(agree(this.#static.privateKey, server));
    return { ephemeral: this.#ephemeral.publicKey, static: sealedStatic, payload: this.#seal(payload) };
  }

  /** Opens the second message of IK: the certificate. */
  resumed(hello: ServerHello): Buffer {
    this.#mixHash(hello.ephemeral);
    this.#mixKey(agree(this.#ephemeral.privateKey, hello.ephemeral));
    this.#mixKey(agree(this.#static.privateKey, hello.ephemeral));
    return this.#open(hello.payload);
  }

  /** Opens the second message of XX or XXfallback: the server's static key. */
  learn(pattern: "XX" | "XXfallback", hello: ServerHello): Buffer {
    this.#start(pattern);
    this.#mixHash(this.#ephemeral.publicKey);
    this.#mixHash(hello.ephemeral);
    this.#mixKey(agree(this.#ephemeral.privateKey, hello.ephemeral));
    const server = this.#open(hello.static ?? Buffer.alloc(0));
    this.#mixKey(agree(this.#ephemeral.privateKey, server));
    this.#open(hello.payload);
    return server;
  }

  /** The third message of XX and XXfallback. */
  finish({ ephemeral }: ServerHello, payload: Uint8Array): { static: Buffer; payload: Buffer } {
    const sealedStatic = this.#seal(this.#static.publicKey);
    this.#mixKey(agree(this.#static.privateKey, ephemeral));
    return { static: sealedStatic, payload: this.#seal(payload) };
  }

  /** What the server sends after the handshake. */
  incoming(): TransportCipher {
    return new TransportCipher(hkdf(Buffer.alloc(0), 64, { salt: this.#chainingKey }).subarray(32));
  }

  #start(pattern: "XX" | "IK" | "XXfallback"): void {
    const name = Buffer.from(`Noise_${pattern}_25519_AESGCM_SHA256`);
    this.#hash = name.length > 32 ? sha256(name) : Buffer.concat([name], 32);
    this.#chainingKey = this.#hash;
    this.#mixHash(intro);
  }

  #mixHash(data: Uint8Array): void {
    this.#hash = sha256(this.#hash, data);
  }

  #mixKey(secret: Buffer): void {
    const keys = hkdf(secret, 64, { salt: this.#chainingKey });
    [this.#chainingKey, this.#key, this.#counter] = [keys.subarray(0, 32), keys.subarray(32), 0];
  }

  #seal(plain: Uint8Array): Buffer {
    const sealed = sealGcm(this.#key, this.#iv(), plain, this.#hash);
    this.#mixHash(sealed);
    return sealed;
  }

  #open(sealed: Uint8Array): Buffer {
    const plain = openGcm(this.#key, this.#iv(), sealed, this.#hash);
    this.#mixHash(sealed);
    return plain;
  }

  #iv(): Buffer {
    const iv = Buffer.alloc(12);
    iv.writeUInt32BE(this.#counter++, 8);
    return iv;
  }
}
