import { isValidSpanId, isValidTraceId } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { firstIdAt, hourIdDigits, newId } from "../ids.ts";
import { acceptedAtOf, rootSpanIdOf, traceIdOf } from "./trace-ids.ts";

test.each([
  ["0197a1b2-c3d4-4001-8abc-0123456789ab", "0197a1b2c3d440018abc0123456789ab", "8abc0123456789ab"],
  ["0197A1B2-C3D4-4001-8ABC-0123456789AB", "0197a1b2c3d440018abc0123456789ab", "8abc0123456789ab"],
  ["00000000-0000-4000-8000-000000000000", "00000000000040008000000000000000", "8000000000000000"],
])("%s has a trace and a root span", (id, traceId, spanId) => {
  expect(traceIdOf(id)).toBe(traceId);
  expect(rootSpanIdOf(id)).toBe(spanId);
  expect(isValidTraceId(traceId) && isValidSpanId(spanId)).toBe(true);
});

test("ids of one moment have root spans of their own", () => {
  const spans = Array.from({ length: 5_000 }, () => rootSpanIdOf(newId()));
  expect(new Set(spans).size).toBe(spans.length);
});

test("the id of a message says when it was accepted, unless it follows from an Idempotency-Key", () => {
  const at = Date.parse("2026-03-01T10:20:30.456Z");
  expect(acceptedAtOf(firstIdAt(at))).toBe(at);
  const hour = firstIdAt(Date.parse("2026-03-01T10:00:00Z")).replaceAll("-", "").slice(0, 12);
  expect(acceptedAtOf(hour + hourIdDigits("an account", "a key"))).toBeNull();
});
