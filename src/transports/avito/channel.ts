import { TransportError } from "../../core/transport/errors.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createAnnouncer } from "../kit/announcer.ts";
import { assessReceiving, retryLoopOf as persist, type SessionRefusals } from "../kit/failures.ts";
import { DEFAULT_BACK_OFF, type OpenChannel } from "../kit/open-channel.ts";
import type { BackOffTiming, RetryLoop } from "../kit/retry-loop.ts";
import { type AvitoClient, createClient } from "./client.ts";
import { GrantRefusal, isTokenRefusal, isUnpaid, Refusal, toTransportError } from "./errors.ts";
import { type AccessTokens, type AvitoLink, createTokens } from "./linking/tokens.ts";
import { createOwnSends, type OwnSends } from "./outbound/own-sends.ts";
import { createSendingMarks, type SendingMarks } from "./outbound/sending-mark.ts";

/** Intervals; tests use shorter ones. */
export interface Timing extends BackOffTiming {
  /** How often a channel with webhooks checks its webhook and polls for what webhooks do not report. */
  readonly checkMs: number;
  /** How often a channel without webhooks polls for messages. */
  readonly pollMs: number;
  /**
   * The first delay before a chat is checked for read receipts after an outgoing message; the delay doubles each
   * time.
   */
  readonly firstReadMs: number;
  /** How long the account's own messages in a chat wait after an earlier session began to send into it. */
  readonly holdMs: number;
}
export const TIMING: Timing = {
  ...DEFAULT_BACK_OFF,
  checkMs: 30_000,
  pollMs: 5_000,
  firstReadMs: 15_000,
  holdMs: 30_000,
};

/** One open channel: the state shared by its background work and its session. */
export interface AvitoChannel extends OpenChannel<AvitoLink, AvitoClient, Timing> {
  readonly tokens: AccessTokens;
  readonly sends: OwnSends;
  readonly marks: SendingMarks;
}

export function createChannel(link: AvitoLink, signal: AbortSignal, timing: Timing): AvitoChannel {
  const tokens = createTokens(link, timing);
  const client = createClient(link, tokens);
  const announce = createAnnouncer(link);
  const marks = createSendingMarks(link, timing);
  return {
    messenger: "Avito",
    link,
    client,
    tokens,
    announce,
    sends: createOwnSends(),
    marks,
    timing,
    signal,
  };
}

/** The path of a call about the account, such as `accountPath(link, "v2", "/chats")`. */
export function accountPath({ credentials }: AvitoLink, version: "v1" | "v2" | "v3", rest: string): string {
  return `/messenger/${version}/accounts/${encodeURIComponent(credentials.user_id)}${rest}`;
}

export function chatPath(link: AvitoLink, version: "v1" | "v2" | "v3", chatId: string, rest = ""): string {
  return accountPath(link, version, `/chats/${encodeURIComponent(chatId)}${rest}`);
}

/** The owner has revoked the access, or the application no longer exists. */
function isUnauthorized(error: unknown): boolean {
  return error instanceof GrantRefusal || (error instanceof Refusal && isTokenRefusal(error));
}

function disabledBy(error: unknown): "unauthorized" | null {
  return isUnauthorized(error) ? "unauthorized" : null;
}

export function persistence(channel: AvitoChannel): RetryLoop {
  return persist(channel, (error) => assess(error, channel));
}

/** An unpaid subscription counts as a lost connection: the channel resumes as soon as it is paid. */
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

/** Maps what a session method throws. */
export const REFUSALS: SessionRefusals = {
  disabledBy,
  meaningOf(error) {
    if (error instanceof Refusal) return toTransportError(error);
    if (!(error instanceof GrantRefusal)) return null;
    const sentence = "Avito rejected the channel's access token";
    return new TransportError("GENERAL_ERROR", sentence, { cause: error });
  },
};
