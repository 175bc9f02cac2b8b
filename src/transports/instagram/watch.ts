import { TransportError } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import { monotonicMs } from "../../platform/clock.ts";
import { messageOf } from "../../platform/message-of.ts";
import { backOffMs } from "../../platform/queue/back-off.ts";
import { ACCESS_CHECK_MS, DEFAULT_BACK_OFF } from "../kit/open-channel.ts";
import { type BackOffTiming, jittered, runRetryLoop } from "../kit/retry-loop.ts";
import { throttledBackOff } from "../meta/back-off.ts";
import { GraphRefusal, isUnauthorized } from "../meta/error.ts";
import type { InstagramLink } from "./access.ts";
import { toTransportError } from "./errors.ts";
import { fetchProfile } from "./linking/account.ts";
import { claimAppAddress, subscribe } from "./linking/subscription.ts";
import { expiryOf, refresh } from "./linking/tokens.ts";

/** Intervals; tests use shorter ones. */
export interface Timing extends BackOffTiming {
  /** How often the account and its token are checked. */
  readonly checkMs: number;
  /** How often an unchanged account is reported. */
  readonly reportMs: number;
  /** A token with less than this left is renewed. */
  readonly renewMs: number;
}
const DAY_MS = 24 * 60 * 60 * 1000;
export const TIMING: Timing = {
  ...DEFAULT_BACK_OFF,
  checkMs: ACCESS_CHECK_MS,
  reportMs: 15 * 60_000,
  renewMs: 30 * DAY_MS,
};

interface Watch {
  readonly link: InstagramLink;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

/**
 * Subscribes to the account's webhooks, renews its token and checks it periodically, until the channel closes or the
 * token is dead. Never rejects.
 */
export async function watch(watch: Watch): Promise<void> {
  const { link, timing, signal } = watch;
  let askedAt = monotonicMs();
  let failures = 0;
  let isSubscribed = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reported = { words: "", atMs: Number.NEGATIVE_INFINITY };
  const assessRound = (error: unknown) => {
    reported = { words: "", atMs: Number.NEGATIVE_INFINITY };
    return assess(error, watch, { askedAt, failures: ++failures });
  };
  await runRetryLoop({ pauses: timing, signal, assess: assessRound }, async () => {
    askedAt = monotonicMs();
    const profile = await fetchProfile(link, signal);
    if (!isSubscribed) {
      await claimAppAddress(link, signal);
      await subscribe(link, signal);
      isSubscribed = true;
    }
    const words = JSON.stringify(profile);
    if (words !== reported.words || monotonicMs() - reported.atMs >= timing.reportMs) {
      await report(watch, { status: "active", profile }, askedAt);
      reported = { words, atMs: monotonicMs() };
    }
    if (isDue(watch) && monotonicMs() - triedAt >= Math.min(DAY_MS, timing.renewMs)) {
      triedAt = monotonicMs();
      await renew(watch);
    }
    failures = 0;
    return jittered(timing.checkMs);
  });
}

/** Page tokens do not expire. The expiry of a token entered by hand becomes known at its first renewal. */
function isDue({ link, timing }: Watch): boolean {
  const { page_id: pageId, expires_at: end } = link.credentials;
  if (pageId !== undefined) return false;
  const left = end === undefined ? Number.NaN : Date.parse(end) - Date.now();
  return !(left >= timing.renewMs);
}

/**
 * Meta refuses to renew a token that is less than a day old; it is retried the next day. The old token stays valid.
 */
async function renew({ link, signal }: Watch): Promise<void> {
  try {
    const made = await refresh(link, link.credentials.access_token, signal);
    const { expires_at: _, ...rest } = link.credentials;
    await link.renewCredentials({ ...rest, access_token: made.token, ...expiryOf(made) });
    link.log("info", "Instagram: the token was renewed");
  } catch (error) {
    const detail = messageOf(error);
    link.log("info", "Instagram: the token could not be renewed", { detail });
  }
}

async function report({ link, signal }: Watch, state: LinkState, askedAt: number): Promise<void> {
  if (!signal.aborted) await link.emit({ kind: "link", state, askedAt });
}

/** Reports the link state that the failure implies. Returns what `RetryLoop.assess` does. */
async function assess(
  error: unknown,
  watch: Watch,
  { askedAt, failures }: { readonly askedAt: number; readonly failures: number },
): Promise<number | undefined | "stop"> {
  const { link, timing } = watch;
  const detail = messageOf(error);
  link.log("warn", "Instagram: the account could not be checked", { detail });
  if (error instanceof GraphRefusal) {
    if (isUnauthorized(error.error)) {
      await report(watch, { status: "disabled", reason: "unauthorized" }, askedAt);
      return "stop";
    }
    const pauses = throttledBackOff(toTransportError(error).retry, timing.checkMs);
    return pauses && backOffMs(failures, pauses);
  }
  if (error instanceof TransportError) await report(watch, { status: "lost", detail }, askedAt);
  return undefined;
}
