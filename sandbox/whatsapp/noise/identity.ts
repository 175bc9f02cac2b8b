import { proto } from "baileys/WAProto/index.js";
import { generateKeyPair, type KeyPair } from "../crypto/x25519.ts";
import { sign } from "../crypto/xeddsa.ts";

/** The identity of the server: a static key, certified in two steps from the root. */
export interface ServerIdentity {
  readonly static: KeyPair;
  /** The encoded `CertChain`. */
  readonly chain: Buffer;
}

const { CertChain } = proto;
const { Details } = CertChain.NoiseCertificate;
/** 2100-01-01. */
const endOfTime = 4_102_444_800;

/** Creates the certificate of a new static key: the root signs the intermediate key, which signs the leaf. */
export function certify(root: KeyPair): ServerIdentity {
  const intermediateKey = generateKeyPair();
  const staticKey = generateKeyPair();
  const intermediate = certificate({ serial: 1, issuerSerial: 0, key: intermediateKey.publicKey }, root);
  const leaf = certificate({ serial: 2, issuerSerial: 1, key: staticKey.publicKey }, intermediateKey);
  return { static: staticKey, chain: Buffer.from(CertChain.encode({ intermediate, leaf }).finish()) };
}

function certificate(details: { serial: number; issuerSerial: number; key: Buffer }, issuer: KeyPair) {
  const encoded = Details.encode({ ...details, notBefore: 1, notAfter: endOfTime }).finish();
  return { details: encoded, signature: sign(issuer.privateKey, encoded) };
}
