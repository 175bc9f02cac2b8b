import { join } from "node:path";
import { defineConfig } from "vite";
import { openingChunks, partChunk } from "./chunks.ts";
import { repeatableImports } from "./repeatable-imports.ts";
import { sizeBudget } from "./size-budget.ts";
import { tailwind } from "./tailwind.ts";

/** Compressed size of each page in kilobytes (1000 bytes): its HTML, scripts and styles. */
const BUDGETS = {
  // Emoji have names in four languages, of which a reader loads one when the picker opens.
  // The player of stickers is lottie-web, 54 KB.
  // With the headers of its responses, the opening stays below 45 KB.
  chat: {
    opening: 42.7,
    later: 28.5,
    parts: {
      thread: 17,
      canned: 8,
      writing: 12,
      together: 9,
      emoji: 125,
      card: 3,
      sticker: 3,
      "sticker-player": 56,
    },
  },
  connect: { opening: 36, later: 11 },
  console: 100,
  phone: 60,
} as const;

/** What the chat page loads first after its opening, as one file, which compresses better. */
const AHEAD =
  /\/web\/chat\/(?:composer\/(?:composer-parts|upload)|thread\/(?:actions-menu|bubble-trouble|message-actions|removal|show-mark)|writing\/forwarding)\.tsx?$/;

/** The names of emoji in a language, which are loaded only when they are needed, as is `PLAYER`. */
const EMOJI_NAMES = /\/web\/chat\/emoji\/(en|es|pt|ru)\.ts$/;

/** The player of animated stickers, which is loaded with the first one in view. */
const PLAYER = /\/lottie-web\/|\/web\/chat\/sticker\/player\.ts$/;

const root = import.meta.dirname;
const pages = [...Object.keys(BUDGETS), ...(process.env["GALLERY"] === "1" ? ["gallery"] : [])];

// Vite uses NODE_ENV for the mode of JSX: with another value, the service would build larger pages.
process.env["NODE_ENV"] = "production";

/**
 * All pages in one build, so that they share chunks. Addresses are relative to the page: the service serves them
 * below `PUBLIC_URL`, which may have a path, and the sandbox serves the phone. `GALLERY=1` adds the page with all
 * components, for the browser tests.
 */
export default defineConfig({
  root,
  base: "./",
  plugins: [tailwind(root), repeatableImports(join(root, "kit/load-module.ts")), sizeBudget(BUDGETS)],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: process.env["PAGES_OUT"] ?? join(root, "dist"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      input: Object.fromEntries(pages.map((name) => [name, join(root, `${name}.html`)])),
      output: {
        codeSplitting: {
          groups: [
            { name: openingChunks(root, pages, "chat"), debugName: "opening" },
            { name: partChunk(root, "chat", "thread", "thread/thread-pane.tsx"), debugName: "thread" },
            { name: "chat-ahead", test: AHEAD },
            { name: "chat-sticker-player", test: PLAYER },
            { name: "chat-together", test: /\/web\/chat\/together\// },
            { name: (id) => `emoji-names-${EMOJI_NAMES.exec(id)?.[1]}`, test: EMOJI_NAMES },
          ],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
});
