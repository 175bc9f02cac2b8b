import { createHash, createPublicKey, randomBytes, verify as verifyEd25519 } from "node:crypto";
import { edwardsKey, fromBytes, mod, multiplyBase, order, toBytes } from "./edwards.ts";
import { bareKey } from "./x25519.ts";

/** The prefix of XEdDSA's first hash: 2^256 - 2, little-endian. */
const hashPrefix = Buffer.from(`fe${"ff".repeat(31)}`, "hex");
const ed25519SpkiHead = Buffer.from("302a300506032b6570032100", "hex");

/**
 * Signs with an X25519 private key (https://signal.org/docs/specifications/xeddsa/). `random`: 64 bytes, passed only
 * by tests.
 */
export function sign(privateKey: Buffer, message: Uint8Array, random: Buffer = randomBytes(64)): Buffer {
  const k = fromBytes(clamp(privateKey));
  const point = multiplyBase(k);
  const negative = ((point[31] ?? 0) & 0x80) !== 0;
  const key = Buffer.from(point);
  key[31] = (key[31] ?? 0) & 0x7f;
  const a = mod(negative ? -k : k, order);
  const r = hashToScalar(hashPrefix, toBytes(a), message, random);
  const commitment = multiplyBase(r);
  const h = hashToScalar(commitment, key, message);
  return Buffer.concat([commitment, toBytes(mod(r + h * a, order))]);
}

/**
 * Verifies a signature with the signer's X25519 public key. The sign of the Edwards key may be in the highest bit,
 * where Signal's libraries put it; the specification leaves it 0.
 */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  const sign = ((signature[63] ?? 0) & 0x80) !== 0;
  const plain = Buffer.from(signature);
  plain[63] = (plain[63] ?? 0) & 0x7f;
  const der = Buffer.concat([ed25519SpkiHead, edwardsKey(bareKey(publicKey), sign)]);
  return verifyEd25519(null, message, createPublicKey({ key: der, format: "der", type: "spki" }), plain);
}

function clamp(privateKey: Buffer): Buffer {
  const bytes = Buffer.from(privateKey);
  bytes[0] = (bytes[0] ?? 0) & 248;
  bytes[31] = ((bytes[31] ?? 0) & 127) | 64;
  return bytes;
}

function hashToScalar(...parts: Uint8Array[]): bigint {
  const hash = createHash("sha512");
  for (const part of parts) hash.update(part);
  return mod(fromBytes(hash.digest()), order);
}
