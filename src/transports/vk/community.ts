import type { LinkOf } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { createAnnouncer } from "../kit/announcer.ts";
import { assessReceiving, persistence as persist, type Refusals } from "../kit/failures.ts";
import type { KeepGoing, Pauses } from "../kit/keep-going.ts";
import { type OpenChannel, USUAL_PAUSES } from "../kit/open-channel.ts";
import { createClient, type VkClient } from "./client.ts";
import type { VkDefinition } from "./definition.ts";
import { isForbidden, isUnauthorized, Refusal } from "./errors.ts";
import { readGroups } from "./update.ts";

export type VkLink = LinkOf<VkDefinition>;

/** How long things take; tests shorten it. */
export interface Timing extends Pauses {
  /** How often a channel that is called back looks after its server. */
  readonly checkMs: number;
}
export const TIMING: Timing = { ...USUAL_PAUSES, checkMs: 120_000 };

/** One open channel: what its background work and its session share. */
export type Community = OpenChannel<VkLink, VkClient, Timing>;

export function createCommunity(link: VkLink, signal: AbortSignal, timing: Timing): Community {
  const client = createClient(link);
  const { redact } = client;
  return { messenger: "VK", link, client, redact, announce: createAnnouncer(link), timing, signal };
}

/** Whose key it is: a community's key needs no number of it (dev.vk.com, `groups.getById`). */
export async function fetchProfile(client: VkClient, signal: AbortSignal): Promise<ChannelProfile> {
  const group = readGroups(await client.call("groups.getById", {}, signal))?.groups?.[0];
  if (group?.id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "VK's answer cannot be read", { retry: "later" });
  const { id, name, screen_name } = group;
  return {
    messengerId: id,
    name: name ?? screen_name ?? id,
    ...(screen_name !== undefined && { username: screen_name }),
    url: `https://vk.com/${screen_name ?? `club${id}`}`,
  };
}

/** How background work goes on after failures. A key that is dead or lacks a right ends it: only a person can help. */
export function persistence(community: Community): KeepGoing {
  const isOver = (error: unknown) =>
    error instanceof Refusal && (isUnauthorized(error) || isForbidden(error));
  const refusals: Refusals = { disabledBy: (error) => (isOver(error) ? "unauthorized" : null) };
  return persist(community, (error) => assessReceiving(error, community, refusals));
}
