import { expect, test } from "vitest";
import { bearerToken, isSidecarRoute } from "./admission.ts";

test.each([
  ["Bearer abc", "abc"],
  ["bearer abc", "abc"],
  ["BEARER   abc", "abc"],
  ["  Bearer abc  ", "abc"],
  ["Bearer a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="],
  [undefined, null],
  ["", null],
  ["Bearer", null],
  ["Bearer ", null],
  ["Bearer a b", null],
  ["Bearerabc", null],
  ["Basic abc", null],
  ["abc", null],
  ["Token Bearer abc", null],
  [`Bearer ${"a".repeat(513)}`, null],
  ["Bearer ключ", null],
])("token of %j", (header, token) => {
  expect(bearerToken(header)).toBe(token);
});

test.each([
  ["/v3/webhooks", true],
  ["/v3/channels", true],
  ["/v3/message", true],
  ["/v3/message/:id", true],
  ["/v3/templates/whatsapp", true],
  ["/v3/users", false],
  ["/v3/messages", false],
  ["/v3/webhooks2", false],
  ["/v2/channels", false],
  ["", false],
])("a sidecar key on %s", (route, allowed) => {
  expect(isSidecarRoute(route)).toBe(allowed);
});
