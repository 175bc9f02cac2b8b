import { gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

type Bundle = Rolldown.OutputBundle;

/** Kilobytes (1000 bytes, gzip). */
export interface PageSize {
  /** What travels before the page can be used: its HTML and style, every script that it imports, and one language. */
  readonly opening: number;
  /** What is loaded later, when a part of the page is first opened. */
  readonly later: number;
}

/**
 * Fails the build when a page is larger than its budget: `opening`, and `later` where the page loads parts on demand (0
 * where none is stated, so that nothing leaves the budget unnoticed).
 */
export function sizeBudget(budgets: Readonly<Record<string, number | PageSize>>): Plugin {
  return {
    name: "size-budget",
    apply: "build",
    enforce: "post",
    writeBundle(_options, bundle) {
      const sizes = Object.entries(budgets).map(([page, budget]) => ({
        page,
        limit: typeof budget === "number" ? { opening: budget, later: 0 } : budget,
        size: pageSize(bundle, page),
      }));
      this.info(sizes.map(({ page, limit, size }) => `${page} ${shown(size)} of ${shown(limit)}`).join(", "));
      const tooLarge = sizes.filter(
        ({ size, limit }) => size.opening > limit.opening || size.later > limit.later,
      );
      if (tooLarge.length > 0)
        this.error(
          tooLarge
            .map(({ page, limit, size }) => `${page}: ${shown(size)}, budget ${shown(limit)}`)
            .join("; "),
        );
    },
  };
}

function shown({ opening, later }: PageSize): string {
  return later === 0
    ? `${opening.toFixed(1)} KB`
    : `${opening.toFixed(1)} KB and later ${later.toFixed(1)} KB`;
}

/** Exported for its test. */
export function pageSize(bundle: Bundle, page: string): PageSize {
  const html = bundle[`${page}.html`];
  const entry = Object.values(bundle).find(
    (file) => file.type === "chunk" && file.isEntry && file.name === page,
  );
  if (html?.type !== "asset" || entry === undefined) throw new Error(`the build has no page "${page}"`);
  const first = new Set<string>([`${page}.html`]);
  collect(bundle, entry.fileName, first, false);
  for (const [, style = ""] of String(html.source).matchAll(/href="\.\/([^"]+\.css)"/g)) first.add(style);
  const all = new Set(first);
  collect(bundle, entry.fileName, all, true);
  const later = [...all].filter((name) => !first.has(name));
  const texts = (folder: string) => later.filter((name) => isLanguage(bundle[name], folder));
  const [opening, others] = [texts("texts"), texts("texts/later")];
  const rest = later.filter((name) => !opening.includes(name) && !others.includes(name));
  return {
    opening: (bytesOf(bundle, [...first]) + largestOf(bundle, opening)) / 1000,
    later: (bytesOf(bundle, rest) + largestOf(bundle, others)) / 1000,
  };
}

/** Texts in one language, of the page's opening or of its later parts. */
function isLanguage(file: Bundle[string] | undefined, folder: string): boolean {
  const language = /\/(texts(?:\/later)?)\/[a-z]{2}\.ts$/;
  return file?.type === "chunk" && language.exec(file.facadeModuleId ?? "")?.[1] === folder;
}

/** A page loads the texts of its reader alone, so the largest counts. */
function largestOf(bundle: Bundle, names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => gzipBytes(bundle[name])));
}

function collect(
  bundle: Bundle,
  name: string,
  into: Set<string>,
  withLater: boolean,
  seen = new Set(),
): void {
  const file = bundle[name];
  if (seen.has(name) || file?.type !== "chunk") return;
  seen.add(name);
  into.add(name);
  for (const next of [...file.imports, ...(withLater ? file.dynamicImports : [])])
    collect(bundle, next, into, withLater, seen);
}

function bytesOf(bundle: Bundle, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + gzipBytes(bundle[name]), 0);
}

function gzipBytes(file: Bundle[string] | undefined): number {
  if (file === undefined) return 0;
  return gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 }).length;
}
