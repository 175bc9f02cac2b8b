import { agree, generateKeyPair, type KeyPair, typedKey } from "../crypto/x25519.ts";
import { verify } from "../crypto/xeddsa.ts";
import type { PreKeyMessage } from "./message.ts";
import { beginSession, type Session } from "./session.ts";

/** A numbered public key. */
export interface PublicPreKey {
  readonly id: number;
  readonly key: Buffer;
}

/** The keys of a device for starting a session with it. */
export interface Bundle {
  readonly registrationId: number;
  readonly identityKey: Buffer;
  readonly signedPreKey: PublicPreKey & { readonly signature: Buffer };
  readonly preKey: PublicPreKey | undefined;
}

/** 32 bytes that cannot be a key precede the secrets (X3DH, 2.2). */
const filler = Buffer.alloc(32, 0xff);

/** Whether the identity has signed the pre-key. */
export function isSigned({
  identityKey,
  signedPreKey,
}: Pick<Bundle, "identityKey" | "signedPreKey">): boolean {
  return verify(identityKey, typedKey(signedPreKey.key), signedPreKey.signature);
}

/** Starts a session (https://signal.org/docs/specifications/x3dh/, 3.3); throws if the bundle is forged. */
export function beginOutgoing(identity: KeyPair, bundle: Bundle): Session {
  if (!isSigned(bundle)) throw new Error("the signed pre-key is not signed by the identity");
  const base = generateKeyPair();
  const secrets = [
    agree(identity.privateKey, bundle.signedPreKey.key),
    agree(base.privateKey, bundle.identityKey),
    agree(base.privateKey, bundle.signedPreKey.key),
    ...(bundle.preKey ? [agree(base.privateKey, bundle.preKey.key)] : []),
  ];
  return beginSession({
    secret: Buffer.concat([filler, ...secrets]),
    baseKey: base.publicKey,
    remoteIdentity: bundle.identityKey,
    ratchet: generateKeyPair(),
    remoteRatchet: bundle.signedPreKey.key,
    pending: { preKeyId: bundle.preKey?.id, signedPreKeyId: bundle.signedPreKey.id },
  });
}

/** The other side, with the keys named in the first message. */
export function beginIncoming(
  own: { readonly identity: KeyPair; readonly signedPreKey: KeyPair; readonly preKey: KeyPair | undefined },
  message: PreKeyMessage,
): Session {
  const secrets = [
    agree(own.signedPreKey.privateKey, message.identityKey),
    agree(own.identity.privateKey, message.baseKey),
    agree(own.signedPreKey.privateKey, message.baseKey),
    ...(own.preKey ? [agree(own.preKey.privateKey, message.baseKey)] : []),
  ];
  return beginSession({
    secret: Buffer.concat([filler, ...secrets]),
    baseKey: message.baseKey,
    remoteIdentity: message.identityKey,
    ratchet: own.signedPreKey,
  });
}
