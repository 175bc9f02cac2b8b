import { expect, test } from "vitest";
import { checkAssertion, type Passkey } from "./assertion.ts";
import { type AssertionQuirks, SoftwareAuthenticator } from "./authenticator.ts";

const request = { challenge: "Y2hhbGxlbmdl", rpId: "whatsapp.com" };
const authenticator = new SoftwareAuthenticator();
const passkey = (counter = 0): Passkey => ({
  id: authenticator.id,
  publicKey: Buffer.from(authenticator.publicKey, "base64url"),
  counter,
});

function check(assertion: unknown, known = passkey()) {
  const bytes = Buffer.from(typeof assertion === "string" ? assertion : JSON.stringify(assertion));
  const passkeys = new Map([[known.id, known]]);
  return checkAssertion(bytes, { challenge: request.challenge, passkeys });
}

test.each([
  ["https://web.whatsapp.com", 1],
  ["https://whatsapp.com", 7],
])("a genuine assertion of %s is accepted", (origin, counter) => {
  const answer = authenticator.answer(request, { origin, counter });
  expect(check(answer)).toMatchObject({ passkey: { id: authenticator.id }, counter });
});

test("a synchronised passkey always reports 0", () => {
  expect(check(authenticator.answer(request, { counter: 0 }))).toMatchObject({ counter: 0 });
});

test.each<[string, AssertionQuirks]>([
  ["unknown_credential", { id: new SoftwareAuthenticator().id }],
  ["wrong_type", { type: "webauthn.create" }],
  ["wrong_challenge", { challenge: "b3RoZXI" }],
  ["wrong_origin", { origin: "https://whatsapp.com.example" }],
  ["wrong_origin", { origin: "http://web.whatsapp.com" }],
  ["wrong_origin", { origin: "https://notwhatsapp.com" }],
  ["wrong_rp_id", { rpId: "example.com" }],
  ["not_present", { flags: 0x04 }],
  ["not_verified", { flags: 0x01 }],
  ["bad_signature", { spoilSignature: true }],
])("%s: %j", (fault, quirks) => {
  expect(check(authenticator.answer(request, quirks))).toEqual({ fault });
});

test("a counter below the last one reveals a copy", () => {
  expect(check(authenticator.answer(request, { counter: 3 }), passkey(4))).toEqual({ fault: "counter" });
});

test.each([
  "",
  "null",
  "{}",
  JSON.stringify({ ...authenticator.answer(request), type: "password" }),
  JSON.stringify({ ...authenticator.answer(request), rawId: "AAAA" }),
  JSON.stringify({ ...authenticator.answer(request), response: { clientDataJSON: "e30" } }),
])("malformed: %s", (text) => {
  expect(check(text)).toEqual({ fault: "malformed" });
});

test("a signature of other data is refused", () => {
  const { response, ...rest } = authenticator.answer(request);
  const other = authenticator.answer(request, { origin: "https://whatsapp.com" });
  const mixed = { ...rest, response: { ...response, clientDataJSON: other.response.clientDataJSON } };
  expect(check(mixed)).toEqual({ fault: "bad_signature" });
});
