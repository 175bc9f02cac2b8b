import { generateKeyPairSync, sign } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Curve } from "./library.ts";

const pair = Curve.generateKeyPair();
const message = Buffer.from("the certificate of a server");
const signature = Curve.sign(pair.private, message);

test("nothing imports the library's values past its patches, so that tests may share modules", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" });
  const past = files.filter((name) => {
    if (!name.endsWith(".ts")) return false;
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    const imports = [...text.matchAll(/^import (?!type )([^;]*?) from "baileys";/gm)];
    return imports.some(([, names = ""]) =>
      names.split(/[{},]/).some((each) => each.trim() !== "" && !each.trim().startsWith("type ")),
    );
  });
  expect(past).toEqual([]);
});

test("a valid signature is accepted", () => {
  expect(Curve.verify(pair.public, message, signature)).toBe(true);
});

test.each<[string, Uint8Array, Uint8Array, Uint8Array]>([
  ["by another key", Curve.generateKeyPair().public, message, signature],
  ["of another message", pair.public, Buffer.from("another"), signature],
  ["of zeros", pair.public, message, new Uint8Array(64)],
  ["of another type", pair.public, message, sign(null, message, generateKeyPairSync("ed25519").privateKey)],
])("a signature %s is rejected", (_, key, signed, forged) => {
  expect(Curve.verify(key, signed, forged)).toBe(false);
});

test("libsignal's session builder rejects a forged bundle, unlike the unpatched one", async () => {
  const { SessionBuilder, ProtocolAddress } = (await import("libsignal")).default as never as {
    SessionBuilder: new (store: object, address: object) => { initOutgoing(bundle: object): Promise<void> };
    ProtocolAddress: new (name: string, device: number) => object;
  };
  const toKeys = ({ public: pub, private: priv }: typeof pair) => ({
    pubKey: Buffer.concat([Buffer.from([5]), pub]),
    privKey: Buffer.from(priv),
  });
  const store = {
    isTrustedIdentity: () => true,
    getOurIdentity: () => toKeys(pair),
    loadSession: async () => null,
    storeSession: async () => undefined,
  };
  const [identity, signed] = [Curve.generateKeyPair(), Curve.generateKeyPair()].map(toKeys);
  const bundle = {
    registrationId: 1,
    identityKey: identity?.pubKey,
    signedPreKey: { keyId: 1, publicKey: signed?.pubKey, signature: Buffer.alloc(64) },
  };
  const building = new SessionBuilder(store, new ProtocolAddress("1", 0)).initOutgoing(bundle);
  await expect(building).rejects.toThrow("bad signature");
});
