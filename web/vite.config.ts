import { join } from "node:path";
import { defineConfig } from "vite";
import { sizeBudget } from "./size-budget.ts";
import { tailwind } from "./tailwind.ts";

/** Kilobytes (1000 bytes) of each page over the wire: its HTML, scripts and styles, gzip. */
const BUDGETS = { chat: { opening: 50, later: 12 }, connect: 35, console: 100, phone: 60 } as const;

const root = import.meta.dirname;

// Vite takes NODE_ENV for the mode of JSX: a service that starts with another value would build larger pages.
process.env["NODE_ENV"] = "production";

/**
 * All pages in one build, so that they share their chunks. Addresses are relative to the page: the service serves them
 * below `PUBLIC_URL`, whatever its path is, and the sandbox serves the phone. `GALLERY=1` adds the page that shows every
 * component, for the browser tests.
 */
export default defineConfig({
  root,
  base: "./",
  plugins: [tailwind(root), sizeBudget(BUDGETS)],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: process.env["PAGES_OUT"] ?? join(root, "dist"),
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      input: pagesOf([...Object.keys(BUDGETS), ...(process.env["GALLERY"] === "1" ? ["gallery"] : [])]),
    },
  },
});

function pagesOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, join(root, `${name}.html`)]));
}
