import { createHmac, randomBytes } from "node:crypto";
import Long from "long";
import { sha1 } from "../crypto/hash.ts";

/** How long a salt is issued, and how much longer it is accepted. */
const saltSeconds = 3600;
const graceSeconds = 1800;

/** The declarations of a client in `initConnection`. */
export interface AppInfo {
  readonly apiId: number;
  readonly deviceModel: string;
  readonly systemVersion: string;
  readonly appVersion: string;
}

/**
 * An authorization key of one data centre, with the account that logged in with it. Plain data, kept over restarts.
 */
export interface AuthKey {
  /** The low 64 bits of the key's SHA-1, in hex in wire order. */
  readonly id: string;
  readonly key: Buffer;
  readonly dc: number;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The salt that both sides compute from the nonces. */
  readonly firstSalt: Long;
  /** Incremented when the salts are rotated on demand. */
  saltEpoch: number;
  /** Identifies the login in lists of sessions. */
  hash: Long;
  userId: number | undefined;
  /** The account that has proved everything but the cloud password. */
  pendingUserId: number | undefined;
  /** Imported from another data centre: valid for files only. */
  isImported: boolean;
  /** The text of the error that ended the login, for example `SESSION_REVOKED`. */
  endedBy: string | undefined;
  /** Used from two places at once: refused permanently. */
  isDuplicated: boolean;
  layer: number | undefined;
  app: AppInfo | undefined;
  activeAt: number;
}

function keyIdOf(key: Uint8Array): string {
  return sha1(key).subarray(12).toString("hex");
}

export function makeAuthKey(setup: Pick<AuthKey, "key" | "dc" | "createdAt" | "firstSalt">): AuthKey {
  return {
    ...setup,
    id: keyIdOf(setup.key),
    saltEpoch: 0,
    hash: randomLong(),
    userId: undefined,
    pendingUserId: undefined,
    isImported: false,
    endedBy: undefined,
    isDuplicated: false,
    layer: undefined,
    app: undefined,
    activeAt: setup.createdAt,
  };
}

/** A salt with its validity. */
export interface Salt {
  readonly salt: Long;
  readonly validSince: number;
  readonly validUntil: number;
}

/** The current salt, and the following ones. */
export function saltsFrom(key: AuthKey, now: number, count: number): Salt[] {
  const slot = slotAt(key, now);
  return Array.from({ length: count }, (_, index) => saltIn(key, slot + index));
}

export function isSaltGood(key: AuthKey, salt: Long, now: number): boolean {
  const slot = slotAt(key, now);
  return [slot, slot - 1].some((each) => {
    const known = saltIn(key, each);
    return each >= 0 && known.salt.equals(salt) && now < known.validUntil;
  });
}

/** 64 random bits. */
export function randomLong(): Long {
  return Long.fromBytesLE([...randomBytes(8)]);
}

function slotAt(key: AuthKey, now: number): number {
  return Math.max(0, Math.floor((now - key.createdAt) / saltSeconds));
}

function saltIn(key: AuthKey, slot: number): Salt {
  const validSince = key.createdAt + slot * saltSeconds;
  const isFirst = slot === 0 && key.saltEpoch === 0;
  const mac = createHmac("sha256", key.key).update(`${key.saltEpoch}/${slot}`).digest();
  const salt = isFirst ? key.firstSalt : Long.fromBytesLE([...mac.subarray(0, 8)]);
  return { salt, validSince, validUntil: validSince + saltSeconds + graceSeconds };
}
