import { expect, test } from "vitest";
import { hashPassword, NOBODYS_PASSWORD, verifyPassword } from "./password.ts";

test("a password matches its hash, and no other one does", async () => {
  const stored = await hashPassword("correct horse battery");
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verifyPassword("correct horse battery", stored)).toBe(true);
  expect(await verifyPassword("correct horse batterx", stored)).toBe(false);
  expect(await verifyPassword("", stored)).toBe(false);
  expect(await verifyPassword("x", NOBODYS_PASSWORD)).toBe(false);
});

test("the same password is stored differently each time", async () => {
  expect(await hashPassword("the same one")).not.toBe(await hashPassword("the same one"));
});

test("a hash of another program is verified, with its own cost", async () => {
  // From the tests of the reference implementation (P-H-C/phc-winner-argon2, src/test.c).
  const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  expect(await verifyPassword("password", hash)).toBe(true);
  expect(await verifyPassword("differentpassword", hash)).toBe(false);
});

test.each(["plain", "$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1a"])(
  "%s is not a stored password",
  async (hash) => {
    await expect(verifyPassword("x", hash)).rejects.toThrow(/damaged/);
  },
);
