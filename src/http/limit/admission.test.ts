import { expect, test } from "vitest";
import { bearerToken, isAgentRoute, isSidecarRoute, scopeOfRoute } from "./admission.ts";

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
  ["GET", "/v3/channels", true],
  ["POST", "/v3/message", true],
  ["DELETE", "/v3/message/:id", true],
  ["GET", "/v3/templates/whatsapp", true],
  ["GET", "/v3/webhooks", true],
  ["HEAD", "/v3/webhooks", true],
  ["GET", "/v3/webhooks/deliveries", true],
  ["PATCH", "/v3/webhooks", false],
  ["POST", "/v3/webhooks/test", false],
  ["GET", "/v3/webhooks/secret", false],
  ["POST", "/v3/webhooks/secret", false],
  ["GET", "/v3/users", false],
  ["GET", "/v3/messages", false],
  ["GET", "/v3/webhooks2", false],
  ["GET", "/v2/channels", false],
  ["GET", "", false],
])("a sidecar key on %s %s", (method, route, allowed) => {
  expect(isSidecarRoute(method, route)).toBe(allowed);
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
  ["/v2/chats", "transport"],
  ["/v2/chats/:chat_type/:chat_id/messages", "transport"],
  ["/v2/groups/:chat_id", "transport"],
  ["/v2/webhooks", null],
  ["/v2/usersx", null],
  ["/v3/users", null],
  ["", null],
])("scope of %s: %s", (route, scope) => {
  expect(scopeOfRoute(route)).toBe(scope);
});

test.each<[method: string, route: string, allowed: boolean]>([
  ["GET", "/v2/channels", true],
  // The details of a channel may have its QR code, by which it is linked.
  ["GET", "/v2/channels/:id", false],
  ["GET", "/v2/chats", true],
  ["HEAD", "/v2/chats/:chat_type/:chat_id/messages", true],
  ["POST", "/v2/chats/:chat_type/:chat_id/read", false],
  ["GET", "/v2/messages/search", true],
  ["POST", "/v2/messages", false],
  ["POST", "/v2/messages/messages_dump", false],
  ["POST", "/v2/messages/proposals", true],
  ["GET", "/v2/messages/proposals/:id", true],
  ["GET", "/v2/webhooks", false],
  ["POST", "/v2/iframe-links/chats", false],
  ["POST", "/mcp", true],
])("an agent's token on %s %s", (method, route, allowed) => {
  expect(isAgentRoute(method, route)).toBe(allowed);
});
