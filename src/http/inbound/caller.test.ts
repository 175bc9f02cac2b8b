import { expect, test } from "vitest";
import { callerOf } from "./caller.ts";

test.each([
  ["a public address", "198.41.0.4", undefined, "198.41.0.4"],
  ["a public address that forges the header", "198.41.0.4", "1.1.1.1", "198.41.0.4"],
  ["behind a proxy that is not trusted", "10.0.0.1", "203.0.113.9", "10.0.0.1 203.0.113.9"],
  ["behind it, with a forged entry", "10.0.0.1", "1.1.1.1, 203.0.113.9", "10.0.0.1 203.0.113.9"],
  ["a private address", "10.0.0.1", undefined, "10.0.0.1 "],
  ["a long header", "10.0.0.1", "x".repeat(1_000), `10.0.0.1 ${"x".repeat(64)}`],
])("%s", (_, ip, forwarded, id) => {
  expect(callerOf({ ip, headers: { "x-forwarded-for": forwarded } })).toEqual({ kind: "caller", id });
});
