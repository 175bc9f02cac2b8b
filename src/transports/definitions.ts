import { readdirSync } from "node:fs";
import type { TransportDefinition } from "../core/transport/definition.ts";

const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

/** The folders beside this file that have an `index`, in alphabetical order. Each is named after its transport's id. */
export const transportFolders: readonly string[] = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter(
    (entry) =>
      entry.isDirectory() &&
      readdirSync(`${import.meta.dirname}/${entry.name}`).includes(`index${EXTENSION}`),
  )
  .map(({ name }) => name)
  .sort();

/** A module of a transport. */
export function importOf(folder: string, module: "index" | "definition"): Promise<Record<string, unknown>> {
  return import(new URL(`./${folder}/${module}${EXTENSION}`, import.meta.url).href);
}

/** What every messenger of this program is: enough to read the settings, without the code that talks to it. */
export const definitions: readonly TransportDefinition[] = await Promise.all(
  transportFolders.map(async (folder) => {
    const { definition } = (await importOf(folder, "definition")) as { definition?: TransportDefinition };
    if (definition?.id !== folder)
      throw new Error(
        `src/transports/${folder}/definition${EXTENSION} does not export the definition "${folder}"`,
      );
    return definition;
  }),
);
