import { TransportError } from "../../core/transport/errors.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createAnnouncer } from "../kit/announcer.ts";
import { assessReceiving, persistence as persist, type SessionRefusals } from "../kit/failures.ts";
import type { KeepGoing, Pauses } from "../kit/keep-going.ts";
import { type OpenChannel, USUAL_PAUSES } from "../kit/open-channel.ts";
import { type AvitoClient, createClient } from "./client.ts";
import { GrantRefusal, isTokenRefusal, isUnpaid, Refusal, toTransportError } from "./errors.ts";
import { createOwnSends, type OwnSends } from "./own-sends.ts";
import { type AccessTokens, type AvitoLink, createTokens } from "./tokens.ts";

/** How long things take; tests shorten it. */
export interface Timing extends Pauses {
  /** How often a channel that is called back looks after its webhook, and for what no webhook tells. */
  readonly checkMs: number;
  /** How often one that is not called back looks for messages. */
  readonly pollMs: number;
  /** How soon a chat is asked for read marks after a message of ours; each time it takes twice as long. */
  readonly firstReadMs: number;
}
export const TIMING: Timing = {
  ...USUAL_PAUSES,
  checkMs: 30_000,
  pollMs: 5_000,
  firstReadMs: 15_000,
};

/** One open channel: what its background work and its session share. */
export interface AvitoChannel extends OpenChannel<AvitoLink, AvitoClient, Timing> {
  readonly tokens: AccessTokens;
  readonly sends: OwnSends;
}

export function createChannel(link: AvitoLink, signal: AbortSignal, timing: Timing): AvitoChannel {
  const tokens = createTokens(link, timing);
  const client = createClient(link, tokens);
  const announce = createAnnouncer(link);
  return { messenger: "Avito", link, client, tokens, announce, sends: createOwnSends(), timing, signal };
}

/** Path of the calls about one account, such as `accountPath(link, "v2", "/chats")`. */
export function accountPath({ credentials }: AvitoLink, version: "v1" | "v2" | "v3", rest: string): string {
  return `/messenger/${version}/accounts/${encodeURIComponent(credentials.user_id)}${rest}`;
}

export function chatPath(link: AvitoLink, version: "v1" | "v2" | "v3", chatId: string, rest = ""): string {
  return accountPath(link, version, `/chats/${encodeURIComponent(chatId)}${rest}`);
}

/** The owner has taken the access away, or the application is gone. */
function isUnauthorized(error: unknown): boolean {
  return error instanceof GrantRefusal || (error instanceof Refusal && isTokenRefusal(error));
}

function disabledBy(error: unknown): "unauthorized" | null {
  return isUnauthorized(error) ? "unauthorized" : null;
}

export function persistence(channel: AvitoChannel): KeepGoing {
  return persist(channel, (error) => assess(error, channel));
}

/** An unpaid subscription counts as a lost connection: the channel goes on as soon as it is paid. */
async function assess(error: unknown, channel: AvitoChannel): Promise<number | undefined | "stop"> {
  if (!(error instanceof Refusal && isUnpaid(error)))
    return assessReceiving(error, channel, { disabledBy, waitMs });
  channel.link.log("warn", "Avito: receiving is interrupted", { detail: messageOf(error) });
  await channel.announce({ status: "lost", detail: toTransportError(error).message });
  return channel.timing.maxPauseMs;
}

function waitMs(error: unknown): number | undefined {
  return error instanceof Refusal ? error.retryAfterMs : undefined;
}

/** What a method of the session throws means. */
export const REFUSALS: SessionRefusals = {
  disabledBy,
  meaningOf(error) {
    if (error instanceof Refusal) return toTransportError(error);
    if (!(error instanceof GrantRefusal)) return null;
    const sentence = "Avito does not accept the channel's access";
    return new TransportError("GENERAL_ERROR", sentence, { cause: error });
  },
};
