import { createHash } from "node:crypto";
import { MAX_PASSKEY_BYTES, type PasskeyFault } from "../../../core/transport/login.ts";

/** The request of the server, in the JSON form of Web Authentication. Other members are kept. */
export interface PasskeyOptions extends Readonly<Record<string, unknown>> {
  readonly challenge: string;
  readonly rpId: string;
}

/** An answer that may be sent to the server. */
export interface PasskeyAnswer {
  readonly credentialId: Buffer;
  /** The assertion as JSON, with the members that WhatsApp's own client sends. */
  readonly assertion: Buffer;
}

const USER_VERIFIED = 0x04;
/** The hash of the site, the flags and the counter. */
const AUTHENTICATOR_DATA_BYTES = 37;

/** The server's request; null if it is not one. */
export function readOptions(bytes: Uint8Array | null): PasskeyOptions | null {
  if (bytes === null || bytes.length > MAX_PASSKEY_BYTES) return null;
  const options = recordOf(Buffer.from(bytes).toString());
  const { challenge, rpId } = options ?? {};
  if (options === null || typeof challenge !== "string" || typeof rpId !== "string") return null;
  return { ...options, challenge, rpId };
}

/**
 * Checks an answer (`PublicKeyCredential.toJSON()` as text) as far as that is possible without the public key. The
 * server accepts one answer only, so that a wrong one would end the linking.
 */
export function readAnswer(text: string, options: PasskeyOptions): PasskeyAnswer | { fault: PasskeyFault } {
  const given = partsOf(text);
  if (given === null) return { fault: "malformed" };
  const { client, data, id } = given;
  if (client["type"] !== "webauthn.get") return { fault: "malformed" };
  if (client["challenge"] !== options.challenge) return { fault: "other_request" };
  if (!isOfSite(client["origin"], options.rpId)) return { fault: "wrong_site" };
  const site = createHash("sha256").update(options.rpId).digest();
  if (!data.subarray(0, site.length).equals(site)) return { fault: "wrong_site" };
  const isVerified = ((data[site.length] ?? 0) & USER_VERIFIED) !== 0;
  if (options["userVerification"] === "required" && !isVerified) return { fault: "not_verified" };
  const known = allowedIds(options);
  if (known.length > 0 && !known.includes(id)) return { fault: "unknown_passkey" };
  const assertion = { id, rawId: id, type: "public-key", response: given.response };
  return {
    credentialId: Buffer.from(id, "base64url"),
    assertion: Buffer.from(JSON.stringify(assertion)),
  };
}

function partsOf(text: string) {
  if (Buffer.byteLength(text) > MAX_PASSKEY_BYTES) return null;
  const credential = recordOf(text);
  const response = asRecord(credential?.["response"]);
  const id = unpadded(credential?.["rawId"] ?? credential?.["id"]);
  const clientDataJSON = unpadded(response?.["clientDataJSON"]);
  const authenticatorData = unpadded(response?.["authenticatorData"]);
  const signature = unpadded(response?.["signature"]);
  if (id === null || clientDataJSON === null || authenticatorData === null || signature === null) return null;
  const client = recordOf(Buffer.from(clientDataJSON, "base64url").toString());
  const data = Buffer.from(authenticatorData, "base64url");
  if (client === null || data.length < AUTHENTICATOR_DATA_BYTES) return null;
  const userHandle = unpadded(response?.["userHandle"]);
  return { id, client, data, response: { clientDataJSON, authenticatorData, signature, userHandle } };
}

function allowedIds({ allowCredentials }: PasskeyOptions): readonly string[] {
  const list: readonly unknown[] = Array.isArray(allowCredentials) ? allowCredentials : [];
  return list.flatMap((each) => unpadded(asRecord(each)?.["id"]) ?? []);
}

/** Whether a page of this origin may use a passkey of the site: the site itself, or a subdomain. */
function isOfSite(origin: unknown, rpId: string): boolean {
  if (typeof origin !== "string" || !URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return protocol === "https:" && (hostname === rpId || hostname.endsWith(`.${rpId}`));
}

function unpadded(value: unknown): string | null {
  if (typeof value !== "string" || !/^[\w-]+={0,2}$/.test(value)) return null;
  return value.replace(/=+$/, "");
}

function recordOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}
