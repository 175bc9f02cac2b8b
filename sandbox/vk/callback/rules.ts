import type { Callback, DeliveryRules, DeliverySettings } from "../../callback/queue.ts";
import type { Community } from "../community.ts";
import type { CallbackServer } from "./server.ts";

/** What a test may change about the delivery of events. */
export interface EventSettings extends DeliverySettings {
  /** After this many consecutive failures, the server gets no more events: status `failed`. */
  failuresToDisable: number;
}

/** The servers that receive events. */
interface Servers {
  readonly communities: ReadonlyMap<number, Community>;
  readonly settings: EventSettings;
  readonly changed: () => void;
}

/** VK does not publish its delays. These grow, as its counter of retries suggests. */
const pauses = [2, 10, 30, 60, 300, 900, 1800, 3600];
const lifetimeSeconds = 24 * 60 * 60;

/** Statuses whose `Retry-After` VK honours, if it is below three hours. */
const patientStatuses = [410, 429, 503];
const maxRetryAfterSeconds = 3 * 3600;

/**
 * https://dev.vk.com/ru/api/callback/getting-started: success is status 200 with the body `ok`; otherwise the event
 * is retried.
 */
export function deliveryRules(world: Servers): DeliveryRules {
  return {
    pauseSeconds: (attempts, { status, retryAfterSeconds = 0 }) => {
      const isAsked = patientStatuses.includes(status) && retryAfterSeconds > 0;
      return isAsked && retryAfterSeconds < maxRetryAfterSeconds
        ? retryAfterSeconds
        : (pauses[attempts - 1] ?? pauses.at(-1));
    },
    lifetimeSeconds,
    isSuccess: (status, answer) => status === 200 && answer === "ok",
    retryHeaders: (retries): Record<string, string> =>
      retries > 0 ? { "X-Retry-Counter": String(retries) } : {},
    onAttempt: (callback, _delivered, failingSinceMs) => {
      const server = serverOf(world, callback);
      if (!server) return;
      server.failures = failingSinceMs === undefined ? 0 : server.failures + 1;
      if (server.status !== "ok" || server.failures < world.settings.failuresToDisable) return;
      server.status = "failed";
      world.changed();
    },
  };
}

/** The owner of events: the community and the number of its server. */
export function ownerOf(community: Community, server: CallbackServer): string {
  return `${community.id}/${server.id}`;
}

function serverOf(world: Servers, { owner }: Callback): CallbackServer | undefined {
  const [groupId, serverId] = owner.split("/").map(Number);
  return world.communities.get(groupId ?? 0)?.servers.get(serverId ?? 0);
}
