import { afterAll, beforeAll, expect, test } from "vitest";
import { type OtlpCollector, startOtlpCollector } from "../../../test/kit/otlp-collector.ts";
import { readConfig } from "../../config.ts";
import { checkCollector } from "./collector.ts";

let collector: OtlpCollector;
beforeAll(async () => {
  collector = await startOtlpCollector();
});
afterAll(() => collector.stop());

const found = (env: Record<string, string>, network: boolean) => checkCollector(readConfig(env, []), network);

test("a collector is tried only when asked, and only if there is one", async () => {
  expect(await found({}, true)).toEqual([]);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  expect(await found(env, true)).toMatchObject([
    { status: "ok", detail: expect.stringContaining("responds with 200") },
  ]);
  const wrong = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/other` };
  expect(await found(wrong, true)).toMatchObject([
    { status: "warn", detail: expect.stringContaining("404") },
  ]);
  await collector.stop();
  expect(await found(env, false)).toMatchObject([
    { status: "ok", detail: expect.stringContaining("not tried") },
  ]);
  // Refused, or closed if the connection of the check before is still known.
  expect(await found(env, true)).toMatchObject([{ status: "warn" }]);
});
