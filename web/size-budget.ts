import { gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

type Bundle = Rolldown.OutputBundle;

/** Kilobytes (1000 bytes, gzip). */
export interface PageSize {
  /** Size of everything needed for the first use: HTML and styles, all imported scripts, and one language. */
  readonly opening: number;
  /** Size of everything that is loaded later. */
  readonly later: number;
  /**
   * Lazily loaded parts with their own budget; `later` does not include them. A part is the scripts of a folder, and the
   * chunk `{page}-{part}`.
   */
  readonly parts?: Readonly<Record<string, number>>;
}

/**
 * Fails the build if a page exceeds its budget: `opening`, and `later` if the page loads parts on demand (0 if
 * omitted, so that nothing escapes the budget), and each part with its own budget.
 */
export function sizeBudget(budgets: Readonly<Record<string, number | PageSize>>): Plugin {
  return {
    name: "size-budget",
    apply: "build",
    enforce: "post",
    writeBundle(_options, bundle) {
      const sizes = Object.entries(budgets).map(([page, budget]) => {
        const limit: PageSize = typeof budget === "number" ? { opening: budget, later: 0 } : budget;
        return { page, limit, size: pageSize(bundle, page, Object.keys(limit.parts ?? {})) };
      });
      this.info(sizes.map(({ page, limit, size }) => `${page} ${shown(size)} of ${shown(limit)}`).join(", "));
      const tooLarge = sizes.filter(({ size, limit }) => isLarger(size, limit));
      if (tooLarge.length > 0)
        this.error(
          tooLarge
            .map(({ page, limit, size }) => `${page}: ${shown(size)}, budget ${shown(limit)}`)
            .join("; "),
        );
    },
  };
}

function isLarger(size: PageSize, limit: PageSize): boolean {
  const parts = Object.entries(limit.parts ?? {});
  return (
    size.opening > limit.opening ||
    size.later > limit.later ||
    parts.some(([part, most]) => (size.parts?.[part] ?? 0) > most)
  );
}

function shown({ opening, later, parts = {} }: PageSize): string {
  const sizes = [["", opening], ["later", later], ...Object.entries(parts)] as const;
  return sizes
    .filter(([name, size]) => name === "" || size > 0)
    .map(([name, size]) => `${name} ${size.toFixed(1)} KB`.trim())
    .join(" and ");
}

/** Exported for its test. `parts`: folders of the page that are counted separately. */
export function pageSize(bundle: Bundle, page: string, parts: readonly string[] = []): PageSize {
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
  const inPart = (part: string) =>
    rest.filter(
      (name) => bundle[name]?.name === `${page}-${part}` || isOfFolder(bundle[name], `/${page}/${part}/`),
    );
  const apart = new Set(parts.flatMap(inPart));
  return {
    opening: (bytesOf(bundle, [...first]) + largestOf(bundle, opening)) / 1000,
    later:
      (bytesOf(
        bundle,
        rest.filter((name) => !apart.has(name)),
      ) +
        largestOf(bundle, others)) /
      1000,
    parts: Object.fromEntries(parts.map((part) => [part, bytesOf(bundle, inPart(part)) / 1000])),
  };
}

/** Whether a script contains only modules of this folder. */
function isOfFolder(file: Bundle[string] | undefined, folder: string): boolean {
  if (file?.type !== "chunk" || file.moduleIds.length === 0) return false;
  return file.moduleIds.every((id) => id.includes(folder));
}

/** Texts of one language, for the opening or for later parts. */
function isLanguage(file: Bundle[string] | undefined, folder: string): boolean {
  const language = /\/(texts(?:\/later)?)\/[a-z]{2}\.ts$/;
  return file?.type === "chunk" && language.exec(file.facadeModuleId ?? "")?.[1] === folder;
}

/** A page loads only its reader's language, so the largest counts. */
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
