import type { ChannelProfile } from "../../core/transport/events.ts";
import { count } from "../../platform/foreign-json.ts";
import { longPoll } from "../kit/receiving.ts";
import { type Bot, fetchProfile, persistence, selfOf } from "./bot.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { UPDATE_TYPES } from "./inbound.ts";
import { readSubscriptions } from "./update.ts";

/** MAX holds a request without news for this long; its longest (dev.max.ru, "GET /updates"). */
const POLL_SECONDS = 90;
const BATCH = 100;
/** Where the last marker is kept: without one MAX tells only what comes from now on. */
const MARKER = "marker";

/** Long polling until the channel closes or its token dies. Updates are confirmed only when all are stored. */
export async function poll(bot: Bot): Promise<void> {
  await longPoll(bot, persistence(bot), {
    claim: () => takeOver(bot),
    fetch: () => fetchUpdates(bot),
    async store({ updates, marker }, profile) {
      await deliver(updates, { ...bot, self: selfOf(profile) });
      if (marker !== undefined) await bot.link.state.set(MARKER, String(marker));
      return updates.length > 0;
    },
    // Another program subscribed.
    isReplaced: (error) => error instanceof Refusal && error.status === 405,
  });
}

/** While there is a subscription, MAX refuses to be polled. */
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
