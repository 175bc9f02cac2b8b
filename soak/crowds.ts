import { findGatherings, type Gathering, settingsOf, stageAt } from "../sandbox/crowd/find.ts";
import type { Sandbox } from "../sandbox/server.ts";
import type { TransportDefinition } from "../src/core/transport/definition.ts";
import type { Environment } from "../test/kit/service.ts";
import type { Caller } from "./api.ts";
import type { Account, Messenger } from "./members.ts";

/** The crowds of these transports. Throws if there is none. */
export async function gatheringsOf(transports: readonly string[]): Promise<Gathering[]> {
  const all = await findGatherings();
  return transports.map((name) => {
    const found = all.find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new Error(`there is no crowd of "${name}", only ${all.map((each) => each.name).join(", ")}`);
  });
}

/** By transport: the variables that direct a node to its emulator. */
export async function settingsByTransport(
  sandbox: Sandbox,
  gatherings: readonly Gathering[],
): Promise<Record<string, Environment>> {
  const entries = gatherings.map(async (one) => [one.name, await settingsOf(sandbox.url, [one])] as const);
  return Object.fromEntries(await Promise.all(entries));
}

interface Gathered {
  readonly sandbox: Sandbox;
  readonly gatherings: readonly Gathering[];
  readonly accounts: readonly Account[];
  readonly serviceUrl: string;
  readonly call: Caller;
}

/**
 * Delays between attempts of a callback, as a share of the messenger's own. Viber gives up after 54 minutes, here
 * after a minute, which is longer than any trouble.
 */
const RETRY_SCALE = 0.02;

/** The channels of all accounts belong to one crowd, so that a person writes to several accounts. */
export async function gatherAll({ sandbox, gatherings, accounts, serviceUrl, call }: Gathered) {
  const owners = new Map<string, Account>();
  let [current] = accounts;
  const api = async <T>(method: "GET" | "POST", path: string, body?: object): Promise<T> => {
    if (current === undefined) throw new Error("there is no account");
    const { status, json } = await call(current, { method, path, ...(body === undefined ? {} : { body }) });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json as T;
  };
  const messengers: Messenger[] = [];
  for (const { name, messenger } of gatherings) {
    const stage = stageAt(sandbox.url, name, { serviceUrl: () => serviceUrl, api });
    const crowd = await messenger.gather(stage);
    for (const account of accounts) {
      current = account;
      owners.set(await crowd.addChannel(), account);
    }
    if (crowd.given !== undefined) await stage.admin("POST", "/settings", { retry_scale: RETRY_SCALE });
    messengers.push({ transport: name, crowd, resend: await resendOf(name), admin: stage.admin });
  }
  return { messengers, owners };
}

async function resendOf(transport: string): Promise<Messenger["resend"]> {
  const file = new URL(`../src/transports/${transport}/definition.ts`, import.meta.url).href;
  const { definition } = (await import(file)) as { definition: TransportDefinition };
  return definition.capabilities.resend;
}
