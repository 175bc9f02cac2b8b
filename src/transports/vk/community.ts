import type { LinkOf } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { createAnnouncer } from "../kit/announcer.ts";
import { assessReceiving, retryLoopOf as persist, type Refusals } from "../kit/failures.ts";
import { ACCESS_CHECK_MS, DEFAULT_BACK_OFF, type OpenChannel } from "../kit/open-channel.ts";
import type { BackOffTiming, RetryLoop } from "../kit/retry-loop.ts";
import { createClient, type VkClient } from "./client.ts";
import type { VkDefinition } from "./definition.ts";
import { isForbidden, isUnauthorized, Refusal } from "./errors.ts";
import { readGroups } from "./update.ts";

export type VkLink = LinkOf<VkDefinition>;

/** Intervals; tests use shorter ones. */
export interface Timing extends BackOffTiming {
  /** How often a channel with webhooks checks its callback server. */
  readonly checkMs: number;
  /** The age at which a polling channel checks its key, before its next request. */
  readonly accessMs: number;
}
export const TIMING: Timing = { ...DEFAULT_BACK_OFF, checkMs: ACCESS_CHECK_MS, accessMs: 20_000 };

/** One open channel: the state shared by its background work and its session. */
export type Community = OpenChannel<VkLink, VkClient, Timing>;

export function createCommunity(link: VkLink, signal: AbortSignal, timing: Timing): Community {
  const client = createClient(link);
  const { redact } = client;
  return { messenger: "VK", link, client, redact, announce: createAnnouncer(link), timing, signal };
}

/**
 * The community that the key belongs to. With a community key no group id is needed (dev.vk.com, `groups.getById`).
 */
export async function fetchProfile(client: VkClient, signal: AbortSignal): Promise<ChannelProfile> {
  const group = readGroups(await client.call("groups.getById", {}, signal))?.groups?.[0];
  if (group?.id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "VK returned an unreadable response", { retry: "later" });
  const { id, name, screen_name } = group;
  const profile = {
    messengerId: id,
    name: name ?? screen_name ?? id,
    ...(screen_name !== undefined && { username: screen_name }),
    url: `https://vk.com/${screen_name ?? `club${id}`}`,
  };
  profiles.set(client, profile);
  return profile;
}

/** The last profile that each client has fetched. */
const profiles = new WeakMap<VkClient, ChannelProfile>();

/** As last fetched; a key belongs to one community. */
export async function ownProfile(client: VkClient, signal: AbortSignal): Promise<ChannelProfile> {
  return profiles.get(client) ?? fetchProfile(client, signal);
}

/**
 * The retry policy of background work. An invalid key, or one without the required rights, ends it: only the owner
 * can fix that.
 */
export function persistence(community: Community): RetryLoop {
  const isOver = (error: unknown) =>
    error instanceof Refusal && (isUnauthorized(error) || isForbidden(error));
  const refusals: Refusals = { disabledBy: (error) => (isOver(error) ? "unauthorized" : null) };
  return persist(community, (error) => assessReceiving(error, community, refusals));
}
