import { expect, test } from "vitest";
import { createSeal, SealBroken, WrongSecretKey } from "./seal.ts";

const seal = createSeal("a secret key of some length");
const other = createSeal("another secret key of some length");

test("opens a sealed value in the same context", () => {
  for (const plain of ["", "pässwörd", "x".repeat(100_000)])
    expect(seal.open(seal.seal(plain, "channel 1"), "channel 1").toString()).toBe(plain);
  const bytes = Uint8Array.from([0, 255, 1]);
  expect([...seal.open(seal.seal(bytes, "c"), "c")]).toEqual([...bytes]);
});

test("sealing the same value twice gives different bytes", () => {
  expect(seal.seal("x", "c").equals(seal.seal("x", "c"))).toBe(false);
});

test("rejects another context and any changed byte", () => {
  const sealed = seal.seal("value", "channel 1");
  expect(() => seal.open(sealed, "channel 2")).toThrow(SealBroken);
  for (let index = 0; index < sealed.length; index++) {
    const altered = Buffer.from(sealed);
    altered[index] = (altered[index] ?? 0) ^ 1;
    expect(() => seal.open(altered, "channel 1"), `byte ${index}`).toThrow();
  }
  expect(() => seal.open(sealed.subarray(0, 10), "channel 1")).toThrow(SealBroken);
});

test("a second key opens its values, and is not used for sealing", () => {
  const both = createSeal("another secret key of some length", { other: "a secret key of some length" });
  expect(both.open(seal.seal("value", "c"), "c").toString()).toBe("value");
  const sealed = both.seal("value", "c");
  expect(both.open(sealed, "c").toString()).toBe("value");
  expect(other.open(sealed, "c").toString()).toBe("value");
  expect(() => seal.open(sealed, "c")).toThrow(WrongSecretKey);
  expect(sealed.subarray(0, both.header.length)).toEqual(both.header);
  expect(seal.seal("value", "c").subarray(0, both.header.length)).not.toEqual(both.header);
  expect([both.fingerprint, both.otherFingerprint]).toEqual([other.fingerprint, seal.fingerprint]);
});

test("derived secrets depend on the derivation key only", () => {
  const derivationKey = new Uint8Array(32).fill(7);
  const [before, after] = ["one key of some length", "two keys of some length"].map((key) =>
    createSeal(key, { derivationKey }).derive("callback", "1").toString("hex"),
  );
  expect(before).toBe(after);
  expect(before).not.toBe(seal.derive("callback", "1").toString("hex"));
});

test("distinguishes another key from a damaged value", () => {
  const sealed = other.seal("value", "c");
  expect(() => seal.open(sealed, "c")).toThrow(WrongSecretKey);
  expect(() => seal.open(sealed, "c")).toThrow(/SECRET_KEY/);
});

test("derived secrets and the fingerprint are stable and depend on the key", () => {
  expect(seal.derive("callback", "1")).toHaveLength(32);
  expect(
    seal.derive("callback", "1").equals(createSeal("a secret key of some length").derive("callback", "1")),
  ).toBe(true);
  expect(seal.derive("callback", "1").equals(seal.derive("callback", "2"))).toBe(false);
  expect(seal.derive("callback", "1").equals(other.derive("callback", "1"))).toBe(false);
  expect(seal.fingerprint).toMatch(/^[0-9a-f]{16}$/);
  expect(seal.fingerprint).not.toBe(other.fingerprint);
});
