import { TransportError } from "../../core/transport/errors.ts";
import { describe } from "../kit/failures.ts";
import type { Community } from "./community.ts";
import { concernsOne, isForbidden, isUnauthorized, Refusal } from "./errors.ts";
import { readHistory, type VkContent, type VkMessage } from "./update.ts";

type Receiver = Pick<Community, "link" | "client" | "signal">;

/** VK repeats a callback that is not answered in time. */
const LIMIT_MS = 5_000;
/** How long the events of a conversation wait for a message that VK fails to return. */
const GIVE_UP_MS = 2 * 60_000;
/** `messages.getByConversationMessageId` accepts at most a hundred ids (dev.vk.com). */
const MAX_IDS = 100;

/** Whether VK left out content of the message, or of a message inside it (dev.vk.com, "Message object", `is_cropped`). */
function isCropped({ is_cropped, fwd_messages = [], reply_message }: VkContent): boolean {
  return (
    is_cropped === true ||
    (reply_message !== undefined && isCropped(reply_message)) ||
    fwd_messages.some(isCropped)
  );
}

/** When VK first failed to return messages of a conversation, by channel and conversation. */
const failingSince = new Map<string, number>();
const KEPT = 1_000;

/**
 * The whole messages in place of those that VK cropped. What VK does not return stays as it is. Rejects if VK may return
 * it later, so that the events are delivered again, but for `GIVE_UP_MS` only.
 */
export async function completed(
  messages: readonly VkMessage[],
  receiver: Receiver,
): Promise<readonly VkMessage[]> {
  const cropped = messages.filter(isCropped);
  if (cropped.length === 0) return messages;
  const whole = new Map<string, VkMessage>();
  for (const [peerId, cmids] of idsByPeer(cropped))
    for (let from = 0; from < cmids.length; from += MAX_IDS)
      for (const message of await fetchWhole(peerId, cmids.slice(from, from + MAX_IDS), receiver))
        whole.set(keyOf(message), message);
  return messages.map((message) => {
    const found = isCropped(message) ? whole.get(keyOf(message)) : undefined;
    return found === undefined ? message : { ...message, ...found };
  });
}

function keyOf({ peer_id, conversation_message_id }: VkMessage): string {
  return `${peer_id}:${conversation_message_id}`;
}

function idsByPeer(messages: readonly VkMessage[]): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>();
  for (const { peer_id, conversation_message_id } of messages) {
    if (peer_id === undefined || conversation_message_id === undefined) continue;
    ids.set(peer_id, [...(ids.get(peer_id) ?? []), conversation_message_id]);
  }
  return ids;
}

async function fetchWhole(
  peerId: string,
  cmids: readonly string[],
  { client, link, signal }: Receiver,
): Promise<readonly VkMessage[]> {
  const params = { peer_id: peerId, conversation_message_ids: cmids.join(",") };
  const key = `${link.channelId}:${peerId}`;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const answer = await client.call("messages.getByConversationMessageId", params, limit);
    failingSince.delete(key);
    return (readHistory(answer)?.items ?? []).map((message) => ({ peer_id: peerId, ...message }));
  } catch (error) {
    if (mayPass(error) && !hasFailedLong(key, performance.now())) throw error;
    failingSince.delete(key);
    link.log("warn", "VK: a cropped message could not be fetched", {
      peerId,
      detail: describe(error, client),
    });
    return [];
  }
}

function hasFailedLong(key: string, nowMs: number): boolean {
  const since = failingSince.get(key) ?? nowMs;
  failingSince.set(key, since);
  const [oldest] = failingSince.keys();
  if (failingSince.size > KEPT && oldest !== undefined) failingSince.delete(oldest);
  return nowMs - since > GIVE_UP_MS;
}

/** A refusal of the request or of the key stays the same when it is repeated. */
function mayPass(error: unknown): boolean {
  if (error instanceof Refusal) return !(concernsOne(error) || isForbidden(error) || isUnauthorized(error));
  return error instanceof TransportError ? error.retry !== "never" : true;
}
