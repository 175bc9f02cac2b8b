import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { goSource } from "../clients/go/generate.ts";
import { phpSource } from "../clients/php/generate.ts";
import { pythonSource } from "../clients/python/generate.ts";
import { clientSource } from "../clients/typescript/generate.ts";
import { ERRORS } from "../src/core/errors.ts";
import { servedDescription } from "./kit/interface.ts";

const document = await servedDescription();

/** `npm run docs` writes what this test compares. */
test.each([
  ["typescript/src/generated.ts", clientSource(document, Object.keys(ERRORS))],
  ["python/trunkline/generated.py", pythonSource(document)],
  ["php/src/Operations.php", phpSource(document)],
  ["go/generated.go", goSource(document)],
])("clients/%s has every operation as the interface has it", (name, current) => {
  const file = new URL(`../clients/${name}`, import.meta.url);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, current);
  expect(readFileSync(file, "utf8")).toBe(current);
});
