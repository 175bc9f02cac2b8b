import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clientSource } from "../clients/typescript/generate.ts";
import { ERRORS } from "../src/core/errors.ts";
import { describeInterface } from "./kit/interface.ts";

const document = await describeInterface("/app/openapi.json");
const FILE = new URL("../web/kit/api/generated.ts", import.meta.url);

/** `npm run docs` writes what this test compares. */
test("the pages know every operation as the service has it", () => {
  const current = clientSource(document, Object.keys(ERRORS), "the description of /app/api");
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(FILE, current);
  expect(readFileSync(FILE, "utf8")).toBe(current);
});

test("clients are not told of what the pages ask", async () => {
  const paths = Object.keys((await describeInterface()).paths);
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => path.startsWith("/app"))).toEqual([]);
  expect(Object.keys(document.paths).filter((path) => path.startsWith("/app/api/")).length).toBeGreaterThan(
    5,
  );
});
