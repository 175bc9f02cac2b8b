import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { longPoll } from "../kit/receiving.ts";
import { type Bot, fetchProfile, persistence } from "./bot.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { ALLOWED_UPDATES } from "./inbound.ts";

/** Telegram holds a request without news for this long; its longest (Bot API, `getUpdates`). */
const POLL_SECONDS = 50;
const BATCH = 100;

/** Long polling until the channel closes or its token dies. Updates are confirmed only when all are stored. */
export async function poll(bot: Bot): Promise<void> {
  let offset: number | undefined;
  await longPoll(bot, persistence(bot), {
    claim: () => takeOver(bot),
    fetch: () => fetchUpdates(bot, offset),
    async store(updates) {
      await deliver(updates, bot);
      const next = nextOffset(updates);
      offset = next ?? offset;
      return next !== undefined;
    },
    isReplaced: isWebhookConflict,
  });
}

async function takeOver({ client, signal }: Bot): Promise<ChannelProfile> {
  const profile = await fetchProfile(client, signal);
  await client.call("deleteWebhook", {}, { signal });
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

/** Somebody set a webhook. The other conflict is a second poller of the same bot; then waiting is all that helps. */
function isWebhookConflict(error: unknown): boolean {
  return error instanceof Refusal && error.status === 409 && error.says("webhook is active");
}
