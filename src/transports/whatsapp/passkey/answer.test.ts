import { expect, test } from "vitest";
import {
  type AssertionQuirks,
  SoftwareAuthenticator,
} from "../../../../sandbox/whatsapp/passkey/authenticator.ts";
import { MAX_PASSKEY_BYTES } from "../../../core/transport/login.ts";
import { readAnswer, readOptions } from "./answer.ts";

const authenticator = new SoftwareAuthenticator();
const options = {
  challenge: "Y2hhbGxlbmdl",
  rpId: "whatsapp.com",
  userVerification: "required",
  allowCredentials: [{ id: authenticator.id, type: "public-key" }],
};
const signed = (quirks?: AssertionQuirks) => authenticator.answer(options, quirks);

test.each([
  ["of the site", options, signed()],
  ["of its main page", options, signed({ origin: "https://whatsapp.com" })],
  ["of any passkey, if the request names none", { ...options, allowCredentials: [] }, signed({ id: "AAAA" })],
  ["with more members", options, { ...signed(), authenticatorAttachment: "platform" }],
  ["with padding", options, { ...signed(), rawId: `${authenticator.id}=` }],
  [
    "without verification, if none is required",
    { ...options, userVerification: "preferred" },
    signed({ flags: 1 }),
  ],
])("an answer %s may be sent", (_, request, answer) => {
  const read = readAnswer(JSON.stringify(answer), request);
  if ("fault" in read) throw new Error(read.fault);
  const sent = JSON.parse(read.assertion.toString()) as object;
  expect(Object.keys(sent)).toEqual(["id", "rawId", "type", "response"]);
  expect(sent).toMatchObject({ response: answer.response });
  expect(read.credentialId.toString("base64url")).toBe(answer.id);
});

test.each<[string, AssertionQuirks | string]>([
  ["malformed", ""],
  ["malformed", "no JSON"],
  ["malformed", "null"],
  ["malformed", "[]"],
  ["malformed", "{}"],
  ["malformed", JSON.stringify({ ...signed(), rawId: "not/base64url" })],
  ["malformed", JSON.stringify({ ...signed(), response: { ...signed().response, signature: 1 } })],
  ["malformed", JSON.stringify({ ...signed(), response: { ...signed().response, clientDataJSON: "AAAA" } })],
  [
    "malformed",
    JSON.stringify({ ...signed(), response: { ...signed().response, authenticatorData: "AAAA" } }),
  ],
  ["malformed", JSON.stringify({ ...signed(), more: "x".repeat(MAX_PASSKEY_BYTES) })],
  ["malformed", { type: "webauthn.create" }],
  ["other_request", { challenge: "b3RoZXI" }],
  ["wrong_site", { origin: "https://crm.example" }],
  ["wrong_site", { origin: "https://notwhatsapp.com" }],
  ["wrong_site", { origin: "https://whatsapp.com.example" }],
  ["wrong_site", { origin: "http://web.whatsapp.com" }],
  ["wrong_site", { origin: "whatsapp.com" }],
  ["wrong_site", { rpId: "crm.example" }],
  ["not_verified", { flags: 0x01 }],
  ["unknown_passkey", { id: "AAAA" }],
])("%s: %j", (fault, quirks) => {
  const text = typeof quirks === "string" ? quirks : JSON.stringify(signed(quirks));
  expect(readAnswer(text, options)).toEqual({ fault });
});

test.each([
  ["", null],
  ["{", null],
  ["[]", null],
  [JSON.stringify({ challenge: "AAAA" }), null],
  [JSON.stringify({ challenge: 1, rpId: "whatsapp.com" }), null],
  [JSON.stringify({ ...options, more: "x".repeat(MAX_PASSKEY_BYTES) }), null],
  [JSON.stringify({ ...options, hints: ["hybrid"] }), { ...options, hints: ["hybrid"] }],
])("the request %j", (text, read) => {
  expect(readOptions(Buffer.from(text))).toEqual(read);
});
