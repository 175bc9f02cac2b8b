import { createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { type BinaryNode, Curve, proto } from "baileys";
import { describe, expect, test } from "vitest";
import { sealGcm } from "../crypto/cipher.ts";
import { type Client, type Kit, newState, withWhatsapp } from "../test-kit.ts";
import { type AssertionQuirks, SoftwareAuthenticator } from "./authenticator.ts";

const ann = "79990000001";
const five = 5 * 60 + 1;

interface Quirks extends AssertionQuirks {
  /** Of the credential's own child. */
  readonly credentialId?: string;
  readonly proof?: "none" | "wrong";
  readonly ref?: string;
  readonly commitment?: "wrong";
  readonly request?: "wrong key" | "foreign keys";
  readonly waitSeconds?: number;
}

/** An unmodified client whose test answers the exchange by hand, from the wire's description. */
async function openAsked({ admin, open }: Kit, authenticator: SoftwareAuthenticator) {
  await admin("POST /people", { phone: ann });
  const { id, publicKey: public_key } = authenticator;
  await admin(`POST /people/${ann}/passkeys`, { id, public_key });
  await admin(`POST /people/${ann}/gates`, { passkey: "passkey" });
  const state = newState();
  const client = open(state);
  const { qr = "" } = await client.until((update) => update.qr !== undefined);
  const asked = next(client, "passkey_prologue_request");
  expect(await admin(`POST /people/${ann}/scans`, { qr })).toEqual({ linked: false, waits_for: "passkey" });
  const text = bytes(await asked, "passkey_request_options").toString();
  const handoff = hkdf(Buffer.from(state.creds.advSecretKey, "base64"), "", "shortcake-passkey-handoff-v1");
  state.creds.advSecretKey = randomBytes(32).toString("base64");
  return { state, client, text, handoff };
}
type Asked = Awaited<ReturnType<typeof openAsked>>;

async function answer(
  { client, handoff, text }: Asked,
  authenticator: SoftwareAuthenticator,
  quirks: Quirks = {},
) {
  const ref = bytes(await set(client, "ref", undefined, "get"), "ref").toString();
  const assertion = authenticator.answer(JSON.parse(text) as { challenge: string; rpId: string }, quirks);
  const keys = Curve.generateKeyPair();
  const nonce = randomBytes(32);
  const identity = proto.CompanionEphemeralIdentity.encode({
    publicKey: keys.public,
    deviceType: 1,
    ref: quirks.ref ?? ref,
  }).finish();
  const hash = sha256(identity, quirks.commitment === "wrong" ? randomBytes(32) : nonce);
  const payload = proto.ProloguePayload.encode({
    companionEphemeralIdentity: identity,
    commitment: { hash },
  }).finish();
  const proof = createHmac("sha256", quirks.proof === "wrong" ? randomBytes(32) : handoff).update(payload);
  const continued = next(client, "crsc_continuation");
  await set(client, "passkey_prologue", [
    leaf("credential_id", Buffer.from(quirks.credentialId ?? assertion.rawId, "base64url")),
    leaf("webauthn_assertion", Buffer.from(JSON.stringify(assertion))),
    leaf("prologue_payload", payload),
    ...(quirks.proof === "none" ? [] : [leaf("pairing_handoff_proof", proof.digest())]),
  ]);
  return { ref, keys, nonce, continued };
}

async function finish(
  { client, state }: Asked,
  { ref, keys, nonce, continued }: Awaited<ReturnType<typeof answer>>,
  quirks: Quirks = {},
): Promise<string> {
  const continuation = proto.PrimaryEphemeralIdentity.decode(
    bytes(await continued, "primary_ephemeral_identity"),
  );
  const [publicKey, theirs] = [continuation.publicKey ?? nonce, continuation.nonce ?? nonce];
  await set(client, "companion_nonce", nonce);
  const key = hkdf(
    Curve.sharedKey(keys.private, publicKey),
    `Companion Pairing 1 with ref ${ref}`,
    "Pairing Information Encryption Key",
  );
  const { noiseKey, signedIdentityKey, advSecretKey } = state.creds;
  const request = proto.PairingRequest.encode({
    companionPublicKey: quirks.request === "foreign keys" ? randomBytes(32) : noiseKey.public,
    companionIdentityKey: signedIdentityKey.public,
    advSecret: Buffer.from(advSecretKey, "base64"),
  }).finish();
  const iv = randomBytes(12);
  const encryptedPayload = sealGcm(quirks.request === "wrong key" ? randomBytes(32) : key, iv, request);
  const digest = sha256(nonce, publicKey);
  const code = digest.subarray(0, 5).map((byte, index) => byte ^ (theirs[index] ?? 0));
  await set(
    client,
    "encrypted_pairing_request",
    proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish(),
  );
  return Buffer.from(code).toString("hex");
}

const leaf = (tag: string, content: Uint8Array): BinaryNode => ({ tag, attrs: {}, content });

/** Rejects with the server's error. */
function set(
  client: Client,
  tag: string,
  content?: BinaryNode["content"],
  type = "set",
): Promise<BinaryNode> {
  const attrs = { to: "s.whatsapp.net", type, xmlns: "md" };
  return client.socket.query({
    tag: "iq",
    attrs,
    content: [content === undefined ? { tag, attrs: {} } : { tag, attrs: {}, content }],
  });
}

function next(client: Client, type: string): Promise<BinaryNode> {
  return new Promise((resolve) => client.socket.ws.once(`CB:notification,type:${type}`, resolve));
}

function bytes({ content }: BinaryNode, tag: string): Buffer {
  const found = Array.isArray(content) ? content.find((each) => each.tag === tag)?.content : undefined;
  return Buffer.from((found ?? []) as Uint8Array);
}

const hkdf = (key: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync("sha256", key, salt, info, 32));
function sha256(...parts: Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

describe("an account whose passkey is required", () => {
  test("is linked at once with the proof; other codes are refused without a passkey", () =>
    withWhatsapp(async (kit) => {
      const { admin, open } = kit;
      const authenticator = new SoftwareAuthenticator();
      const asked = await openAsked(kit, authenticator);
      expect(JSON.parse(asked.text)).toMatchObject({
        rpId: "whatsapp.com",
        userVerification: "required",
        allowCredentials: [{ id: authenticator.id, type: "public-key" }],
      });
      await finish(asked, await answer(asked, authenticator));
      expect(await asked.client.closed()).toBe(515);
      await open(asked.state).ready();
      expect(await admin(`GET /people/${ann}/linking`)).toMatchObject({ stage: null });
    }));

  test("is linked without the proof after a person has compared the codes", () =>
    withWhatsapp(async (kit) => {
      const { admin } = kit;
      const authenticator = new SoftwareAuthenticator();
      const asked = await openAsked(kit, authenticator);
      const ours = await finish(asked, await answer(asked, authenticator, { proof: "none" }));
      const { code } = await admin(`GET /people/${ann}/linking`);
      const alphabet = "123456789ABCDEFGHJKLMNPQRSTVWXYZ";
      const value = [...String(code).replace("-", "")].reduce(
        (sum, letter) => sum * 32 + alphabet.indexOf(letter),
        0,
      );
      expect(value.toString(16).padStart(10, "0")).toBe(ours);
      await admin(`POST /people/${ann}/linking/comparisons`, { same: true });
      expect(await asked.client.closed()).toBe(515);
    }));

  test("has to have a passkey", () =>
    withWhatsapp(async ({ admin, refused, open }) => {
      await admin("POST /people", { phone: ann });
      await admin(`POST /people/${ann}/gates`, { passkey: "passkey" });
      const { qr } = await open(newState()).until((update) => update.qr !== undefined);
      expect(await refused(`POST /people/${ann}/scans`, { qr })).toBe("409 passkey_missing");
    }));
});

describe("what is refused", () => {
  test.each<[string, Quirks]>([
    ["wrong_challenge", { challenge: "b3RoZXI" }],
    ["wrong_origin", { origin: "https://crm.example" }],
    ["wrong_rp_id", { rpId: "crm.example" }],
    ["not_verified", { flags: 0x01 }],
    ["bad_signature", { spoilSignature: true }],
    ["unknown_credential", { id: "AAAA" }],
    ["unknown_credential", { credentialId: "AAAA" }],
    ["expired", { waitSeconds: 2 * five }],
    ["wrong_proof", { proof: "wrong" }],
    ["late_proof", { waitSeconds: five }],
    ["wrong_ref", { ref: "another" }],
    ["wrong_commitment", { commitment: "wrong" }],
    ["wrong_request_key", { request: "wrong key" }],
    ["foreign_keys", { request: "foreign keys" }],
  ])("%s: %j", (reason, quirks) =>
    withWhatsapp(async (kit) => {
      const authenticator = new SoftwareAuthenticator();
      const asked = await openAsked(kit, authenticator);
      if (quirks.waitSeconds !== undefined)
        await kit.admin("POST /time", { advance_seconds: quirks.waitSeconds });
      const answered = answer(asked, authenticator, quirks);
      await expect(answered.then((given) => finish(asked, given, quirks))).rejects.toThrow("forbidden");
      expect(await kit.admin("GET /events?event=passkey_refused")).toMatchObject({
        items: [{ phone: ann, detail: reason }],
      });
      expect(await kit.admin(`GET /people/${ann}/devices`)).toEqual({ items: [] });
    }),
  );

  test("a repeated assertion, a copied passkey, and codes that differ", () =>
    withWhatsapp(async (kit) => {
      const authenticator = new SoftwareAuthenticator();
      const asked = await openAsked(kit, authenticator);
      const given = await answer(asked, authenticator, { proof: "none", counter: 7 });
      await expect(answer(asked, authenticator, { counter: 7 })).rejects.toThrow("forbidden");
      await given.continued;
      await kit.admin(`POST /people/${ann}/linking/comparisons`, { same: false });
      await expect(finish(asked, given)).rejects.toThrow("forbidden");
      asked.client.close();
      const again = await openAsked(kit, authenticator);
      await expect(answer(again, authenticator, { counter: 6 })).rejects.toThrow("forbidden");
      const { items } = await kit.admin("GET /events?event=passkey_refused");
      expect((items as unknown as { detail: string }[]).map(({ detail }) => detail)).toEqual([
        "replayed",
        "declined",
        "counter",
      ]);
    }));
});
