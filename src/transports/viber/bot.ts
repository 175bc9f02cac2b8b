import { TransportError } from "../../core/transport/errors.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createAnnouncer } from "../kit/announcer.ts";
import { persistence as persist } from "../kit/failures.ts";
import type { KeepGoing, Pauses } from "../kit/keep-going.ts";
import { type OpenChannel, USUAL_PAUSES } from "../kit/open-channel.ts";
import type { ViberLink } from "./account.ts";
import { createClient, type ViberClient } from "./client.ts";
import { isFlood, isRejected, isUnauthorized, Refusal } from "./errors.ts";

/** How long things take; tests shorten it. */
export interface Timing extends Pauses {
  /** How often a channel looks after its webhook, and whether its token still serves. */
  readonly checkMs: number;
}
export const TIMING: Timing = { ...USUAL_PAUSES, checkMs: 300_000 };

const FLOOD_PAUSE_MS = 2_000;

/** One open channel: what its background work and its session share. */
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

/** Whether the channel has no bot of its own, but shares the installation's. */
export function isShared({ credentials }: Pick<ViberLink, "credentials">): boolean {
  return credentials.viber_token === undefined;
}

/** Where Viber calls for the bot: one bot has one address. */
export function webhookOf(link: ViberLink): string | null {
  return isShared(link) ? link.appCallbackUrl : link.callbackUrl;
}

export function persistence(bot: Bot): KeepGoing {
  return persist(bot, (error) => assess(error, bot));
}

/**
 * Why the bot cannot go on: its token does not serve any more, or Viber has closed it. With a shared bot only the
 * operator can help, and its channels go on as soon as that has happened.
 */
export function disabledBy(error: unknown, { link }: Pick<Bot, "link">): "unauthorized" | "blocked" | null {
  if (!(error instanceof Refusal) || isShared(link)) return null;
  if (isUnauthorized(error)) return "unauthorized";
  return isRejected(error) ? "blocked" : null;
}

/** Judges a failure of background work. Answers how long to wait, undefined for the usual back-off, or "stop". */
async function assess(error: unknown, { link, announce }: Bot): Promise<number | undefined | "stop"> {
  const reason = disabledBy(error, { link });
  if (reason !== null) {
    await announce({ status: "disabled", reason });
    return "stop";
  }
  const detail = messageOf(error);
  link.log("warn", "Viber: the webhook is not looked after", { detail });
  if (error instanceof TransportError || error instanceof Refusal) await announce({ status: "lost", detail });
  return error instanceof Refusal && isFlood(error) ? FLOOD_PAUSE_MS : undefined;
}
