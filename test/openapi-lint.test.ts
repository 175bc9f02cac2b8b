import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { expect, test } from "vitest";
import { servedDescription } from "./kit/interface.ts";

const text = JSON.stringify(await servedDescription());

test("Redocly's recommended rules find nothing", async () => {
  const config = await createConfig({
    extends: ["recommended"],
    rules: {
      // `/v2/messages/messages_dump/{export_id}` is the interface's: an id of a message is never `messages_dump`.
      "no-ambiguous-paths": "off",
    },
  });
  const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test("Spectral's rules for OpenAPI find nothing", async () => {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, "recommended"]] });
  const problems = await spectral.run(JSON.parse(text));
  expect(problems.map(({ code, message, path }) => [code, message, path.join("/")])).toEqual([]);
});
