import type { LinkOf } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { type Announce, createAnnouncer } from "../kit/announcer.ts";
import type { KeepGoing } from "../kit/keep-going.ts";
import { createClient, type VkClient } from "./client.ts";
import type { VkDefinition } from "./definition.ts";
import { isForbidden, isUnauthorized, Refusal } from "./errors.ts";
import { readGroups } from "./update.ts";

export type VkLink = LinkOf<VkDefinition>;

/** How long things take; tests shorten it. */
export interface Timing {
  /** Back-off after failures: grows from the first pause to the longest. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** How often a channel that is called back looks after its server. */
  readonly checkMs: number;
}
export const TIMING: Timing = { firstPauseMs: 1_000, maxPauseMs: 60_000, checkMs: 120_000 };

/** One open channel: what its background work and its session share. */
export interface Community {
  readonly link: VkLink;
  readonly client: VkClient;
  readonly announce: Announce;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

export function createCommunity(link: VkLink, signal: AbortSignal, timing: Timing): Community {
  return { link, client: createClient(link), announce: createAnnouncer(link), timing, signal };
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

/** For the log: what went wrong in a sentence, without the key. */
export function describe(error: unknown, client: VkClient): string {
  const cause =
    error instanceof TransportError && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return client.redact(error instanceof Error ? `${error.message}${cause}` : String(error));
}

/** How background work goes on after failures. A key that is dead or lacks a right ends it: only a person can help. */
export function persistence({ timing, signal, client, link, announce }: Community): KeepGoing {
  return {
    pauses: timing,
    signal,
    async assess(error) {
      if (error instanceof Refusal && (isUnauthorized(error) || isForbidden(error))) {
        link.log("warn", "VK does not let this key work", { detail: describe(error, client) });
        await announce({ status: "disabled", reason: "unauthorized" });
        return "stop";
      }
      const detail = describe(error, client);
      if (error instanceof TransportError) await announce({ status: "lost", detail });
      link.log("warn", "VK: receiving is interrupted", { detail });
      return undefined;
    },
  };
}
