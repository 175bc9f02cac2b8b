import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { compile } from "tailwindcss";
import type { Plugin } from "vite";

const require = createRequire(import.meta.url);
/** What may be a class: Tailwind ignores every other word. */
const WORDS = /[^\s"'`<>{}=;]+/g;

/**
 * Tailwind by its compiler alone. Its plugin for Vite scans sources by a native module, whose packages for other systems
 * have no hash in the lockfile of a mirror that lacks them.
 */
export function tailwind(root: string): Plugin {
  return {
    name: "tailwind",
    enforce: "pre",
    async transform(code, id) {
      if (!id.endsWith("/tokens.css")) return null;
      const { build } = await compile(code, { base: dirname(id), loadStylesheet });
      return { code: build(await candidates(root)), map: null };
    },
  };
}

async function loadStylesheet(id: string, base: string) {
  const path = id.startsWith(".") ? join(base, id) : require.resolve(id);
  return { path, base: dirname(path), content: await readFile(path, "utf8") };
}

async function candidates(root: string): Promise<string[]> {
  const files = globSync("{kit,connect,gallery}/**/*.tsx", { cwd: root });
  const texts = await Promise.all(files.map((name) => readFile(join(root, name), "utf8")));
  return [...new Set(texts.flatMap((text) => text.match(WORDS) ?? []))];
}
