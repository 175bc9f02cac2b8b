import { TransportError } from "../../core/transport/errors.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createAnnouncer } from "../kit/announcer.ts";
import { retryLoopOf as persist } from "../kit/failures.ts";
import { ACCESS_CHECK_MS, DEFAULT_BACK_OFF, type OpenChannel } from "../kit/open-channel.ts";
import type { BackOffTiming, RetryLoop } from "../kit/retry-loop.ts";
import type { ViberLink } from "./account.ts";
import { createClient, type ViberClient } from "./client.ts";
import { isRejected, isUnauthorized, Refusal } from "./errors.ts";

/** Intervals; tests use shorter ones. */
export interface Timing extends BackOffTiming {
  /** How often a channel checks its webhook and its token. */
  readonly checkMs: number;
}
export const TIMING: Timing = { ...DEFAULT_BACK_OFF, checkMs: ACCESS_CHECK_MS };

/** One open channel: the state shared by its background work and its session. */
export type Bot = OpenChannel<ViberLink, ViberClient, Timing>;

export function createBot(link: ViberLink, signal: AbortSignal, timing: Timing): Bot {
  const token = link.credentials.viber_token ?? link.settings.botToken;
  return {
    messenger: "Viber",
    link,
    client: createClient(link, token),
    announce: createAnnouncer(link),
    timing,
    signal,
  };
}

/** Whether the channel shares the installation's bot instead of having its own. */
export function isShared({ credentials }: Pick<ViberLink, "credentials">): boolean {
  return credentials.viber_token === undefined;
}

/** The URL that Viber calls for the bot; a bot has one URL. */
export function webhookOf(link: ViberLink): string | null {
  return isShared(link) ? link.appCallbackUrl : link.callbackUrl;
}

export function persistence(bot: Bot): RetryLoop {
  return persist(bot, (error) => assess(error, bot));
}

/**
 * Why the channel must be disabled: its token is no longer valid, or Viber has closed the bot. Channels of a shared
 * bot are not disabled: only the operator can fix the bot, and they resume as soon as that has happened.
 */
export function disabledBy(error: unknown, { link }: Pick<Bot, "link">): "unauthorized" | "blocked" | null {
  if (!(error instanceof Refusal) || isShared(link)) return null;
  if (isUnauthorized(error)) return "unauthorized";
  return isRejected(error) ? "blocked" : null;
}

/** Reports a failure of background work to core. Returns undefined for the default back-off, or "stop". */
async function assess(error: unknown, { link, announce }: Bot): Promise<undefined | "stop"> {
  const reason = disabledBy(error, { link });
  if (reason !== null) {
    await announce({ status: "disabled", reason });
    return "stop";
  }
  const detail = messageOf(error);
  link.log("warn", "Viber: the webhook could not be checked", { detail });
  if (error instanceof TransportError || error instanceof Refusal) await announce({ status: "lost", detail });
  return undefined;
}
