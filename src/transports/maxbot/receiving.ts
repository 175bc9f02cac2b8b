import type { ChannelProfile } from "../../core/transport/events.ts";
import { count } from "../../platform/foreign/foreign-json.ts";
import { longPoll } from "../kit/receiving.ts";
import { type Bot, fetchProfile, persistence, selfOf } from "./bot.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { UPDATE_TYPES } from "./inbound.ts";
import { readSubscriptions } from "./update.ts";

/** How long MAX holds a request without updates; its maximum (dev.max.ru, "GET /updates"). */
const POLL_SECONDS = 90;
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
    fetch: () => fetchUpdates(bot),
    async store({ updates, marker }, profile) {
      await deliver(updates, { ...bot, self: selfOf(profile) });
      if (marker !== undefined) await bot.link.state.set(MARKER, String(marker));
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
  readonly marker: number | undefined;
}

async function fetchUpdates({ client, link, signal }: Bot): Promise<Batch> {
  const marker = await link.state.get(MARKER);
  const answer = await client.call("GET", "/updates", {
    query: {
      limit: BATCH,
      timeout: POLL_SECONDS,
      types: UPDATE_TYPES.join(","),
      ...(marker !== null && { marker }),
    },
    signal,
    timeoutMs: (POLL_SECONDS + 15) * 1000,
  });
  const { updates } = answer;
  return { updates: Array.isArray(updates) ? updates : [], marker: count(answer["marker"]) };
}
