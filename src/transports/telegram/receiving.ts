import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { keepGoing, pause } from "../kit/keep-going.ts";
import { type Bot, fetchProfile, persistence } from "./bot.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { ALLOWED_UPDATES } from "./inbound.ts";

/** Telegram holds a request without news for this long; its longest (Bot API, `getUpdates`). */
const POLL_SECONDS = 50;
const BATCH = 100;
/** A server that answers "no news" sooner does not hold requests, and must not be asked without a pause. */
const MIN_HOLD_MS = 1_000;

/** Long polling until the channel closes or its token dies. Updates are confirmed only when all are stored. */
export async function poll(bot: Bot): Promise<void> {
  let profile: ChannelProfile | null = null;
  let offset: number | undefined;
  await keepGoing(persistence(bot), async () => {
    try {
      profile ??= await takeOver(bot);
      const asked = performance.now();
      const updates = await fetchUpdates(bot, offset);
      await bot.announce({ status: "active", profile });
      await deliver(updates, bot);
      const next = nextOffset(updates);
      offset = next ?? offset;
      const isHeld = performance.now() - asked > MIN_HOLD_MS;
      if (next === undefined && !isHeld) await pause(bot.timing.firstPauseMs, bot.signal);
      return "again";
    } catch (error) {
      // Somebody set a webhook: take the bot back in the next round, after the pause.
      if (isWebhookConflict(error)) profile = null;
      throw error;
    }
  });
}

async function takeOver({ client, signal, announce }: Bot): Promise<ChannelProfile> {
  const profile = await fetchProfile(client, signal);
  await client.call("deleteWebhook", {}, { signal });
  await announce({ status: "active", profile });
  return profile;
}

async function fetchUpdates(
  { client, signal }: Bot,
  offset: number | undefined,
): Promise<readonly unknown[]> {
  const params = { limit: BATCH, timeout: POLL_SECONDS, allowed_updates: ALLOWED_UPDATES };
  const timeoutMs = (POLL_SECONDS + 15) * 1000;
  const updates: unknown = await client.call(
    "getUpdates",
    offset === undefined ? params : { ...params, offset },
    { signal, timeoutMs },
  );
  if (!Array.isArray(updates)) {
    throw new TransportError("UNKNOWN_ERROR", "Telegram's answer cannot be read", { retry: "later" });
  }
  return updates;
}

/** What has no id cannot be confirmed by it; the next that has one confirms it, too. */
function nextOffset(updates: readonly unknown[]): number | undefined {
  const ids = updates.map(updateIdOf).filter((id) => id !== undefined);
  return ids.length === 0 ? undefined : Math.max(...ids) + 1;
}

function updateIdOf(update: unknown): number | undefined {
  const id = typeof update === "object" && update !== null && "update_id" in update ? update.update_id : null;
  return Number.isSafeInteger(id) ? Number(id) : undefined;
}

/** The other conflict is a second poller of the same bot; then waiting is all that helps. */
function isWebhookConflict(error: unknown): boolean {
  return error instanceof Refusal && error.status === 409 && error.says("webhook is active");
}
