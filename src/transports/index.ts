import type { Transport } from "../core/transport/connector.ts";
import { importOf, transportFolders } from "./definitions.ts";

/**
 * Every messenger of this program, in alphabetical order. The default export of a transport's `index` is what
 * `defineTransport` returned.
 */
export const transports: readonly Transport[] = await Promise.all(transportFolders.map(loadTransport));

async function loadTransport(folder: string): Promise<Transport> {
  const { default: transport } = (await importOf(folder, "index")) as { default?: Transport };
  if (transport?.definition.id !== folder)
    throw new Error(`src/transports/${folder}/index does not export the transport "${folder}" by default`);
  return transport;
}
