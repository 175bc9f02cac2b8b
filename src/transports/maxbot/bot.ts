import type { LinkOf } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { createAnnouncer } from "../kit/announcer.ts";
import { assessReceiving, retryLoopOf as persist, type Refusals } from "../kit/failures.ts";
import { ACCESS_CHECK_MS, DEFAULT_BACK_OFF, type OpenChannel } from "../kit/open-channel.ts";
import type { BackOffTiming, RetryLoop } from "../kit/retry-loop.ts";
import { createClient, type MaxbotClient } from "./client.ts";
import type { Self } from "./context.ts";
import type { MaxbotDefinition } from "./definition.ts";
import { isUnauthorized, Refusal } from "./errors.ts";
import { nameOf } from "./names.ts";
import { readUser } from "./update.ts";

export type MaxbotLink = LinkOf<MaxbotDefinition>;

/** Intervals; tests use shorter ones. */
export interface Timing extends BackOffTiming {
  /** How often a channel with webhooks checks its subscription. */
  readonly checkMs: number;
  /** The first delay before a retry when MAX is still processing an upload; it doubles each time. */
  readonly readyMs: number;
}
export const TIMING: Timing = { ...DEFAULT_BACK_OFF, checkMs: ACCESS_CHECK_MS, readyMs: 1_000 };

/** One open channel: the state shared by its background work and its session. */
export type Bot = OpenChannel<MaxbotLink, MaxbotClient, Timing>;

export function createBot(link: MaxbotLink, signal: AbortSignal, timing: Timing): Bot {
  const client = createClient(link);
  const { redact } = client;
  return { messenger: "MAX", link, client, redact, announce: createAnnouncer(link), timing, signal };
}

/** Fetches the bot's profile (dev.max.ru, "GET /me"). */
export async function fetchProfile(client: MaxbotClient, signal: AbortSignal): Promise<ChannelProfile> {
  const me = readUser(await client.call("GET", "/me", { signal }));
  if (me?.user_id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "MAX returned an unreadable response", { retry: "later" });
  const { username } = me;
  // The interface shows a bot's name in the field for the phone number.
  const named =
    username === undefined ? {} : { username, phone: username, url: `https://max.ru/${username}` };
  return { messengerId: me.user_id, name: nameOf(me), ...named };
}

/** How MAX's refusals affect the channel. */
export const REFUSALS: Refusals = {
  disabledBy: (error) => (error instanceof Refusal && isUnauthorized(error) ? "unauthorized" : null),
  waitMs: (error) => (error instanceof Refusal ? error.retryAfterMs : undefined),
};

/** The retry policy of the bot's background work. */
export function persistence(bot: Bot): RetryLoop {
  return persist(bot, (error) => assessReceiving(error, bot, REFUSALS));
}

export function selfOf({ messengerId, name }: ChannelProfile): Self {
  return { id: messengerId, name };
}
