import { expect, test } from "vitest";
import { isFrameOrigin } from "./frame-origins.ts";

test.each([
  ["https://crm.example", true],
  ["http://127.0.0.1:3000", true],
  ["https://[::1]:8443", true],
  ["https://xn--e1afmkfd.example", true],
  ["https://my_crm.example", true],
  ["https://crm.example/", false],
  ["https://crm.example/path", false],
  ["https://crm.example:443", false],
  ["https://a;script-src.example", false],
  ["https://a,b.example", false],
  ["https://a'b.example", false],
  ["https://*", false],
  ["ftp://crm.example", false],
  ["null", false],
])("%s may embed pages: %s", (text, expected) => {
  expect(isFrameOrigin(text)).toBe(expected);
});
