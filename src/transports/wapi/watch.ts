import { setTimeout as delay } from "node:timers/promises";
import { TransportError } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import { monotonicMs } from "../../platform/clock.ts";
import { messageOf } from "../../platform/message-of.ts";
import { type BackOff, backOffMs } from "../../platform/queue/back-off.ts";
import { ACCESS_CHECK_MS, DEFAULT_BACK_OFF } from "../kit/open-channel.ts";
import { type BackOffTiming, jittered } from "../kit/retry-loop.ts";
import { throttledBackOff } from "../meta/back-off.ts";
import { GraphRefusal } from "../meta/error.ts";
import type { Graph } from "../meta/graph.ts";
import { channelFault, toTransportError } from "./errors.ts";
import { restrictionsOfStatus } from "./inbound/restrictions.ts";
import type { WapiLink } from "./linking/access.ts";
import { fetchHealth } from "./linking/account.ts";
import { claimAppAddress } from "./linking/app-address.ts";
import { followHistory } from "./linking/history.ts";
import { subscribe } from "./linking/subscription.ts";
import { listTemplates } from "./outbound/templates.ts";

/** Intervals; tests use shorter ones. */
export interface Timing extends BackOffTiming {
  /** How often the number, its tier and the business's templates are checked. */
  readonly checkMs: number;
  /** How often the token is checked in between. */
  readonly accessMs: number;
}
export const TIMING: Timing = { ...DEFAULT_BACK_OFF, checkMs: 15 * 60_000, accessMs: ACCESS_CHECK_MS };

export interface Watch {
  readonly link: WapiLink;
  readonly graph: Graph;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

/**
 * Subscribes to the business's webhooks, then checks the number periodically until the channel closes. Core closes a
 * channel whose token is dead or that Meta has blocked, unless it has newer information. Never rejects.
 */
export async function watch(watch: Watch): Promise<void> {
  const { signal, timing } = watch;
  const { firstPauseMs: firstMs, maxPauseMs: longestMs } = timing;
  const rounds = createRounds(watch);
  let failures = 0;
  while (!signal.aborted) {
    const askedAt = monotonicMs();
    let pauseMs = jittered(timing.checkMs);
    try {
      await rounds(askedAt);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const verdict = (await assess(error, watch, askedAt)) ?? { firstMs, longestMs };
      if (verdict !== "reported") pauseMs = backOffMs(++failures, verdict);
    }
    await rest(watch, pauseMs);
  }
}

/** Waits for the next round; ends early if Meta no longer accepts the token. Never rejects. */
async function rest({ link, graph, timing, signal }: Watch, ms: number): Promise<void> {
  const until = monotonicMs() + ms;
  for (let leftMs = ms; leftMs > 0 && !signal.aborted; leftMs = until - monotonicMs()) {
    const pauseMs = Math.min(leftMs, jittered(timing.accessMs));
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || pauseMs === leftMs) return;
    try {
      await graph.call("GET", link.credentials.phone_number_id, { query: { fields: "id" }, signal });
    } catch (error) {
      // The next round reports it.
      if (error instanceof GraphRefusal && channelFault(error.error) !== null) return;
    }
  }
}

function createRounds(watch: Watch): (askedAt: number) => Promise<void> {
  const { link, graph, signal } = watch;
  const subscribeOnce = createSubscriber(watch);
  return async (askedAt) => {
    const { state, tier, numberStatus } = await fetchHealth(link, signal);
    if (state.status === "disabled") return report(watch, state, askedAt);
    await subscribeOnce();
    await report(watch, state, askedAt);
    for (const event of restrictionsOfStatus(numberStatus)) await link.emit(event);
    await followHistory(graph, link, signal);
    if (tier !== null) await link.emit({ kind: "tier", tier });
    const templates = await listTemplates(graph, link.credentials.waba_id, signal);
    await link.emit({ kind: "templates", templates });
  };
}

async function report({ link, signal }: Watch, state: LinkState, askedAt: number): Promise<void> {
  if (!signal.aborted) await link.emit({ kind: "link", state, askedAt });
}

/**
 * The result is called in each round: Meta may reject our URL only because it could not be reached at that moment.
 * Does nothing once Meta has accepted it, and logs the first rejection only.
 */
function createSubscriber({ link, graph, signal }: Watch): () => Promise<void> {
  let state: "new" | "refused" | "subscribed" = "new";
  return async () => {
    if (state === "subscribed") return;
    if (state === "new") await claimAppAddress(link, signal);
    const refusal = await subscribe(graph, link, signal);
    if (state === "new" && refusal !== null) logRefusal(link, refusal);
    state = refusal === null ? "subscribed" : "refused";
  };
}

function logRefusal(link: WapiLink, { message: detail }: GraphRefusal): void {
  const text = "Meta rejects the webhook URL; the URL configured in your app must point here";
  link.log("warn", text, { detail });
}

/**
 * Reports the link state that the failure implies. Returns the back-off, undefined for the default one, or "reported"
 * if the regular interval is sufficient.
 */
async function assess(
  error: unknown,
  watch: Watch,
  askedAt: number,
): Promise<BackOff | undefined | "reported"> {
  const { link, timing } = watch;
  const detail = messageOf(error);
  try {
    if (error instanceof GraphRefusal) {
      const reason = channelFault(error.error);
      if (reason === null) link.log("warn", "WhatsApp: the number could not be checked", { detail });
      else await report(watch, { status: "disabled", reason }, askedAt);
      return reason === null ? throttledBackOff(toTransportError(error).retry, timing.checkMs) : "reported";
    }
    if (error instanceof TransportError) await report(watch, { status: "lost", detail }, askedAt);
    link.log("warn", "WhatsApp: the number could not be checked", { detail });
  } catch (failure) {
    link.log("warn", "WhatsApp: the link state could not be stored", { detail: String(failure) });
  }
  return undefined;
}
