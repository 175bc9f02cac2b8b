import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ClientTable, pagesSource } from "../clients/typescript/generate.ts";
import { ERRORS } from "../src/core/errors.ts";
import { describeInterface } from "./kit/interface.ts";

const document = await describeInterface("/app/openapi.json");
const ROOT = new URL("..", import.meta.url);
const isOfConsole = (path: string) => path.startsWith("/app/api/console/");
/** What one page asks does not make the others larger. */
const TABLES: readonly ClientTable[] = [
  {
    file: "web/kit/api/page-operations.ts",
    name: "PAGE_OPERATIONS",
    types: "./generated.ts",
    has: (path) => !isOfConsole(path),
  },
  {
    file: "web/console/operations.ts",
    name: "CONSOLE_OPERATIONS",
    types: "../kit/api/generated.ts",
    has: isOfConsole,
  },
];

/** `npm run docs` writes what this test compares. */
test.each(pagesSource(document, Object.keys(ERRORS), TABLES))(
  "$file knows every operation as the service has it",
  ({ file, text }) => {
    const url = new URL(file, ROOT);
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(url, text);
    expect(readFileSync(url, "utf8")).toBe(text);
  },
);

test("clients are not told of what the pages ask", async () => {
  const paths = Object.keys((await describeInterface()).paths);
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => path.startsWith("/app"))).toEqual([]);
  expect(Object.keys(document.paths).filter((path) => path.startsWith("/app/api/")).length).toBeGreaterThan(
    5,
  );
});
