import { randomBytes } from "node:crypto";
import { hkdf, hmacSha256, sha256 } from "../crypto/cipher.ts";
import { agree, generateKeyPair } from "../crypto/x25519.ts";
import type { Forgery } from "../link/identity.ts";
import type { Person } from "../person/person.ts";

/** How long the secret of the QR code or pairing code can prove the handoff. */
const handoffMs = 5 * 60_000;
const handoffInfo = "shortcake-passkey-handoff-v1";
const encryptionInfo = "Pairing Information Encryption Key";
const alphabet = "123456789ABCDEFGHJKLMNPQRSTVWXYZ";

/** The client's part of the key agreement, as committed to in the prologue. */
interface Prologue {
  readonly publicKey: Buffer;
  readonly deviceType: number;
  readonly identity: Buffer;
  readonly commitment: Buffer;
  /** The phone need not show a code to compare. */
  readonly isProved: boolean;
}

/** A device that is being linked to an account whose passkey is required, from the challenge to the pairing request. */
export class PasskeyExchange {
  readonly person: Person;
  /** What the phone knows from the QR code or pairing code. */
  readonly secret: Buffer;
  readonly forgery: Forgery | undefined;
  readonly challenge = randomBytes(32).toString("base64url");
  /** The reference of the pairing, once the client has asked for it. */
  ref: string | undefined;
  prologue: Prologue | undefined;
  /** The code that the phone shows, once the client has opened its commitment. */
  code: string | undefined;
  /** The person has said whether both codes are the same. */
  comparison: "same" | "different" | undefined;
  /** The secret in the client's pairing request. */
  newSecret: Buffer | undefined;
  readonly #startedMs: number;
  readonly #validMs: number;
  readonly #keys = generateKeyPair();
  readonly #nonce = randomBytes(32);

  constructor(setup: {
    person: Person;
    secret: Buffer;
    forgery?: Forgery | undefined;
    nowMs: number;
    validMs: number;
  }) {
    this.person = setup.person;
    this.secret = setup.secret;
    this.forgery = setup.forgery;
    this.#startedMs = setup.nowMs;
    this.#validMs = setup.validMs;
  }

  /** The JSON of `PublicKeyCredential.parseRequestOptionsFromJSON`. */
  get options(): object {
    return {
      challenge: this.challenge,
      timeout: this.#validMs,
      rpId: "whatsapp.com",
      allowCredentials: [...this.person.passkeys.keys()].map((id) => ({
        id,
        type: "public-key",
        transports: ["hybrid", "internal"],
      })),
      userVerification: "required",
      extensions: { uvm: true },
    };
  }

  /** What the phone sends in its continuation. */
  get primaryIdentity(): { publicKey: Buffer; nonce: Buffer } {
    return { publicKey: this.#keys.publicKey, nonce: this.#nonce };
  }

  isExpired(nowMs: number): boolean {
    return nowMs - this.#startedMs > this.#validMs;
  }

  /** `late` or `wrong`: the proof does not count. */
  checkProof(payload: Buffer, proof: Buffer, nowMs: number): "late" | "wrong" | undefined {
    if (nowMs - this.#startedMs > handoffMs) return "late";
    const key = hkdf(this.secret, 32, { info: handoffInfo });
    return hmacSha256(key, payload).equals(proof) ? undefined : "wrong";
  }

  /** Returns false if the nonce does not open the commitment; else the phone shows a code, unless the handoff is proved. */
  open({ identity, commitment, publicKey }: Prologue, nonce: Buffer): boolean {
    if (!sha256(identity, nonce).equals(commitment)) return false;
    agree(this.#keys.privateKey, publicKey);
    const digest = sha256(nonce, this.#keys.publicKey);
    const bytes = Buffer.from(digest.subarray(0, 5).map((byte, index) => byte ^ (this.#nonce[index] ?? 0)));
    this.code = written(bytes);
    return true;
  }

  /** The key of the pairing request. */
  encryptionKey({ publicKey, deviceType }: Prologue): Buffer {
    const salt = Buffer.from(`Companion Pairing ${deviceType} with ref ${this.ref}`);
    return hkdf(agree(this.#keys.privateKey, publicKey), 32, { salt, info: encryptionInfo });
  }
}

/** Five bytes as `XXXX-XXXX`. */
function written(bytes: Buffer): string {
  const value = bytes.readUIntBE(0, 5);
  const letters = Array.from(
    { length: 8 },
    (_, index) => alphabet[Math.floor(value / 32 ** (7 - index)) % 32] ?? "",
  );
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}
