import { existsSync, readdirSync } from "node:fs";
import type { CrowdStage, Messenger } from "./contract.ts";

const SANDBOX = new URL("../", import.meta.url);
const TRANSPORTS = new URL("../../src/transports/", import.meta.url);

/** A transport with the module that creates a crowd at its emulator. */
export interface Gathering {
  readonly name: string;
  readonly messenger: Messenger;
}

/** Those of all transports, by `sandbox/<name>/crowd.ts`. */
export async function findGatherings(): Promise<readonly Gathering[]> {
  // An emulator may exist before its connector.
  const names = readdirSync(SANDBOX).filter(
    (name) =>
      existsSync(new URL(`${name}/crowd.ts`, SANDBOX)) && existsSync(new URL(`${name}/index.ts`, TRANSPORTS)),
  );
  return Promise.all(
    names.map(async (name) => {
      const file = new URL(`${name}/crowd.ts`, SANDBOX).href;
      const { default: messenger } = (await import(file)) as { default: Messenger };
      return { name, messenger };
    }),
  );
}

type Entries = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Environment variables that direct a service to all these emulators. */
export async function settingsOf(
  sandboxUrl: string,
  gatherings: readonly Gathering[],
): Promise<Readonly<Record<string, string>>> {
  const entries = (await (await fetch(sandboxUrl)).json()) as Entries;
  return Object.assign(
    {},
    ...gatherings.map(({ name, messenger }) => messenger.settings(entries[name] ?? {})),
  );
}

/** The stage of a messenger's crowd; `service` is the service's side. */
export function stageAt(
  sandboxUrl: string,
  name: string,
  service: Pick<CrowdStage, "serviceUrl" | "api">,
): CrowdStage {
  return {
    ...service,
    async admin<T>(method: string, path: string, body?: object): Promise<T> {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const answer = await fetch(`${sandboxUrl}/admin/${name}${path}`, init);
      if (!answer.ok) throw new Error(`${name}: ${method} ${path}: ${await answer.text()}`);
      return (await answer.json()) as T;
    },
  };
}
