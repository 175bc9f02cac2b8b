import type { ChannelProfile } from "../../core/transport/events.ts";
import { count } from "../../platform/foreign-json.ts";
import { keepGoing, pause } from "../kit/keep-going.ts";
import { type Bot, fetchProfile, persistence, selfOf } from "./bot.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { UPDATE_TYPES } from "./inbound.ts";
import { readSubscriptions } from "./update.ts";

/** MAX holds a request without news for this long; its longest (dev.max.ru, "GET /updates"). */
const POLL_SECONDS = 90;
const BATCH = 100;
/** A server that answers "no news" sooner does not hold requests, and must not be asked without a pause. */
const MIN_HOLD_MS = 1_000;
/** Where the last marker is kept: without one MAX tells only what comes from now on. */
const MARKER = "marker";

/** Long polling until the channel closes or its token dies. Updates are confirmed only when all are stored. */
export async function poll(bot: Bot): Promise<void> {
  let profile: ChannelProfile | null = null;
  await keepGoing(persistence(bot), async () => {
    try {
      profile ??= await takeOver(bot);
      const asked = performance.now();
      const { updates, marker } = await fetchUpdates(bot);
      await bot.announce({ status: "active", profile });
      await deliver(updates, { ...bot, self: selfOf(profile) });
      if (marker !== undefined) await bot.link.state.set(MARKER, String(marker));
      const isHeld = performance.now() - asked > MIN_HOLD_MS;
      if (updates.length === 0 && !isHeld) await pause(bot.timing.firstPauseMs, bot.signal);
      return "again";
    } catch (error) {
      // Another program subscribed: take the bot back in the next round, after the pause.
      if (error instanceof Refusal && error.status === 405) profile = null;
      throw error;
    }
  });
}

/** While there is a subscription, MAX refuses to be polled. */
async function takeOver({ client, signal, announce }: Bot): Promise<ChannelProfile> {
  const profile = await fetchProfile(client, signal);
  const { subscriptions = [] } =
    readSubscriptions(await client.call("GET", "/subscriptions", { signal })) ?? {};
  for (const { url } of subscriptions)
    if (url !== undefined) await client.call("DELETE", "/subscriptions", { query: { url }, signal });
  await announce({ status: "active", profile });
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
