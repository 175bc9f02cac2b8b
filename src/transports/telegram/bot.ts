import type { LinkOf } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { fields, integerText, text } from "../../platform/foreign-json.ts";
import { createAnnouncer } from "../kit/announcer.ts";
import { assessReceiving, persistence as persist, type Refusals } from "../kit/failures.ts";
import type { KeepGoing, Pauses } from "../kit/keep-going.ts";
import { type OpenChannel, USUAL_PAUSES } from "../kit/open-channel.ts";
import { createClient, type TelegramClient } from "./client.ts";
import type { TelegramDefinition } from "./definition.ts";
import { isUnauthorized, Refusal } from "./errors.ts";

export type TelegramLink = LinkOf<TelegramDefinition>;

/** How long things take; tests shorten it. */
export interface Timing extends Pauses {
  /** How often a channel that is called back looks after its webhook. */
  readonly checkMs: number;
}
export const TIMING: Timing = { ...USUAL_PAUSES, checkMs: 120_000 };

/** One open channel: what its background work and its session share. */
export type Bot = OpenChannel<TelegramLink, TelegramClient, Timing>;

export function createBot(link: TelegramLink, signal: AbortSignal, timing: Timing): Bot {
  const client = createClient(link);
  const { redact } = client;
  return { messenger: "Telegram", link, client, redact, announce: createAnnouncer(link), timing, signal };
}

/** Who the bot is (Bot API, `getMe`). */
export async function fetchProfile(client: TelegramClient, signal: AbortSignal): Promise<ChannelProfile> {
  const { id, first_name, username } = self(await client.invoke("getMe", {}, { signal })) ?? {};
  if (id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "Telegram's answer cannot be read", { retry: "later" });
  // The interface has the bot's name in the place of a phone number.
  const named = username === undefined ? {} : { username, phone: username, url: `https://t.me/${username}` };
  return { messengerId: id, name: first_name ?? username ?? id, ...named };
}

const self = fields({ id: integerText, first_name: text, username: text });

/** What Telegram's refusals say of the channel. */
export const REFUSALS: Refusals = {
  disabledBy: (error) => (error instanceof Refusal && isUnauthorized(error) ? "unauthorized" : null),
  waitMs: (error) => (error instanceof Refusal ? error.retryAfterMs : undefined),
};

/** How the bot's background work goes on after failures. */
export function persistence(bot: Bot): KeepGoing {
  return persist(bot, (error) => assessReceiving(error, bot, REFUSALS));
}
