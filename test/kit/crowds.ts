import { existsSync, readdirSync } from "node:fs";
import type { Crowd, CrowdStage, Messenger } from "../../sandbox/crowd/contract.ts";
import { must, type Stand } from "./stand.ts";

const SANDBOX = new URL("../../sandbox/", import.meta.url);
const TRANSPORTS = new URL("../../src/transports/", import.meta.url);

/** A transport with what gathers a crowd at its emulator. */
export interface Gathering {
  readonly name: string;
  readonly messenger: Messenger;
}

/** Of all transports, found by `sandbox/<name>/crowd.ts`. */
export async function findGatherings(): Promise<readonly Gathering[]> {
  // An emulator may be there before its connector.
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

/** Environment variables that lead a service to the emulators of all of them. */
export async function settingsOf(
  stand: Stand,
  gatherings: readonly Gathering[],
): Promise<Readonly<Record<string, string>>> {
  const entries = (await (await fetch(sandboxOf(stand))).json()) as Entries;
  return Object.assign(
    {},
    ...gatherings.map(({ name, messenger }) => messenger.settings(entries[name] ?? {})),
  );
}

/** The crowd with so many channels, on the service that the stand has started. */
export async function gather(stand: Stand, { name, messenger }: Gathering, channels: number): Promise<Crowd> {
  const crowd = await messenger.gather(stageOf(stand, name));
  for (let left = channels; left > 0; left--) await crowd.addChannel();
  return crowd;
}

function stageOf(stand: Stand, name: string): CrowdStage {
  return {
    serviceUrl: () => stand.url,
    async api<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
      return (await must(stand.call(method, path, body))).json as T;
    },
    async admin<T>(method: string, path: string, body?: object): Promise<T> {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const answer = await fetch(`${sandboxOf(stand)}/admin/${name}${path}`, init);
      if (!answer.ok) throw new Error(`${name}: ${method} ${path}: ${await answer.text()}`);
      return (await answer.json()) as T;
    },
  };
}

const sandboxOf = ({ telegram }: Stand): string => telegram.url.replace(/\/telegram$/, "");
