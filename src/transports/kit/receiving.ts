import type { ChannelProfile } from "../../core/transport/events.ts";
import { jittered, type KeepGoing, keepGoing } from "./keep-going.ts";
import type { OpenChannel } from "./open-channel.ts";

/** A server that answers "no news" sooner does not hold requests, and must not be asked without a pause. */
const MIN_HOLD_MS = 1_000;

interface LongPoll<Batch> {
  /** Makes the channel the one that is answered; again after another program has taken its place. */
  takeOver(): Promise<ChannelProfile>;
  fetch(): Promise<Batch>;
  /** Stores what came, then confirms it. Answers whether there was anything. */
  take(batch: Batch, profile: ChannelProfile): Promise<boolean>;
  /** Whether the failure says that another program has taken the channel's place. */
  isOusted(error: unknown): boolean;
}

/** Long polling until the channel closes or its access ends. */
export async function longPoll<Batch>(
  { announce, timing }: Pick<OpenChannel, "announce" | "timing">,
  going: KeepGoing,
  { takeOver, fetch, take, isOusted }: LongPoll<Batch>,
): Promise<void> {
  let profile: ChannelProfile | null = null;
  await keepGoing(going, async () => {
    try {
      if (profile === null) {
        profile = await takeOver();
        await announce({ status: "active", profile });
      }
      const askedAt = performance.now();
      const batch = await fetch();
      await announce({ status: "active", profile });
      const hasNews = await take(batch, profile);
      const isHeld = performance.now() - askedAt > MIN_HOLD_MS;
      return hasNews || isHeld ? "again" : timing.firstPauseMs;
    } catch (error) {
      if (isOusted(error)) profile = null;
      throw error;
    }
  });
}

interface CallbackWatch {
  readonly everyMs: number;
  /** Sets the callback address where it is missing. */
  look(): Promise<void>;
  /** Whether the messenger refuses the address for good; say so in the log. */
  isRefused(error: unknown): boolean;
  /** Receives without callbacks. */
  poll(): Promise<void>;
}

/** Looks after the callback address until the channel closes; polls once the messenger has refused it. */
export async function watchOrPoll(
  going: KeepGoing,
  { everyMs, look, isRefused, poll }: CallbackWatch,
): Promise<void> {
  let mustPoll = false;
  await keepGoing(going, async () => {
    try {
      await look();
    } catch (error) {
      if (!isRefused(error)) throw error;
      mustPoll = true;
      return "done";
    }
    return jittered(everyMs);
  });
  if (mustPoll) await poll();
}
