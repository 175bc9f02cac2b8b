import { TransportError } from "../../core/transport/errors.ts";
import { type Announce, createAnnouncer } from "../kit/announcer.ts";
import type { Pauses } from "../kit/keep-going.ts";
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
  firstPauseMs: 1_000,
  maxPauseMs: 60_000,
  checkMs: 30_000,
  pollMs: 5_000,
  firstReadMs: 15_000,
};

/** One open channel: what its background work and its session share. */
export interface AvitoChannel {
  readonly link: AvitoLink;
  readonly client: AvitoClient;
  readonly tokens: AccessTokens;
  readonly announce: Announce;
  readonly sends: OwnSends;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

export function createChannel(link: AvitoLink, signal: AbortSignal, timing: Timing): AvitoChannel {
  const tokens = createTokens(link, timing);
  const client = createClient(link, tokens);
  return { link, client, tokens, announce: createAnnouncer(link), sends: createOwnSends(), timing, signal };
}

/** Path of the calls about one account, such as `accountPath(link, "v2", "/chats")`. */
export function accountPath({ credentials }: AvitoLink, version: "v1" | "v2" | "v3", rest: string): string {
  return `/messenger/${version}/accounts/${encodeURIComponent(credentials.user_id)}${rest}`;
}

export function chatPath(link: AvitoLink, version: "v1" | "v2" | "v3", chatId: string, rest = ""): string {
  return accountPath(link, version, `/chats/${encodeURIComponent(chatId)}${rest}`);
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The owner has taken the access away, or the application is gone. */
function isUnauthorized(error: unknown): boolean {
  return error instanceof GrantRefusal || (error instanceof Refusal && isTokenRefusal(error));
}

/**
 * Judges a failure of background work: tells core of a lost access or connection. Answers how long to wait, undefined
 * for the usual back-off, or "stop".
 */
export async function assess(
  error: unknown,
  { link, announce, timing }: AvitoChannel,
): Promise<number | undefined | "stop"> {
  const detail = describe(error);
  if (isUnauthorized(error)) {
    await announce({ status: "disabled", reason: "unauthorized" });
    return "stop";
  }
  link.log("warn", "Avito: receiving is interrupted", { detail });
  if (error instanceof Refusal && isUnpaid(error)) {
    await announce({ status: "lost", detail: toTransportError(error).message });
    return timing.maxPauseMs;
  }
  if (error instanceof TransportError) await announce({ status: "lost", detail });
  return error instanceof Refusal ? error.retryAfterMs : undefined;
}

/** Turns whatever goes wrong in a method of the session into a `TransportError`. */
export async function toFailure(error: unknown, { announce, link }: AvitoChannel): Promise<TransportError> {
  if (error instanceof TransportError) return error;
  if (isUnauthorized(error))
    await announce({ status: "disabled", reason: "unauthorized" }).catch((failure: unknown) =>
      link.log("warn", "Avito: the state of the link was not stored", { detail: describe(failure) }),
    );
  if (error instanceof Refusal) return toTransportError(error);
  if (error instanceof GrantRefusal)
    return new TransportError("GENERAL_ERROR", "Avito does not accept the channel's access", {
      cause: error,
    });
  const cause = new Error(describe(error));
  return new TransportError("UNKNOWN_ERROR", "Avito's answer cannot be read", { retry: "unknown", cause });
}
