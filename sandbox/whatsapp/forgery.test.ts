import { proto } from "baileys";
import { describe, expect, test } from "vitest";
import { generateKeyPair } from "./crypto/x25519.ts";
import { sign } from "./crypto/xeddsa.ts";
import { isGenuineIdentity, issueIdentity } from "./link/identity.ts";
import { newState, withWhatsapp } from "./test-kit.ts";

const [ann, bob] = ["79990000001", "79990000002"] as const;

describe("forgeries that a checking client detects", () => {
  test("the server's certificate", () =>
    withWhatsapp(async ({ admin, open }) => {
      await admin("POST /forgeries", { kind: "root" });
      const { lastDisconnect } = await open(newState()).until(({ connection }) => connection === "close");
      expect(lastDisconnect?.error?.message).toMatch(/certificate signature/);
      await open(newState()).until(({ qr }) => qr !== undefined);
    }));

  test.each(["account_signature", "hmac"])("the identity at linking: %s", (forge) =>
    withWhatsapp(async ({ admin, refused, open }) => {
      await admin("POST /people", { phone: ann });
      const client = open(newState());
      const { qr } = await client.until((update) => update.qr !== undefined);
      expect(await refused(`POST /people/${ann}/scans`, { qr, forge })).toBe("422 refused_by_client");
      expect(await admin(`GET /people/${ann}/devices`)).toEqual({ items: [] });
    }),
  );

  test("the keys of a contact", () =>
    withWhatsapp(async ({ admin, link }) => {
      await admin("POST /people", { phone: bob });
      const client = await link(ann);
      await admin("POST /forgeries", { kind: "bundle", phone: bob, times: 100 });
      const sent = client.socket.sendMessage(`${bob}@s.whatsapp.net`, { text: "secret" });
      await sent.catch(() => undefined);
      expect(await admin(`GET /people/${bob}/inbox`)).toMatchObject({ count: 0 });
    }));

  test("genuine data is accepted", () =>
    withWhatsapp(async ({ admin, link }) => {
      await admin("POST /people", { phone: bob });
      const client = await link(ann);
      await client.socket.sendMessage(`${bob}@s.whatsapp.net`, { text: "fine" });
      expect(await admin(`GET /people/${bob}/inbox?count=1`)).toMatchObject({ items: [{ text: "fine" }] });
    }));
});

describe("the identity of a linked device", () => {
  const [account, device, other] = [generateKeyPair(), generateKeyPair(), generateKeyPair()];
  const secret = Buffer.alloc(32, 1);
  const expected = { account: account.publicKey, deviceIdentity: device.publicKey };

  /** The client's signature of the identity that it received. */
  function signedBy(signer: typeof device): Uint8Array {
    const issued = issueIdentity({
      account,
      deviceIdentity: device.publicKey,
      keyIndex: 3,
      secret,
      nowMs: 0,
    });
    const { details: sealed } = proto.ADVSignedDeviceIdentityHMAC.decode(issued.sealed);
    const identity = proto.ADVSignedDeviceIdentity.decode(sealed ?? Buffer.alloc(0));
    const message = Buffer.concat([Buffer.of(6, 1), issued.details, device.publicKey, account.publicKey]);
    const deviceSignature = sign(signer.privateKey, message);
    return proto.ADVSignedDeviceIdentity.encode({ ...identity, deviceSignature }).finish();
  }

  test("is valid only for its account and device", () => {
    expect(isGenuineIdentity(signedBy(device), expected)).toBe(true);
    expect(isGenuineIdentity(signedBy(other), expected)).toBe(false);
    expect(isGenuineIdentity(signedBy(device), { ...expected, account: other.publicKey })).toBe(false);
    expect(isGenuineIdentity(signedBy(device), { ...expected, deviceIdentity: other.publicKey })).toBe(false);
    expect(isGenuineIdentity(Buffer.alloc(0), expected)).toBe(false);
  });
});
