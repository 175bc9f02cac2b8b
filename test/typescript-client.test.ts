import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clientSource } from "../clients/typescript/generate.ts";
import { ERRORS } from "../src/core/errors.ts";
import { servedDescription } from "./kit/interface.ts";

const document = await servedDescription();
const FILE = new URL("../clients/typescript/src/generated.ts", import.meta.url);

/** `npm run docs` writes what this test compares. */
test("the client for TypeScript has every operation as the interface has it", () => {
  const current = clientSource(document, Object.keys(ERRORS));
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(FILE, current);
  expect(readFileSync(FILE, "utf8")).toBe(current);
});
