import type { TransportDefinition, TransportSetting } from "../core/transport/definition.ts";
import { type Environment, given } from "./environment.ts";

/** Settings that make a connector trust an emulator while a messenger's address is not loopback. */
export function unsafeEmulatorTrust(
  env: Environment,
  definitions: readonly TransportDefinition[],
  loopback: boolean,
): string[] {
  return definitions.flatMap((definition) => {
    const settings = Object.values<TransportSetting>(definition.settings);
    const addresses = settings.filter(({ address }) => address === true);
    const isLocal = ({ env: name, default: fallback }: TransportSetting) =>
      isLoopback(URL.parse(given(env, name) ?? fallback)?.hostname ?? "");
    if (loopback && addresses.every(isLocal)) return [];
    const names = ["HOST", "PUBLIC_URL", ...addresses.map(({ env: name }) => name)].join(", ");
    return settings
      .filter(({ emulatorOnly, env: name }) => emulatorOnly === true && given(env, name) !== undefined)
      .map(({ env: name }) => `${name} is for an emulator: it is allowed only if ${names} are all loopback`);
  });
}

/** Accepts a host name or an address, IPv6 with or without brackets. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
