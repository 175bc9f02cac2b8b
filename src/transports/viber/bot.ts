import { TransportError } from "../../core/transport/errors.ts";
import { type Announce, createAnnouncer } from "../kit/announcer.ts";
import type { KeepGoing, Pauses } from "../kit/keep-going.ts";
import type { ViberLink } from "./account.ts";
import { createClient, type ViberClient } from "./client.ts";
import { isFlood, isRejected, isUnauthorized, Refusal, toTransportError } from "./errors.ts";

/** How long things take; tests shorten it. */
export interface Timing extends Pauses {
  /** How often a channel looks after its webhook, and whether its token still serves. */
  readonly checkMs: number;
}
export const TIMING: Timing = { firstPauseMs: 1_000, maxPauseMs: 60_000, checkMs: 300_000 };

const FLOOD_PAUSE_MS = 2_000;

/** One open channel: what its background work and its session share. */
export interface Bot {
  readonly link: ViberLink;
  readonly client: ViberClient;
  readonly announce: Announce;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

export function createBot(link: ViberLink, signal: AbortSignal, timing: Timing): Bot {
  const token = link.credentials.viber_token ?? link.settings.botToken;
  return { link, client: createClient(link, token), announce: createAnnouncer(link), timing, signal };
}

/** Whether the channel has no bot of its own, but shares the installation's. */
export function isShared({ credentials }: Pick<ViberLink, "credentials">): boolean {
  return credentials.viber_token === undefined;
}

/** Where Viber calls for the bot: one bot has one address. */
export function webhookOf(link: ViberLink): string | null {
  return isShared(link) ? link.appCallbackUrl : link.callbackUrl;
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function persistence(bot: Bot): KeepGoing {
  return { pauses: bot.timing, signal: bot.signal, assess: (error) => assess(error, bot) };
}

/**
 * Tells core of a token that does not serve any more, or of a bot that Viber has closed; answers whether it did. With a
 * shared bot only the operator can help, and its channels go on as soon as that has happened.
 */
async function tellDisabled(error: unknown, { link, announce }: Bot): Promise<boolean> {
  if (!(error instanceof Refusal) || isShared(link)) return false;
  if (!isUnauthorized(error) && !isRejected(error)) return false;
  await announce({ status: "disabled", reason: isUnauthorized(error) ? "unauthorized" : "blocked" });
  return true;
}

/** Judges a failure of background work. Answers how long to wait, undefined for the usual back-off, or "stop". */
async function assess(error: unknown, bot: Bot): Promise<number | undefined | "stop"> {
  if (await tellDisabled(error, bot)) return "stop";
  const detail = describe(error);
  bot.link.log("warn", "Viber: the webhook is not looked after", { detail });
  if (error instanceof TransportError || error instanceof Refusal)
    await bot.announce({ status: "lost", detail });
  return error instanceof Refusal && isFlood(error) ? FLOOD_PAUSE_MS : undefined;
}

/** Turns whatever goes wrong in a method of the session into a `TransportError`. */
export async function toSessionFailure(
  error: unknown,
  bot: Bot,
  about: Parameters<typeof toTransportError>[1],
): Promise<TransportError> {
  if (error instanceof TransportError) return error;
  await tellDisabled(error, bot).catch((failure: unknown) =>
    bot.link.log("warn", "Viber: the state of the link was not stored", { detail: describe(failure) }),
  );
  if (error instanceof Refusal) return toTransportError(error, about);
  const cause = new Error(describe(error));
  return new TransportError("UNKNOWN_ERROR", "Viber's answer cannot be read", { retry: "unknown", cause });
}
