import { TransportError } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import { machineMs } from "../../platform/clock.ts";
import { messageOf } from "../../platform/message-of.ts";
import { jittered, keepGoing, type Pauses } from "../kit/keep-going.ts";
import { USUAL_PAUSES } from "../kit/open-channel.ts";
import { GraphRefusal, isUnauthorized } from "../meta/error.ts";
import type { InstagramLink } from "./access.ts";
import { fetchProfile } from "./account.ts";
import { toTransportError } from "./errors.ts";
import { claimAppAddress, subscribe } from "./subscription.ts";
import { expiryOf, refresh } from "./tokens.ts";

/** How long things take; tests shorten it. */
export interface Timing extends Pauses {
  /** How often the account and its token are looked at. */
  readonly checkMs: number;
  /** A token is renewed when it has less than this left. */
  readonly renewMs: number;
}
const DAY_MS = 24 * 60 * 60 * 1000;
export const TIMING: Timing = {
  ...USUAL_PAUSES,
  checkMs: 15 * 60_000,
  renewMs: 30 * DAY_MS,
};

interface Watch {
  readonly link: InstagramLink;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

/**
 * Has Meta call us for the account, renews its token in time, and looks at it now and then until the channel closes or
 * its token is dead. Never rejects.
 */
export async function watch(watch: Watch): Promise<void> {
  const { link, timing, signal } = watch;
  let askedAt = machineMs();
  let isSubscribed = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  const assessing = { pauses: timing, signal, assess: (error: unknown) => assess(error, watch, askedAt) };
  await keepGoing(assessing, async () => {
    askedAt = machineMs();
    const profile = await fetchProfile(link, signal);
    if (!isSubscribed) {
      await claimAppAddress(link, signal);
      await subscribe(link, signal);
      isSubscribed = true;
    }
    await tell(watch, { status: "active", profile }, askedAt);
    if (isDue(watch) && machineMs() - triedAt >= Math.min(DAY_MS, timing.renewMs)) {
      triedAt = machineMs();
      await renew(watch);
    }
    return jittered(timing.checkMs);
  });
}

/** Tokens of pages do not end. When one ends that was given by hand is known once it was renewed. */
function isDue({ link, timing }: Watch): boolean {
  const { page_id: pageId, expires_at: end } = link.credentials;
  if (pageId !== undefined) return false;
  const left = end === undefined ? Number.NaN : Date.parse(end) - Date.now();
  return !(left >= timing.renewMs);
}

/** A token that is less than a day old is refused; it is tried again tomorrow. The old token stays good. */
async function renew({ link, signal }: Watch): Promise<void> {
  try {
    const made = await refresh(link, link.credentials.access_token, signal);
    const { expires_at: _, ...rest } = link.credentials;
    await link.renewCredentials({ ...rest, access_token: made.token, ...expiryOf(made) });
    link.log("info", "Instagram: the token was renewed");
  } catch (error) {
    const detail = messageOf(error);
    link.log("info", "Instagram: the token was not renewed", { detail });
  }
}

async function tell({ link, signal }: Watch, state: LinkState, askedAt: number): Promise<void> {
  if (!signal.aborted) await link.emit({ kind: "link", state, askedAt });
}

/** Tells what the failure says of the channel. */
async function assess(error: unknown, watch: Watch, askedAt: number): Promise<number | undefined | "stop"> {
  const { link } = watch;
  const detail = messageOf(error);
  link.log("warn", "Instagram: the account could not be looked at", { detail });
  if (error instanceof GraphRefusal) {
    if (isUnauthorized(error.error)) {
      await tell(watch, { status: "disabled", reason: "unauthorized" }, askedAt);
      return "stop";
    }
    const { retry } = toTransportError(error);
    return typeof retry === "object" ? retry.afterMs : undefined;
  }
  if (error instanceof TransportError) await tell(watch, { status: "lost", detail }, askedAt);
  return undefined;
}
