import { TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { longPoll } from "../kit/receiving.ts";
import { type Bot, fetchProfile, persistence } from "./bot.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { ALLOWED_UPDATES } from "./inbound.ts";

/** How long Telegram holds a request without updates; its maximum (Bot API, `getUpdates`). */
const POLL_SECONDS = 50;
const BATCH = 100;

/**
 * Long polling until the channel closes or its token becomes invalid. Updates are acknowledged only when all are
 * stored.
 */
export async function poll(bot: Bot): Promise<void> {
  let offset: number | undefined;
  await longPoll(bot, persistence(bot), {
    claim: () => takeOver(bot),
    fetch: (atOnce) => fetchUpdates(bot, offset, atOnce ? 0 : POLL_SECONDS),
    async store(updates) {
      await deliver(updates, bot);
      const next = nextOffset(updates) ?? offset;
      // A proxy that ignores the offset returns the same batch again.
      const hasNews = next !== offset;
      offset = next;
      return hasNews;
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
  holdSeconds: number,
): Promise<readonly unknown[]> {
  const params = { limit: BATCH, timeout: holdSeconds, allowed_updates: ALLOWED_UPDATES };
  const timeoutMs = (holdSeconds + 15) * 1000;
  const updates: unknown = await client.call(
    "getUpdates",
    offset === undefined ? params : { ...params, offset },
    { signal, timeoutMs },
  );
  if (!Array.isArray(updates)) {
    throw new TransportError("UNKNOWN_ERROR", "Telegram returned an unreadable response", { retry: "later" });
  }
  return updates;
}

/** An update without an id cannot be acknowledged by itself; the next update with an id acknowledges it, too. */
function nextOffset(updates: readonly unknown[]): number | undefined {
  const ids = updates.map(updateIdOf).filter((id) => id !== undefined);
  return ids.length === 0 ? undefined : Math.max(...ids) + 1;
}

function updateIdOf(update: unknown): number | undefined {
  const id = typeof update === "object" && update !== null && "update_id" in update ? update.update_id : null;
  return Number.isSafeInteger(id) ? Number(id) : undefined;
}

/** Another program set a webhook. The other conflict, a second poller of the same bot, can only be waited out. */
function isWebhookConflict(error: unknown): boolean {
  return error instanceof Refusal && error.status === 409 && error.says("webhook is active");
}
