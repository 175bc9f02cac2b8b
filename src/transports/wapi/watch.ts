import { setTimeout as delay } from "node:timers/promises";
import { TransportError } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import { backOffMs } from "../../platform/back-off.ts";
import { machineMs } from "../../platform/clock.ts";
import { messageOf } from "../../platform/message-of.ts";
import { jittered, type Pauses } from "../kit/keep-going.ts";
import { USUAL_PAUSES } from "../kit/open-channel.ts";
import { GraphRefusal } from "../meta/error.ts";
import type { Graph } from "../meta/graph.ts";
import type { WapiLink } from "./access.ts";
import { fetchHealth } from "./account.ts";
import { claimAppAddress } from "./app-address.ts";
import { channelFault, toTransportError } from "./errors.ts";
import { subscribe } from "./subscription.ts";
import { listTemplates } from "./templates.ts";

/** How long things take; tests shorten it. */
export interface Timing extends Pauses {
  /** How often the number, its tier and its business's templates are looked at. */
  readonly checkMs: number;
}
export const TIMING: Timing = { ...USUAL_PAUSES, checkMs: 15 * 60_000 };

export interface Watch {
  readonly link: WapiLink;
  readonly graph: Graph;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

/**
 * Has Meta call us for the business, then looks at the number every now and then until the channel closes; core closes
 * one whose token died or that Meta blocked, unless it knows better by then. Never rejects.
 */
export async function watch(watch: Watch): Promise<void> {
  const { signal, timing } = watch;
  const { firstPauseMs: firstMs, maxPauseMs: longestMs } = timing;
  const rounds = createRounds(watch);
  let failures = 0;
  while (!signal.aborted) {
    const askedAt = machineMs();
    let pauseMs = jittered(timing.checkMs);
    try {
      await rounds(askedAt);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const verdict = await assess(error, watch, askedAt);
      if (verdict !== "told") pauseMs = verdict ?? backOffMs(++failures, { firstMs, longestMs });
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

function createRounds(watch: Watch): (askedAt: number) => Promise<void> {
  const { link, graph, signal } = watch;
  let isSubscribed = false;
  return async (askedAt) => {
    const { state, tier } = await fetchHealth(link, signal);
    if (state.status === "disabled") return tell(watch, state, askedAt);
    if (!isSubscribed) await listen(watch);
    isSubscribed = true;
    await tell(watch, state, askedAt);
    if (tier !== null) await link.emit({ kind: "tier", tier });
    const templates = await listTemplates(graph, link.credentials.waba_id, signal);
    await link.emit({ kind: "templates", templates });
  };
}

async function tell({ link, signal }: Watch, state: LinkState, askedAt: number): Promise<void> {
  if (!signal.aborted) await link.emit({ kind: "link", state, askedAt });
}

async function listen(watch: Watch): Promise<void> {
  await claimAppAddress(watch.link, watch.signal);
  await subscribe(watch.graph, watch.link, watch.signal);
}

/**
 * Tells what the failure says of the channel. Answers how long to wait, undefined for the usual back-off, or "told"
 * when there is no hurry.
 */
async function assess(error: unknown, watch: Watch, askedAt: number): Promise<number | undefined | "told"> {
  const { link } = watch;
  const detail = messageOf(error);
  try {
    if (error instanceof GraphRefusal) {
      const reason = channelFault(error.error);
      if (reason === null) link.log("warn", "WhatsApp: the number could not be looked at", { detail });
      else await tell(watch, { status: "disabled", reason }, askedAt);
      const { retry } = toTransportError(error);
      return reason === null ? (typeof retry === "object" ? retry.afterMs : undefined) : "told";
    }
    if (error instanceof TransportError) await tell(watch, { status: "lost", detail }, askedAt);
    link.log("warn", "WhatsApp: the number could not be looked at", { detail });
  } catch (failure) {
    link.log("warn", "WhatsApp: the state of the link was not stored", { detail: String(failure) });
  }
  return undefined;
}
