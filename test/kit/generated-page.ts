import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * Compares the part of a page between `<!-- name -->` and `<!-- /name -->` with what it should be; `npm run docs`
 * writes it.
 */
export function expectSection(file: URL, name: string, content: string): void {
  const page = readFileSync(file, "utf8");
  const part = new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, "s");
  if (!part.test(page)) throw new Error(`${file.pathname} has no part called ${name}`);
  const current = page.replace(part, () => `<!-- ${name} -->\n\n${content}\n\n<!-- /${name} -->`);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, current);
  expect(readFileSync(file, "utf8")).toBe(current);
}
