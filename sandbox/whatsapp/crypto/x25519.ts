import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto";

/** A Curve25519 key pair as raw bytes, 32 each. */
export interface KeyPair {
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
}

/** The DER prefix of the 32 bytes of an X25519 key (RFC 8410). */
const spkiHead = Buffer.from("302a300506032b656e032100", "hex");
const pkcs8Head = Buffer.from("302e020100300506032b656e04220420", "hex");

/** Signal prefixes public keys with a type; 5 is Curve25519. */
const keyType = Buffer.from([5]);

export function generateKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("x25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  return {
    publicKey: publicKey.subarray(spkiHead.length),
    privateKey: privateKey.subarray(pkcs8Head.length),
  };
}

/** The key pair of a given private key. */
export function keyPairOf(privateKey: Buffer): KeyPair {
  const der = createPublicKey(importPrivate(privateKey)).export({ format: "der", type: "spki" });
  return { privateKey, publicKey: der.subarray(spkiHead.length) };
}

/** The shared secret of X25519; `theirs` with or without the type byte. Throws for keys of small order. */
export function agree(privateKey: Buffer, theirs: Uint8Array): Buffer {
  return diffieHellman({ privateKey: importPrivate(privateKey), publicKey: importPublic(bareKey(theirs)) });
}

/** 33 bytes, the format of public keys in Signal. */
export function typedKey(publicKey: Uint8Array): Buffer {
  return Buffer.concat([keyType, publicKey]);
}

/** The 32 bytes of a public key with or without its type; throws for any other length or type. */
export function bareKey(publicKey: Uint8Array): Buffer {
  const bytes = Buffer.from(publicKey);
  if (bytes.length === 32) return bytes;
  if (bytes.length === 33 && bytes[0] === 5) return bytes.subarray(1);
  throw new Error(`a public key of ${bytes.length} bytes`);
}

function importPrivate(privateKey: Buffer) {
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, privateKey]), format: "der", type: "pkcs8" });
}

function importPublic(publicKey: Buffer) {
  return createPublicKey({ key: Buffer.concat([spkiHead, publicKey]), format: "der", type: "spki" });
}
