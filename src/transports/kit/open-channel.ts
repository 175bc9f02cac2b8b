import type { ChannelLink } from "../../core/transport/connector.ts";
import type { Announce } from "./announcer.ts";
import type { BackOffTiming } from "./retry-loop.ts";

/** Default back-off for messengers that document none. */
export const DEFAULT_BACK_OFF: BackOffTiming = { firstPauseMs: 1_000, maxPauseMs: 60_000 };

/** One open channel: the state shared by its background work and its session. */
export interface OpenChannel<Link = Pick<ChannelLink, "log">, Client = unknown, Timing = BackOffTiming>
  extends Redacting {
  /** The messenger's display name. */
  readonly messenger: string;
  readonly link: Link;
  readonly client: Client;
  readonly announce: Announce;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

export interface Redacting {
  /** Removes secrets from text that is shown or logged. */
  readonly redact?: (words: string) => string;
}

/**
 * How often an idle channel asks its messenger whether its credentials are still valid, with one short request: so
 * that with the jitter a revocation is noticed within a minute. Ten thousand channels ask 220 times a second, over all
 * nodes; successful requests are not logged.
 */
export const ACCESS_CHECK_MS = 45_000;
