import { createHash, createPublicKey, diffieHellman, generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { edwardsKey, fromBytes, multiplyBase } from "./edwards.ts";
import { agree, bareKey, generateKeyPair, keyPairOf, typedKey } from "./x25519.ts";
import { sign, verify } from "./xeddsa.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");
const flip = (bytes: Buffer, position: number) => {
  const changed = Buffer.from(bytes);
  changed[position] = (changed[position] ?? 0) ^ 1;
  return changed;
};

describe("X25519", () => {
  test("the vector of RFC 7748, 6.1", () => {
    const alice = keyPairOf(hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
    const bob = keyPairOf(hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
    expect(alice.publicKey).toEqual(hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"));
    expect(bob.publicKey).toEqual(hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
    const shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    expect(agree(alice.privateKey, bob.publicKey)).toEqual(shared);
    expect(agree(bob.privateKey, typedKey(alice.publicKey))).toEqual(shared);
  });

  test("agrees with node:crypto", () => {
    const theirs = generateKeyPairSync("x25519");
    const ours = generateKeyPair();
    const jwk = { kty: "OKP", crv: "X25519", x: ours.publicKey.toString("base64url") };
    const publicKey = createPublicKey({ key: jwk, format: "jwk" });
    const raw = Buffer.from(theirs.publicKey.export({ format: "jwk" }).x ?? "", "base64url");
    const expected = diffieHellman({ privateKey: theirs.privateKey, publicKey });
    expect(agree(ours.privateKey, raw)).toEqual(expected);
  });

  test.each([31, 34])("a key of %d bytes is refused", (size) => {
    expect(() => bareKey(Buffer.alloc(size))).toThrow(/public key/);
  });
});

describe("Edwards form", () => {
  test("multiples of the base point are the public keys of node:crypto", () => {
    for (let round = 0; round < 20; round++) {
      const { privateKey, publicKey } = generateKeyPairSync("ed25519");
      const seed = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
      const scalar = createHash("sha512").update(seed).digest().subarray(0, 32);
      scalar[0] = (scalar[0] ?? 0) & 248;
      scalar[31] = ((scalar[31] ?? 0) & 127) | 64;
      const expected = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
      expect(multiplyBase(fromBytes(scalar))).toEqual(expected);
      const sign = ((expected[31] ?? 0) & 0x80) !== 0;
      expect(edwardsKey(keyPairOf(scalar).publicKey, sign)).toEqual(expected);
    }
  });
});

describe("XEdDSA", () => {
  /** The vector of libsignal (Curve25519Test.testSignature). */
  const key = hex("ab7e717d4a163b7d9a1d8071dfe9dcf8cdcd1cea3339b6356be84d887e322c64");
  const message = hex("05edce9d9c415ca78cb7252e72c2c4a554d3eb29485a0e1d503118d1a82d99fb4a");
  const signature = hex(`5de88ca9a89b4a115da79109c67c9c7464a3e4180274f1cb8c63c2984e286dfb
    ede82deb9dcd9fae0bfbb821569b3d9001bd8130cd11d486cef047bd60b86e88`);

  test("the vector of libsignal", () => {
    expect(verify(key, message, signature)).toBe(true);
    const privateKey = hex("c097248412e58bf05df487968205132794178e367637f5818f81e0e6ce73e865");
    expect(keyPairOf(privateKey).publicKey).toEqual(key);
    expect(verify(typedKey(key), message, sign(privateKey, message))).toBe(true);
  });

  test.each(Array.from({ length: 64 }, (_, position) => position))("byte %d of it changed", (position) => {
    expect(verify(key, message, flip(signature, position))).toBe(false);
  });

  test("own signatures are valid only for their key and message", () => {
    for (let round = 0; round < 20; round++) {
      const pair = generateKeyPair();
      const text = randomBytes(round * 7);
      const own = sign(pair.privateKey, text);
      expect(verify(pair.publicKey, text, own)).toBe(true);
      expect(verify(generateKeyPair().publicKey, text, own)).toBe(false);
      expect(verify(pair.publicKey, Buffer.concat([text, Buffer.of(0)]), own)).toBe(false);
    }
    expect(verify(key, message, Buffer.alloc(64))).toBe(false);
    expect(verify(key, message, signature.subarray(1))).toBe(false);
  });
});
