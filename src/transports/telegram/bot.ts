import type { LinkOf } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { fields, integerText, text } from "../../platform/foreign-json.ts";
import { type Announce, createAnnouncer } from "../kit/announcer.ts";
import type { KeepGoing } from "../kit/keep-going.ts";
import { createClient, type TelegramClient } from "./client.ts";
import type { TelegramDefinition } from "./definition.ts";
import { isUnauthorized, Refusal } from "./errors.ts";

export type TelegramLink = LinkOf<TelegramDefinition>;

/** How long things take; tests shorten it. */
export interface Timing {
  /** Back-off after failures: grows from the first pause to the longest. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** How often a channel that is called back looks after its webhook. */
  readonly checkMs: number;
}
export const TIMING: Timing = { firstPauseMs: 1_000, maxPauseMs: 60_000, checkMs: 120_000 };

/** One open channel: what its background work and its session share. */
export interface Bot {
  readonly link: TelegramLink;
  readonly client: TelegramClient;
  readonly announce: Announce;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

export function createBot(link: TelegramLink, signal: AbortSignal, timing: Timing): Bot {
  return { link, client: createClient(link), announce: createAnnouncer(link), timing, signal };
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

/** For the log: what went wrong in a sentence, without the token. */
export function describe(error: unknown, client: TelegramClient): string {
  const cause =
    error instanceof TransportError && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return client.redact(error instanceof Error ? `${error.message}${cause}` : String(error));
}

/**
 * Judges a failure of background work: tells core about a dead token or a lost connection. Answers how long to
 * wait, `undefined` for the usual back-off, or `"stop"`.
 */
async function assess(error: unknown, { client, link, announce }: Bot): Promise<number | undefined | "stop"> {
  if (error instanceof Refusal && isUnauthorized(error)) {
    await announce({ status: "disabled", reason: "unauthorized" });
    return "stop";
  }
  const detail = describe(error, client);
  if (error instanceof TransportError) await announce({ status: "lost", detail });
  link.log("warn", "Telegram: receiving is interrupted", { detail });
  return error instanceof Refusal ? error.retryAfterMs : undefined;
}

/** How the bot's background work goes on after failures. */
export function persistence(bot: Bot): KeepGoing {
  return {
    pauses: bot.timing,
    signal: bot.signal,
    async assess(error) {
      try {
        return await assess(error, bot);
      } catch (failure) {
        const detail = describe(failure, bot.client);
        bot.link.log("warn", "Telegram: the state of the link was not stored", { detail });
        return undefined;
      }
    },
  };
}
