import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

/** Encrypts values that are stored in the database, and derives secrets that need not be stored. */
export interface Seal {
  /** Encrypts with AES-256-GCM. `context` names the place of the value; it cannot be opened under another one. */
  seal(plain: string | Uint8Array, context: string): Buffer;
  /** Throws `WrongSecretKey` if the value was sealed with an unknown key, `SealBroken` if it was changed or moved. */
  open(sealed: Uint8Array, context: string): Buffer;
  /** 32 bytes; the same for the same arguments while the derivation key stays the same. */
  derive(purpose: string, ...parts: readonly string[]): Buffer;
  /** Identifies the key without revealing it: 16 hex digits. */
  readonly fingerprint: string;
  /** The fingerprint of the second key; null if there is none. */
  readonly otherFingerprint: string | null;
  /** The prefix of all values sealed with the present key; other prefixes belong to other keys. */
  readonly header: Buffer;
}

export interface SealOptions {
  /** A second key, used only for opening. */
  readonly other?: string | undefined;
  /** The key that secrets are derived from; default: the key itself. */
  readonly derivationKey?: Uint8Array;
}

export class WrongSecretKey extends Error {
  override readonly name = "WrongSecretKey";
  constructor(sealedBy: string, ours: string) {
    super(
      `This value was sealed with another SECRET_KEY (fingerprint ${sealedBy}…, the one in use is ${ours}). ` +
        "Start with the SECRET_KEY that this database was used with before, or set it as SECRET_KEY_OTHER; without DATABASE_URL it is in DATA_DIR/secret.key.",
    );
  }
}

export class SealBroken extends Error {
  override readonly name = "SealBroken";
  constructor(context: string, cause?: unknown) {
    super(
      `A sealed value is damaged or does not belong to "${context}". Restore it from a backup or reconnect the channel.`,
      {
        cause,
      },
    );
  }
}

const VERSION = 1;
const KEY_MARK_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_MARK_BYTES + IV_BYTES;

/** Layout of a sealed value: version (1), start of the key's fingerprint (4), IV (12), ciphertext, tag (16). */
export function createSeal(secretKey: string, { other, derivationKey }: SealOptions = {}): Seal {
  const present = keyOf(secretKey);
  const second = other === undefined ? null : keyOf(other);
  const keys = second === null ? [present] : [present, second];
  const derivation = derivationKey === undefined ? present.master : createSecretKey(derivationKey);
  return {
    fingerprint: present.fingerprint,
    otherFingerprint: second?.fingerprint ?? null,
    header: Buffer.concat([Uint8Array.of(VERSION), present.mark]),
    derive: (purpose, ...parts) => deriveKey(derivation, purpose, parts),
    seal(plain, context) {
      const iv = randomBytes(IV_BYTES);
      const key = valueKey(present, context);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Uint8Array.of(VERSION), present.mark, iv, body, cipher.getAuthTag()]);
    },
    open(sealed, context) {
      const value = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (value.length < HEADER_BYTES + TAG_BYTES || value[0] !== VERSION) throw new SealBroken(context);
      const sealedBy = value.subarray(1, 1 + KEY_MARK_BYTES);
      const key = keys.find(({ mark }) => mark.equals(sealedBy));
      if (key === undefined) throw new WrongSecretKey(sealedBy.toString("hex"), present.fingerprint);
      return decrypt(value, valueKey(key, context), context);
    },
  };
}

/** Node converts a key given as bytes at each use, which takes five times as long as the HMAC of a short text. */
interface Key {
  readonly master: KeyObject;
  readonly fingerprint: string;
  readonly mark: Buffer;
}

function keyOf(secretKey: string): Key {
  const master = createSecretKey(Buffer.from(hkdfSync("sha256", secretKey, "trunkline", "master", 32)));
  const fingerprint = deriveKey(master, "fingerprint", []).toString("hex", 0, 8);
  return { master, fingerprint, mark: Buffer.from(fingerprint, "hex").subarray(0, KEY_MARK_BYTES) };
}

/**
 * One key per context, so that the number of values sealed under random IVs with one key stays below the safe limit.
 */
function valueKey({ master }: Key, context: string): KeyObject {
  return createSecretKey(deriveKey(master, "seal", [context]));
}

function decrypt(value: Buffer, key: KeyObject, context: string): Buffer {
  const iv = value.subarray(1 + KEY_MARK_BYTES, HEADER_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
  decipher.setAuthTag(value.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(value.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new SealBroken(context, cause);
  }
}

function deriveKey(master: KeyObject, purpose: string, parts: readonly string[]): Buffer {
  const hmac = createHmac("sha256", master);
  for (const part of [purpose, ...parts]) hmac.update(`${Buffer.byteLength(part)}:`).update(part);
  return hmac.digest();
}
