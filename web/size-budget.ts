import { gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

type Bundle = Rolldown.OutputBundle;

/**
 * Fails the build when a page is larger than its budget: kilobytes (1000 bytes, gzip) of its HTML, and of every script
 * and style that it loads, those on demand included.
 */
export function sizeBudget(budgets: Readonly<Record<string, number>>): Plugin {
  return {
    name: "size-budget",
    apply: "build",
    enforce: "post",
    writeBundle(_options, bundle) {
      const sizes = Object.entries(budgets).map(([page, limit]) => ({
        page,
        limit,
        kb: pageKb(bundle, page),
      }));
      this.info(sizes.map(({ page, limit, kb }) => `${page} ${kb.toFixed(1)} of ${limit} KB`).join(", "));
      const tooLarge = sizes.filter(({ kb, limit }) => kb > limit);
      if (tooLarge.length > 0)
        this.error(
          tooLarge
            .map(({ page, limit, kb }) => `${page}: ${kb.toFixed(1)} KB, budget ${limit} KB`)
            .join("; "),
        );
    },
  };
}

/** Exported for its test. */
export function pageKb(bundle: Bundle, page: string): number {
  const html = bundle[`${page}.html`];
  const entry = Object.values(bundle).find(
    (file) => file.type === "chunk" && file.isEntry && file.name === page,
  );
  if (html?.type !== "asset" || entry === undefined) throw new Error(`the build has no page "${page}"`);
  const files = new Set<string>([`${page}.html`]);
  collect(bundle, entry.fileName, files);
  for (const [, style = ""] of String(html.source).matchAll(/href="\.\/([^"]+\.css)"/g)) files.add(style);
  return [...files].reduce((sum, name) => sum + gzipBytes(bundle[name]), 0) / 1000;
}

function collect(bundle: Bundle, name: string, into: Set<string>): void {
  const file = bundle[name];
  if (into.has(name) || file?.type !== "chunk") return;
  into.add(name);
  for (const next of [...file.imports, ...file.dynamicImports]) collect(bundle, next, into);
}

function gzipBytes(file: Bundle[string] | undefined): number {
  if (file === undefined) return 0;
  return gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 }).length;
}
