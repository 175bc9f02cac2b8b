import type { LinkOf } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { type Announce, createAnnouncer } from "../kit/announcer.ts";
import type { KeepGoing } from "../kit/keep-going.ts";
import { createClient, type MaxbotClient } from "./client.ts";
import type { MaxbotDefinition } from "./definition.ts";
import { isUnauthorized, Refusal } from "./errors.ts";
import type { Self } from "./inbound.ts";
import { nameOf } from "./names.ts";
import { readUser } from "./update.ts";

export type MaxbotLink = LinkOf<MaxbotDefinition>;

/** How long things take; tests shorten it. */
export interface Timing {
  /** Back-off after failures: grows from the first pause to the longest. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** How often a channel that is called back looks after its subscription. */
  readonly checkMs: number;
  /** The first wait for an upload that MAX still processes; it doubles. */
  readonly readyMs: number;
}
export const TIMING: Timing = { firstPauseMs: 1_000, maxPauseMs: 60_000, checkMs: 120_000, readyMs: 1_000 };

/** One open channel: what its background work and its session share. */
export interface Bot {
  readonly link: MaxbotLink;
  readonly client: MaxbotClient;
  readonly announce: Announce;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

export function createBot(link: MaxbotLink, signal: AbortSignal, timing: Timing): Bot {
  return { link, client: createClient(link), announce: createAnnouncer(link), timing, signal };
}

/** Who the bot is (dev.max.ru, "GET /me"). */
export async function fetchProfile(client: MaxbotClient, signal: AbortSignal): Promise<ChannelProfile> {
  const me = readUser(await client.call("GET", "/me", { signal }));
  if (me?.user_id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "MAX's answer cannot be read", { retry: "later" });
  const { username } = me;
  const named = username === undefined ? {} : { username, url: `https://max.ru/${username}` };
  return { messengerId: me.user_id, name: nameOf(me), ...named };
}

/** For the log: what went wrong in a sentence, without the token. */
export function describe(error: unknown, client: MaxbotClient): string {
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
  link.log("warn", "MAX: receiving is interrupted", { detail });
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
        bot.link.log("warn", "MAX: the state of the link was not stored", { detail });
        return undefined;
      }
    },
  };
}

export function selfOf({ messengerId, name }: ChannelProfile): Self {
  return { id: messengerId, name };
}
