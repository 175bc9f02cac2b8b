import { readdirSync } from "node:fs";
import type { EmulatorFactory } from "./emulator.ts";

const INDEX = import.meta.url.endsWith(".ts") ? "index.ts" : "index.js";

/**
 * All emulated messengers by name: the folders beside this file with an `index`, whose default export creates the
 * emulator. The folder's name is also the emulator's path and the name of its admin API.
 */
export const emulatorFactories: Readonly<Record<string, EmulatorFactory>> = Object.fromEntries(
  await Promise.all(foldersWith(INDEX).map(async (name) => [name, await loadFactory(name)] as const)),
);

/** In alphabetical order. */
export function foldersWith(file: string): string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && readdirSync(`${import.meta.dirname}/${entry.name}`).includes(file),
    )
    .map(({ name }) => name)
    .sort();
}

async function loadFactory(name: string): Promise<EmulatorFactory> {
  const { default: create }: { default?: unknown } = await import(
    new URL(`./${name}/${INDEX}`, import.meta.url).href
  );
  if (typeof create !== "function")
    throw new Error(`sandbox/${name}/${INDEX} has no factory as default export`);
  return create as EmulatorFactory;
}
