import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { KeyPair } from "baileys";
import { bytesToCrockford, Curve, proto } from "../library.ts";

// The key agreement of the linking with a passkey: whatsmeow, pair-passkey.go (commit 33cfac51).

const HANDOFF_INFO = "shortcake-passkey-handoff-v1";
const ENCRYPTION_INFO = "Pairing Information Encryption Key";
const CODE_BYTES = 5;

/** The key that proves that the phone scanned the code that this client has shown. `secret`: that of the code. */
export function handoffKey(secret: string): Buffer {
  return hkdf(Buffer.from(secret, "base64"), "", HANDOFF_INFO);
}

/** The client's part of an agreement: a new key, and a nonce that it first only commits to. */
export class Agreement {
  readonly #keys: KeyPair = Curve.generateKeyPair();
  readonly nonce: Buffer = randomBytes(32);
  readonly #ref: string;
  readonly #deviceType: number;

  constructor(ref: string, deviceType: number) {
    this.#ref = ref;
    this.#deviceType = deviceType;
  }

  prologue(): Buffer {
    const companionEphemeralIdentity = proto.CompanionEphemeralIdentity.encode({
      publicKey: this.#keys.public,
      deviceType: this.#deviceType,
      ref: this.#ref,
    }).finish();
    const hash = sha256(companionEphemeralIdentity, this.nonce);
    const payload = { companionEphemeralIdentity, commitment: { hash } };
    return Buffer.from(proto.ProloguePayload.encode(payload).finish());
  }

  /** Agrees on a key with the phone. Throws for an invalid key. */
  meet(bytes: Uint8Array): { readonly key: Buffer; readonly code: string } {
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytes);
    if (publicKey?.length !== 32 || nonce?.length !== 32) throw new Error("The phone's key is malformed");
    const secret = Curve.sharedKey(this.#keys.private, publicKey);
    if (secret.every((byte) => byte === 0)) throw new Error("The phone's key is invalid");
    const salt = `Companion Pairing ${this.#deviceType} with ref ${this.#ref}`;
    const digest = sha256(this.nonce, publicKey).subarray(0, CODE_BYTES);
    const code = bytesToCrockford(Buffer.from(digest.map((byte, index) => byte ^ (nonce[index] ?? 0))));
    return {
      key: hkdf(secret, salt, ENCRYPTION_INFO),
      code: `${code.slice(0, 4)}-${code.slice(4)}`,
    };
  }
}

/** The keys of this device, encrypted for the phone. */
export function sealRequest(
  key: Buffer,
  creds: { readonly noiseKey: KeyPair; readonly signedIdentityKey: KeyPair; readonly advSecretKey: string },
): Uint8Array {
  const request = proto.PairingRequest.encode({
    companionPublicKey: creds.noiseKey.public,
    companionIdentityKey: creds.signedIdentityKey.public,
    advSecret: Buffer.from(creds.advSecretKey, "base64"),
  }).finish();
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
  return proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
}

export function proofOf(key: Buffer, prologue: Uint8Array): Buffer {
  return createHmac("sha256", key).update(prologue).digest();
}

function hkdf(key: Uint8Array, salt: string, info: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, 32));
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
