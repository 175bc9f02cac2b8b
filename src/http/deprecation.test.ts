import fastify from "fastify";
import { expect, test } from "vitest";
import type { App, Deprecation } from "./app.ts";
import { announceDeprecations } from "./deprecation.ts";

const since = new Date("2026-11-01T00:00:00Z");
const link = "https://gateway.example/docs";

test.each<[string, Deprecation | undefined, object]>([
  ["none", undefined, {}],
  ["without an end", { since, link }, { deprecation: "@1793491200" }],
  [
    "with an end",
    { since, sunset: new Date("2027-11-01T00:00:00Z"), link },
    { deprecation: "@1793491200", sunset: "Mon, 01 Nov 2027 00:00:00 GMT" },
  ],
])("a deprecated route says so, also when it refuses: %s", async (_, deprecated, expected) => {
  const app = fastify() as unknown as App;
  announceDeprecations(app);
  app.get("/old", { config: deprecated === undefined ? {} : { deprecated } }, async () => {
    throw new Error("refused");
  });
  const { headers } = await app.inject({ url: "/old" });
  const { deprecation, sunset, link: to } = headers;
  expect(JSON.parse(JSON.stringify({ deprecation, sunset }))).toEqual(expected);
  expect(to).toBe(deprecated && `<${link}>; rel="deprecation"; type="text/html"`);
  await app.close();
});
