import type { ChannelLink } from "../../core/transport/connector.ts";
import type { Announce } from "./announcer.ts";
import type { Pauses } from "./keep-going.ts";

/** Pauses after failures that suit a messenger which names none of its own. */
export const USUAL_PAUSES: Pauses = { firstPauseMs: 1_000, maxPauseMs: 60_000 };

/** One open channel: what its background work and its session share. */
export interface OpenChannel<Link = Pick<ChannelLink, "log">, Client = unknown, Timing = Pauses>
  extends Redacting {
  /** The messenger's name, for people. */
  readonly messenger: string;
  readonly link: Link;
  readonly client: Client;
  readonly announce: Announce;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

export interface Redacting {
  /** Takes a secret that failures may hold out of words that are shown or logged. */
  readonly redact?: (words: string) => string;
}
