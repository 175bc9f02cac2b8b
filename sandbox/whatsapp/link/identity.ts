import { proto } from "baileys/WAProto/index.js";
import { hmacSha256 } from "../crypto/cipher.ts";
import type { KeyPair } from "../crypto/x25519.ts";
import { sign, verify } from "../crypto/xeddsa.ts";

/** The prefixes of the data that the account and the device sign. */
const accountPrefix = Buffer.of(6, 0);
const devicePrefix = Buffer.of(6, 1);

const { ADVDeviceIdentity, ADVSignedDeviceIdentity, ADVSignedDeviceIdentityHMAC } = proto;

/** The defects of a forged identity. */
export type Forgery = "account_signature" | "hmac";

/** A device's identity, signed by the phone's account and sealed with the secret shown by the device. */
export interface IssuedIdentity {
  readonly details: Buffer;
  /** The encoded `ADVSignedDeviceIdentityHMAC` that is sent. */
  readonly sealed: Buffer;
}

export function issueIdentity(setup: {
  account: KeyPair;
  deviceIdentity: Buffer;
  keyIndex: number;
  secret: Buffer;
  nowMs: number;
  forgery?: Forgery | undefined;
}): IssuedIdentity {
  const { account, deviceIdentity, keyIndex } = setup;
  const timestamp = Math.floor(setup.nowMs / 1000);
  const details = Buffer.from(ADVDeviceIdentity.encode({ rawId: 1, timestamp, keyIndex }).finish());
  const accountSignature = sign(account.privateKey, Buffer.concat([accountPrefix, details, deviceIdentity]));
  if (setup.forgery === "account_signature") spoil(accountSignature);
  const signed = ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: account.publicKey,
    accountSignature,
  }).finish();
  const hmac = hmacSha256(setup.secret, signed);
  if (setup.forgery === "hmac") spoil(hmac);
  return {
    details,
    sealed: Buffer.from(ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish()),
  };
}

/** Whether a signed identity belongs to this account and device: details, both signatures, both keys. */
export function isGenuineIdentity(
  encoded: Uint8Array,
  expected: { readonly account: Buffer; readonly deviceIdentity: Buffer },
): boolean {
  const { details, accountSignature, deviceSignature } = ADVSignedDeviceIdentity.decode(encoded);
  if (!details || !accountSignature || !deviceSignature) return false;
  const accountMessage = Buffer.concat([accountPrefix, details, expected.deviceIdentity]);
  const deviceMessage = Buffer.concat([devicePrefix, details, expected.deviceIdentity, expected.account]);
  return (
    verify(expected.account, accountMessage, accountSignature) &&
    verify(expected.deviceIdentity, deviceMessage, deviceSignature)
  );
}

function spoil(bytes: Buffer): void {
  bytes[10] = (bytes[10] ?? 0) ^ 0xff;
}
