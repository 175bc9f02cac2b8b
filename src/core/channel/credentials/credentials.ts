import type { Base } from "../../base.ts";

/** Binds sealed credentials to their channel, so that they cannot be opened in another row. */
export function credentialsContext(channelId: string): string {
  return `credentials ${channelId}`;
}

export function stateContext(channelId: string, key: string): string {
  return `state ${channelId} ${key}`;
}

export function vaultContext(channelId: string, family: string, id: string): string {
  return `vault ${channelId} ${family} ${id}`;
}

export function openCredentials(
  core: Base,
  channelId: string,
  sealed: Buffer,
): Readonly<Record<string, unknown>> {
  return JSON.parse(core.seal.open(sealed, credentialsContext(channelId)).toString()) as Record<
    string,
    unknown
  >;
}
