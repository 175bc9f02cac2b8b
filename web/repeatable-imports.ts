import type { Plugin } from "vite";

/** The module in which Vite defines the function that it wraps around each `import()`. */
const VITE_HELPER = "\0vite/preload-helper.js";

/**
 * Wraps each `import()` of the build in `loadModule` of the module `loader`, with the list of the files that it needs,
 * instead of in Vite's own function, which only preloads them.
 */
export function repeatableImports(loader: string): Plugin {
  let isReplaced = false;
  return {
    name: "repeatable-imports",
    apply: "build",
    enforce: "pre",
    config: () => ({
      build: {
        modulePreload: {
          polyfill: false,
          resolveDependencies: (file, needed, { hostId, hostType }) =>
            hostType === "html" ? needed : [...new Set([file, ...needed])].filter((name) => name !== hostId),
        },
      },
    }),
    load(id) {
      if (id !== VITE_HELPER) return null;
      isReplaced = true;
      return `export { loadModule as __vitePreload } from ${JSON.stringify(loader)};`;
    },
    buildEnd(error) {
      if (error === undefined && !isReplaced)
        this.error(`Vite has no module ${VITE_HELPER.slice(1)} any more`);
    },
  };
}
