import { readdirSync } from "node:fs";
import type { Transport } from "../core/transport/connector.ts";

const INDEX = import.meta.url.endsWith(".ts") ? "index.ts" : "index.js";

/**
 * Every messenger of this program, in alphabetical order: the folders beside this file that have an `index`, whose
 * default export is what `defineTransport` returned. The folder is the transport's id.
 */
export const transports: readonly Transport[] = await Promise.all(foldersWithIndex().map(loadTransport));

function foldersWithIndex(): string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && readdirSync(`${import.meta.dirname}/${entry.name}`).includes(INDEX),
    )
    .map(({ name }) => name)
    .sort();
}

async function loadTransport(name: string): Promise<Transport> {
  const { default: transport }: { default?: Transport } = await import(
    new URL(`./${name}/${INDEX}`, import.meta.url).href
  );
  if (transport?.definition.id !== name)
    throw new Error(`src/transports/${name}/${INDEX} does not export the transport "${name}" by default`);
  return transport;
}
