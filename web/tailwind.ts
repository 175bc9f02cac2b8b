import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, parse } from "node:path";
import { compile } from "tailwindcss";
import type { Plugin } from "vite";

const require = createRequire(import.meta.url);
/** Possible class names: Tailwind ignores all other words. */
const WORDS = /[^\s"'`<>{}=;]+/g;

/**
 * Uses Tailwind's compiler directly; each page gets its own stylesheet with the classes of its folder and of the kit.
 * Tailwind's Vite plugin scans sources with a native module, whose packages for other systems have no hash in the
 * lockfile of a mirror that lacks them.
 */
export function tailwind(root: string): Plugin {
  return {
    name: "tailwind",
    enforce: "pre",
    async transform(code, id) {
      const page = pageOf(root, id);
      if (page !== null) return { code: `import "../kit/tokens.css?page=${page}";${code}`, map: null };
      const [path = "", name] = id.split("/tokens.css?page=");
      if (name === undefined) return null;
      const { build } = await compile(code, { base: path, loadStylesheet });
      return { code: build(await candidates(root, name)), map: null };
    },
  };
}

async function loadStylesheet(id: string, base: string) {
  const path = id.startsWith(".") ? join(base, id) : require.resolve(id);
  return { path, base: dirname(path), content: await readFile(path, "utf8") };
}

/** The page of this module if it is a page's entry; otherwise null. */
function pageOf(root: string, id: string): string | null {
  const { dir, base } = parse(id);
  return base === "main.tsx" && dirname(dir) === root ? basename(dir) : null;
}

async function candidates(root: string, page: string): Promise<string[]> {
  const files = globSync(`{kit,${page}}/**/*.tsx`, { cwd: root });
  const texts = await Promise.all(files.map((name) => readFile(join(root, name), "utf8")));
  return [...new Set(texts.flatMap((text) => text.match(WORDS) ?? []))];
}
