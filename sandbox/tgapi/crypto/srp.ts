import { pbkdf2Sync, randomBytes } from "node:crypto";
import { modPow, toBig, toBytes } from "./big.ts";
import { dhGenerator, dhPrime, groupBytes, isSafeShared } from "./group.ts";
import { sha256, xor } from "./hash.ts";

/** The stored form of a cloud password (core.telegram.org/api/srp). */
export interface StoredPassword {
  readonly salt1: Buffer;
  readonly salt2: Buffer;
  /** g^x mod p, 256 bytes. */
  readonly verifier: Buffer;
  readonly hint: string | undefined;
}

/** A login attempt: the server's secret, and what the client receives. */
export interface SrpChallenge {
  readonly b: Buffer;
  readonly B: Buffer;
}

const p = toBytes(dhPrime, groupBytes);
const g = toBytes(dhGenerator, groupBytes);

export function storePassword(password: string, hint: string | undefined): StoredPassword {
  const [salt1, salt2] = [randomBytes(16), randomBytes(16)];
  const x = toBig(passwordHash(password, salt1, salt2));
  return { salt1, salt2, verifier: toBytes(modPow(dhGenerator, x, dhPrime), groupBytes), hint };
}

export function challenge({ verifier }: StoredPassword): SrpChallenge {
  const b = randomBytes(groupBytes);
  const k = toBig(sha256(p, g));
  const B = (k * toBig(verifier) + modPow(dhGenerator, toBig(b), dhPrime)) % dhPrime;
  return { b, B: toBytes(B, groupBytes) };
}

/** Whether the client's proof shows that it knows the password. */
export function provesPassword(
  stored: StoredPassword,
  { b, B }: SrpChallenge,
  proof: { readonly A: Uint8Array; readonly M1: Uint8Array },
): boolean {
  const A = toBig(proof.A);
  if (!isSafeShared(A)) return false;
  const padded = toBytes(A, groupBytes);
  const u = toBig(sha256(padded, B));
  const base = (A * modPow(toBig(stored.verifier), u, dhPrime)) % dhPrime;
  const key = sha256(toBytes(modPow(base, toBig(b), dhPrime), groupBytes));
  const expected = sha256(
    xor(sha256(p), sha256(g)),
    sha256(stored.salt1),
    sha256(stored.salt2),
    padded,
    B,
    key,
  );
  return expected.equals(proof.M1);
}

/** PH2 of the documentation: the x of SRP. */
function passwordHash(password: string, salt1: Buffer, salt2: Buffer): Buffer {
  const salted = (data: Uint8Array, salt: Buffer) => sha256(salt, data, salt);
  const first = salted(salted(Buffer.from(password), salt1), salt2);
  return salted(pbkdf2Sync(first, salt1, 100_000, 64, "sha512"), salt2);
}

/** The parameters sent to clients. */
export const srpParameters = { g: Number(dhGenerator), p } as const;
