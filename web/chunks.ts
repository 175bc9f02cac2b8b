import { join } from "node:path";
import type { Rolldown } from "vite";

type Context = Parameters<Rolldown.CodeSplittingNameFunction>[1];
type Modules = ReadonlySet<string>;

/**
 * Few chunks for the opening of a page: one of its own, and one shared with other pages, with a second for what
 * `lean` does not need. Otherwise the bundler creates a chunk for each combination of importers; small files compress
 * badly, and each is a request.
 */
export function openingChunks(
  root: string,
  pages: readonly string[],
  lean: string,
): Rolldown.CodeSplittingNameFunction {
  const known = new Map<string, { readonly opening: Modules; readonly all: Modules }>();
  return (id, context) => {
    const modulesOf = (page: string) => {
      const main = join(root, page, "main.tsx");
      const found = known.get(page) ?? {
        opening: closure(main, context, false),
        all: closure(main, context, true),
      };
      known.set(page, found);
      return found;
    };
    const users = pages.filter((page) => modulesOf(page).opening.has(id));
    if (users.length > 1) return users.includes(lean) ? "kit" : "kit-forms";
    // A module that one page needs at its opening and another later is a separate chunk.
    const isShared = pages.some((page) => page !== users[0] && modulesOf(page).all.has(id));
    return users.length === 0 || isShared ? null : `${users[0]}-page`;
  };
}

/** One chunk, `{page}-{part}`, for what this module of a page imports and the page's opening does not need. */
export function partChunk(
  root: string,
  page: string,
  part: string,
  module: string,
): Rolldown.CodeSplittingNameFunction {
  let modules: Modules | null = null;
  let opening: Modules | null = null;
  return (id, context) => {
    const own = join(root, page, module);
    modules ??= closure(own, context, false).add(own);
    opening ??= closure(join(root, page, "main.tsx"), context, false);
    return modules.has(id) && !opening.has(id) ? `${page}-${part}` : null;
  };
}

/** All modules that a module imports, directly or indirectly. */
function closure(main: string, context: Context, withLater: boolean): Set<string> {
  const importsOf = (id: string): readonly string[] => {
    const module = context.getModuleInfo(id);
    return module === null
      ? []
      : [...module.importedIds, ...(withLater ? module.dynamicallyImportedIds : [])];
  };
  const found = new Set(importsOf(main));
  for (const id of found) for (const next of importsOf(id)) found.add(next);
  return found;
}
