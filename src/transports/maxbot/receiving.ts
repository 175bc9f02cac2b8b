import type { ChannelProfile } from "../../core/transport/events.ts";
import { count } from "../../platform/foreign/foreign-json.ts";
import { longPoll } from "../kit/receiving.ts";
import { type Bot, fetchProfile, persistence, selfOf } from "./bot.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { UPDATE_TYPES } from "./inbound.ts";
import { readSubscriptions } from "./update.ts";

/** How long MAX holds a request without updates; its maximum (dev.max.ru, "GET /updates"). */
const POLL_SECONDS = 45;
const BATCH = 100;
/** State key of the last marker. Without a marker, MAX returns only new updates. */
const MARKER = "marker";

/**
 * Long polling until the channel closes or its token becomes invalid. Updates are acknowledged only when all are
 * stored.
 */
export async function poll(bot: Bot): Promise<void> {
  await longPoll(bot, persistence(bot), {
    claim: () => takeOver(bot),
    fetch: (atOnce) => fetchUpdates(bot, atOnce ? 0 : POLL_SECONDS),
    async store({ updates, marker, previous }, profile) {
      await deliver(updates, { ...bot, self: selfOf(profile) });
      // Without a new marker, MAX returns the same batch again.
      if (marker === undefined || marker === previous) return false;
      await bot.link.state.set(MARKER, marker);
      return updates.length > 0;
    },
    // Another program subscribed a webhook.
    isReplaced: (error) => error instanceof Refusal && error.status === 405,
  });
}

/** MAX rejects polling while a webhook is subscribed, so all subscriptions are deleted. */
async function takeOver({ client, signal }: Bot): Promise<ChannelProfile> {
  const profile = await fetchProfile(client, signal);
  const { subscriptions = [] } =
    readSubscriptions(await client.call("GET", "/subscriptions", { signal })) ?? {};
  for (const { url } of subscriptions)
    if (url !== undefined) await client.call("DELETE", "/subscriptions", { query: { url }, signal });
  return profile;
}

interface Batch {
  readonly updates: readonly unknown[];
  readonly marker: string | undefined;
  /** The marker of the request. */
  readonly previous: string | null;
}

async function fetchUpdates({ client, link, signal }: Bot, holdSeconds: number): Promise<Batch> {
  const previous = await link.state.get(MARKER);
  const answer = await client.call("GET", "/updates", {
    query: {
      limit: BATCH,
      timeout: holdSeconds,
      types: UPDATE_TYPES.join(","),
      ...(previous !== null && { marker: previous }),
    },
    signal,
    timeoutMs: (holdSeconds + 15) * 1000,
  });
  const { updates } = answer;
  const marker = count(answer["marker"])?.toString();
  return { updates: Array.isArray(updates) ? updates : [], marker, previous };
}
