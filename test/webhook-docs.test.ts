import { readFileSync, writeFileSync } from "node:fs";
import Schema from "typebox/schema";
import { expect, test } from "vitest";
import { V2_EVENTS, V3_KINDS } from "../src/core/delivery/receiver/kinds.ts";
import { composeWhole } from "../src/core/delivery/request/batch.ts";
import { EXAMPLES } from "../src/core/payload/examples.ts";
import { WHEN, webhooks } from "../src/http/openapi/webhooks.ts";

const PAGE = new URL("../docs/webhooks.md", import.meta.url);
const AT = new Date("2030-01-02T03:04:05.678Z");

const kinds = [...V3_KINDS, ...V2_EVENTS];
const section = kinds.map(entry).join("\n\n");

function entry(kind: string): string {
  const example = EXAMPLES.get(kind);
  if (example === undefined) return `### \`${kind}\`\n\nCan be subscribed to; nothing sends it yet.`;
  return `### \`${kind}\`\n\nSent when ${WHEN[kind]}.\n\n\`\`\`json\n${JSON.stringify(bodyOf(kind), null, 2)}\n\`\`\``;
}

function bodyOf(kind: string): unknown {
  const example = EXAMPLES.get(kind);
  if (example === undefined) throw new Error(`There is no example of ${kind}`);
  const event = {
    ...example,
    id: 1,
    body: JSON.stringify(example.body),
    seconds: Math.floor(AT.getTime() / 1000),
  };
  return JSON.parse(composeWhole([event], [1])?.body ?? "null");
}

/** `npm run docs` writes what this test compares. */
test("the page lists every event as it is sent", () => {
  const page = readFileSync(PAGE, "utf8");
  const current = page.replace(
    /<!-- events -->.*<!-- \/events -->/s,
    () => `<!-- events -->\n\n${section}\n\n<!-- /events -->`,
  );
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, current);
  expect(readFileSync(PAGE, "utf8")).toBe(current);
});

test("every event that is sent says when", () => {
  expect(Object.keys(WHEN).toSorted()).toEqual([...EXAMPLES.keys()].toSorted());
  expect([...EXAMPLES.keys()].filter((kind) => !kinds.includes(kind))).toEqual([]);
});

test.each([...EXAMPLES.keys()])("the body of %s fits its description, which leaves no field out", (kind) => {
  const schema = webhooks()[kind]?.post.requestBody.content["application/json"].schema;
  const validator = Schema.Compile(closed(schema) as Record<string, unknown>);
  const body = bodyOf(kind);
  expect(validator.Errors(body)[1].map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual(
    [],
  );
});

/** The schema with every object closed, unless it says otherwise. */
function closed(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value) =>
    value?.type === "object" && value.properties !== undefined
      ? { additionalProperties: false, ...value }
      : value,
  );
}

test("every event that can be subscribed to is described", () => {
  expect(Object.keys(webhooks()).toSorted()).toEqual(kinds.toSorted());
});
