import { expect, test } from "vitest";
import type { TokenKind } from "../../core/account/tokens.ts";
import { reasonOfRefusal } from "./refused-key.ts";

test.each<[string | undefined, TokenKind | undefined, RegExp]>([
  [undefined, undefined, /is missing/],
  ["  ", undefined, /is missing/],
  ["tl_ak_abc", undefined, /the form "Bearer"/],
  ["Basic YTpi", undefined, /the form "Bearer"/],
  ["Bearer", undefined, /exactly one key/],
  ["Bearer a b", undefined, /exactly one key/],
  ["Bearer <API key>", undefined, /exactly one key/],
  ["Bearer YOUR_API_KEY", undefined, /placeholder/],
  ["Bearer {{token}}", undefined, /placeholder/],
  ["Bearer $TOKEN", undefined, /placeholder/],
  ["Bearer tl_ak_...", undefined, /placeholder/],
  ["bearer tl_ak_0123456789abcdefABCDEF-_", undefined, /unknown, expired or revoked/],
  [`Bearer tl_ak_your${"0".repeat(39)}`, undefined, /unknown, expired or revoked/],
  ["Bearer tl_at_abc", "access", /valid for \/v2 only/],
  ["Bearer tl_ak_abc", "api", /valid for \/v3 only/],
  ["Bearer tl_ag_abc", "agent", /valid for \/v2 only/],
  ["Bearer tl_sk_abc", "sidecar", /valid for \/v3 only/],
])("%s (%s)", (header, kind, expected) => {
  expect(reasonOfRefusal(header, kind)).toMatch(expected);
});
