import { setTimeout as delay } from "node:timers/promises";
import { TransportError } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import type { WapiLink } from "./access.ts";
import { fetchHealth } from "./account.ts";
import { claimAppAddress } from "./app-address.ts";
import { channelFault, GraphRefusal, toTransportError } from "./errors.ts";
import type { Graph } from "./graph.ts";
import { listTemplates } from "./templates.ts";

/** How long things take; tests shorten it. */
export interface Timing {
  /** Back-off after failures: grows from the first pause to the longest. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** How often the number, its tier and its business's templates are looked at. */
  readonly checkMs: number;
}
export const TIMING: Timing = { firstPauseMs: 1_000, maxPauseMs: 60_000, checkMs: 15 * 60_000 };

export interface Watch {
  readonly link: WapiLink;
  readonly graph: Graph;
  readonly timing: Timing;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
}

/**
 * Has Meta call us for the business, then looks at the number every now and then until the channel closes, its token
 * dies or Meta blocks it. Never rejects.
 */
export async function watch(watch: Watch): Promise<void> {
  const { signal, timing } = watch;
  const rounds = createRounds(watch);
  let failures = 0;
  while (!signal.aborted) {
    let pauseMs = timing.checkMs * (0.75 + Math.random() / 2);
    try {
      if ((await rounds()) === "over") return;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const verdict = await assess(error, watch);
      if (verdict === "over") return;
      pauseMs = verdict ?? backOffMs(failures++, timing);
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

function createRounds(watch: Watch): () => Promise<"again" | "over"> {
  const { link, graph, signal } = watch;
  let isSubscribed = false;
  return async () => {
    const { state, tier } = await fetchHealth(link, signal);
    if (state.status === "disabled") {
      await tell(watch, state);
      return "over";
    }
    if (!isSubscribed) await listen(watch);
    isSubscribed = true;
    await tell(watch, state);
    if (tier !== null) await link.emit({ kind: "tier", tier });
    const templates = await listTemplates(graph, link.credentials.waba_id, signal);
    await link.emit({ kind: "templates", templates });
    return "again";
  };
}

async function tell({ link, signal }: Watch, state: LinkState): Promise<void> {
  if (!signal.aborted) await link.emit({ kind: "link", state });
}

async function listen(watch: Watch): Promise<void> {
  await claimAppAddress(watch.link, watch.signal);
  await subscribe(watch);
}

/**
 * Messages of the business come to our address, whatever the app's own one is. Meta takes that address only for an
 * app that is subscribed already, and only if it answers. Else the app's own address has to lead to us.
 */
async function subscribe(watch: Watch): Promise<void> {
  if ((await subscribeTo(watch, ours(watch))) === null) return;
  await watch.graph.call("POST", subscriptionsOf(watch), { body: {}, signal: watch.signal });
  const refusal = await subscribeTo(watch, ours(watch));
  if (refusal === null) return;
  const detail = refusal.message;
  watch.link.log("warn", "Meta does not take the callback address; that of your app has to lead here", {
    detail,
  });
}

function ours({ link }: Watch): object {
  return { override_callback_uri: link.callbackUrl, verify_token: link.callbackSecret };
}

function subscriptionsOf({ link }: Watch): string {
  return `${link.credentials.waba_id}/subscribed_apps`;
}

/** Answers a refusal that concerns the address alone. */
async function subscribeTo(watch: Watch, body: object): Promise<GraphRefusal | null> {
  try {
    await watch.graph.call("POST", subscriptionsOf(watch), { body, signal: watch.signal });
    return null;
  } catch (error) {
    if (!(error instanceof GraphRefusal) || channelFault(error.error) !== null) throw error;
    if (typeof toTransportError(error).retry === "object") throw error;
    return error;
  }
}

/** Tells what the failure says of the channel. Answers how long to wait, undefined for the usual back-off, or "over". */
async function assess(error: unknown, watch: Watch): Promise<number | undefined | "over"> {
  const { link } = watch;
  const detail = error instanceof Error ? error.message : String(error);
  try {
    if (error instanceof GraphRefusal) {
      const reason = channelFault(error.error);
      if (reason === null) link.log("warn", "WhatsApp: the number could not be looked at", { detail });
      else await tell(watch, { status: "disabled", reason });
      const { retry } = toTransportError(error);
      return reason === null ? (typeof retry === "object" ? retry.afterMs : undefined) : "over";
    }
    if (error instanceof TransportError) await tell(watch, { status: "lost", detail });
    link.log("warn", "WhatsApp: the number could not be looked at", { detail });
  } catch (failure) {
    link.log("warn", "WhatsApp: the state of the link was not stored", { detail: String(failure) });
  }
  return undefined;
}

/** Half of each pause is random, so that many numbers do not come back at the same moment. */
function backOffMs(failures: number, { firstPauseMs, maxPauseMs }: Timing): number {
  const longest = Math.min(maxPauseMs, firstPauseMs * 2 ** failures);
  return longest * (0.5 + Math.random() / 2);
}
