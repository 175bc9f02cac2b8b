import { expect, test } from "vitest";
import { bearerToken, isSidecarRoute, scopeOfRoute } from "./admission.ts";

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

test.each([
  ["/v2/channels", "transport"],
  ["/v2/channels/:id/reinit", "transport"],
  ["/v2/messages/:id", "transport"],
  ["/v2/templates/waba", "transport"],
  ["/v2/iframe-links/chats", "transport"],
  ["/v2/users", "crm"],
  ["/v2/contacts/:id", "crm"],
  ["/v2/deals", "crm"],
  ["/v2/pipelines", "crm"],
  ["/v2/counters/unanswered/:user_id", "crm"],
  ["/v2/chats/unanswered", "crm"],
  ["/v2/webhooks", null],
  ["/v2/usersx", null],
  ["/v3/users", null],
  ["", null],
])("scope of %s: %s", (route, scope) => {
  expect(scopeOfRoute(route)).toBe(scope);
});
