import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { isRecord } from "../../http/fields.ts";

/** The site that passkeys of WhatsApp accounts belong to. */
const relyingParty = "whatsapp.com";

/** A passkey of an account, as the server knows it. */
export interface Passkey {
  /** Raw bytes as base64url. */
  readonly id: string;
  /** SubjectPublicKeyInfo of a P-256 key. */
  readonly publicKey: Buffer;
  /** The counter of the last accepted assertion; synchronised passkeys always report 0. */
  counter: number;
}

/** Why an assertion is refused. */
export type AssertionFault =
  | "malformed"
  | "unknown_credential"
  | "wrong_type"
  | "wrong_challenge"
  | "wrong_origin"
  | "wrong_rp_id"
  | "not_present"
  | "not_verified"
  | "counter"
  | "bad_signature";

const flags = { present: 0x01, verified: 0x04 };

/**
 * Checks an assertion (`PublicKeyCredential.toJSON()` as bytes) as a relying party does (Web Authentication, section
 * 7.2). Returns the first fault; if there is none, the passkey that signed and its counter.
 */
export function checkAssertion(
  bytes: Uint8Array,
  expected: { readonly challenge: string; readonly passkeys: ReadonlyMap<string, Passkey> },
): { readonly fault: AssertionFault } | { readonly passkey: Passkey; readonly counter: number } {
  const given = readAssertion(bytes);
  if (!given) return { fault: "malformed" };
  const passkey = expected.passkeys.get(given.id);
  if (!passkey) return { fault: "unknown_credential" };
  const { client, data } = given;
  if (client["type"] !== "webauthn.get") return { fault: "wrong_type" };
  if (client["challenge"] !== expected.challenge) return { fault: "wrong_challenge" };
  if (!isOfWhatsapp(client["origin"])) return { fault: "wrong_origin" };
  if (!data.subarray(0, 32).equals(sha256(relyingParty))) return { fault: "wrong_rp_id" };
  const flag = data[32] ?? 0;
  if ((flag & flags.present) === 0) return { fault: "not_present" };
  if ((flag & flags.verified) === 0) return { fault: "not_verified" };
  const signed = Buffer.concat([data, sha256(given.clientBytes)]);
  if (!verify("sha256", signed, importKey(passkey.publicKey), given.signature))
    return { fault: "bad_signature" };
  const counter = data.readUInt32BE(33);
  if (counter < passkey.counter) return { fault: "counter" };
  return { passkey, counter };
}

function readAssertion(bytes: Uint8Array) {
  const credential = parse(bytes);
  const response = credential?.["response"];
  if (!credential || !isRecord(response) || credential["type"] !== "public-key") return undefined;
  const { id, rawId } = credential;
  const clientBytes = decode(response["clientDataJSON"]);
  const data = decode(response["authenticatorData"]);
  const signature = decode(response["signature"]);
  const client = clientBytes && parse(clientBytes);
  if (typeof id !== "string" || id !== rawId || !client || !data || data.length < 37 || !signature)
    return undefined;
  return { id, clientBytes, client, data, signature };
}

function parse(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function decode(value: unknown): Buffer | undefined {
  return typeof value === "string" && /^[\w-]+$/.test(value) ? Buffer.from(value, "base64url") : undefined;
}

/** Throws for anything but a P-256 key. */
export function importKey(spki: Buffer): KeyObject {
  const key = createPublicKey({ key: spki, format: "der", type: "spki" });
  if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") throw new Error("not a P-256 key");
  return key;
}

function isOfWhatsapp(origin: unknown): boolean {
  return typeof origin === "string" && /^https:\/\/([a-z0-9-]+\.)*whatsapp\.com$/.test(origin);
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash("sha256").update(data).digest();
}
