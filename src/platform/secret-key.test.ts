import { expect, test } from "vitest";
import { parseSecretKey } from "./secret-key.ts";

const BYTES = Buffer.from("8fb2c4601d7e93a5f60b38d9174ce2aa5d016b9f83c7e42d78f1095ab63c0ed4", "hex");
const KEY = BYTES.toString("base64url");

test.each<[string, string]>([
  ["base64", BYTES.toString("base64")],
  ["base64 without padding", BYTES.toString("base64").replace("=", "")],
  ["base64url", KEY],
  ["hex", BYTES.toString("hex")],
  ["hex in capitals", BYTES.toString("hex").toUpperCase()],
])("%s is read as the same key", (_, text) => {
  expect(parseSecretKey(text)).toBe(KEY);
});

test.each<[string, string]>([
  ["nothing", ""],
  ["a password", "correct horse battery staple"],
  ["a long password", "correct horse battery staple, correct horse battery staple again"],
  ["16 bytes in hex", BYTES.toString("hex", 0, 16)],
  ["31 bytes in base64", BYTES.toString("base64", 0, 31)],
  ["33 bytes in base64", Buffer.concat([BYTES, BYTES]).toString("base64", 0, 33)],
  ["64 letters that are not hex", "g".repeat(64)],
  ["one byte repeated", Buffer.alloc(32, 7).toString("base64")],
  ["a word repeated", "0123456789abcdef".repeat(4)],
  ["letters repeated in base64", Buffer.from("abcdefghijabcdefghijabcdefghijab").toString("base64")],
])("rejects %s without showing it", (_, text) => {
  const attempt = () => parseSecretKey(text);
  expect(attempt).toThrow(/32 random bytes in base64 or hex; `openssl rand -base64 32`/);
  if (text !== "") expect(attempt).not.toThrow(text);
});
