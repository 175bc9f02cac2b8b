import type { ChannelProfile } from "../../core/transport/events.ts";
import type { OpenChannel } from "./open-channel.ts";
import { jittered, type RetryLoop, runRetryLoop } from "./retry-loop.ts";

/**
 * A server that returns an empty result faster than this does not support long polling and needs a delay between
 * requests.
 */
export const MIN_HOLD_MS = 1_000;

interface LongPoll<Batch> {
  /** Claims the channel's updates for this session; called again after another program has claimed them. */
  claim(): Promise<ChannelProfile>;
  /** `atOnce`: the messenger does not hold the request; the response to the first one after a failure proves the access. */
  fetch(atOnce: boolean): Promise<Batch>;
  /** Stores a batch, then acknowledges it. Resolves to whether it contained anything. */
  store(batch: Batch, profile: ChannelProfile): Promise<boolean>;
  /** Whether the failure means that another program has claimed the updates. */
  isReplaced(error: unknown): boolean;
}

/** Receives by long polling until the channel closes or its access ends. */
export async function longPoll<Batch>(
  { announce, timing }: Pick<OpenChannel, "announce" | "timing">,
  going: RetryLoop,
  { claim, fetch, store, isReplaced }: LongPoll<Batch>,
): Promise<void> {
  let profile: ChannelProfile | null = null;
  let hasFailed = false;
  await runRetryLoop(going, async () => {
    try {
      if (profile === null) {
        profile = await claim();
        await announce({ status: "active", profile });
      }
      const askedAt = performance.now();
      const batch = await fetch(hasFailed);
      hasFailed = false;
      await announce({ status: "active", profile });
      const hasNews = await store(batch, profile);
      const isHeld = performance.now() - askedAt > MIN_HOLD_MS;
      return hasNews || isHeld ? "again" : timing.firstPauseMs;
    } catch (error) {
      hasFailed = true;
      if (isReplaced(error)) profile = null;
      throw error;
    }
  });
}

interface CallbackWatch {
  readonly everyMs: number;
  /** Registers the webhook URL if it is missing. */
  check(): Promise<void>;
  /** Whether the messenger permanently rejects the URL; log the reason inside. */
  isRefused(error: unknown): boolean;
  /** Receives without webhooks. */
  poll(): Promise<void>;
}

/**
 * Checks the webhook URL periodically until the channel closes. Switches to polling if the messenger rejects the URL.
 */
export async function watchOrPoll(
  going: RetryLoop,
  { everyMs, check, isRefused, poll }: CallbackWatch,
): Promise<void> {
  let mustPoll = false;
  await runRetryLoop(going, async () => {
    try {
      await check();
    } catch (error) {
      if (!isRefused(error)) throw error;
      mustPoll = true;
      return "done";
    }
    return jittered(everyMs);
  });
  if (mustPoll) await poll();
}
