import type { LinkOf } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { fields, integerText, text } from "../../platform/foreign/foreign-json.ts";
import { createAnnouncer } from "../kit/announcer.ts";
import { assessReceiving, retryLoopOf as persist, type Refusals } from "../kit/failures.ts";
import { ACCESS_CHECK_MS, DEFAULT_BACK_OFF, type OpenChannel } from "../kit/open-channel.ts";
import type { BackOffTiming, RetryLoop } from "../kit/retry-loop.ts";
import { createClient, type TelegramClient } from "./client.ts";
import type { TelegramDefinition } from "./definition.ts";
import { isUnauthorized, Refusal } from "./errors.ts";

export type TelegramLink = LinkOf<TelegramDefinition>;

/** Intervals; tests use shorter ones. */
export interface Timing extends BackOffTiming {
  /** How often a channel with webhooks checks its webhook. */
  readonly checkMs: number;
}
export const TIMING: Timing = { ...DEFAULT_BACK_OFF, checkMs: ACCESS_CHECK_MS };

/** One open channel: the state shared by its background work and its session. */
export type Bot = OpenChannel<TelegramLink, TelegramClient, Timing>;

export function createBot(link: TelegramLink, signal: AbortSignal, timing: Timing): Bot {
  const client = createClient(link);
  const { redact } = client;
  return { messenger: "Telegram", link, client, redact, announce: createAnnouncer(link), timing, signal };
}

/** Fetches the bot's profile (Bot API, `getMe`). */
export async function fetchProfile(client: TelegramClient, signal: AbortSignal): Promise<ChannelProfile> {
  const { id, first_name, username } = self(await client.invoke("getMe", {}, { signal })) ?? {};
  if (id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "Telegram returned an unreadable response", { retry: "later" });
  // The interface shows a bot's name in the field for the phone number.
  const named = username === undefined ? {} : { username, phone: username, url: `https://t.me/${username}` };
  return { messengerId: id, name: first_name ?? username ?? id, ...named };
}

const self = fields({ id: integerText, first_name: text, username: text });

/** How Telegram's refusals affect the channel. */
export const REFUSALS: Refusals = {
  disabledBy: (error) => (error instanceof Refusal && isUnauthorized(error) ? "unauthorized" : null),
  waitMs: (error) => (error instanceof Refusal ? error.retryAfterMs : undefined),
};

/** The retry policy of the bot's background work. */
export function persistence(bot: Bot): RetryLoop {
  return persist(bot, (error) => assessReceiving(error, bot, REFUSALS));
}
