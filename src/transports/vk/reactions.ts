import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { required } from "../kit/json.ts";
import type { Community } from "./community.ts";
import { messageIdOf, peerIdOf } from "./outbound.ts";
import type { VkEvent, VkPerson } from "./update.ts";

/**
 * The emoji of VK's reactions by number. VK publishes pictures only (`messages.getReactionsAssets`, which communities
 * cannot call); the emoji are those on the pictures, as public clients list them. Clients disagree on 6.
 */
const EMOJI: ReadonlyMap<number, string> = new Map(
  ["❤️", "🔥", "😂", "👍", "💩", "⁉️", "😭", "😡", "👎", "👌", "😃", "🤔", "🙏", "😘", "😍", "🎉"].map(
    (emoji, index) => [index + 1, emoji],
  ),
);

const withoutForm = (emoji: string): string => emoji.replaceAll("\uFE0F", "");
const NUMBERS: ReadonlyMap<string, number> = new Map(
  [...EMOJI].map(([number, emoji]) => [withoutForm(emoji), number]),
);

/** The number of a reaction that has no known emoji; undefined if it has one, or if the event is none of a reaction. */
export function unknownReactionIn({ type, object }: VkEvent): number | undefined {
  const { reaction_id: id } = object;
  return type === "message_reaction_event" && id !== undefined && !EMOJI.has(id) ? id : undefined;
}

/**
 * Maps `message_reaction_event` (VK's schema, `callback_message_reaction_event`): without `reaction_id` the reaction was
 * removed. One without a known emoji replaces the earlier one by none. VK does not tell the time.
 */
export function reactedBy(
  { object }: VkEvent,
  { now, personOf }: { readonly now: Date; readonly personOf: (userId: string) => VkPerson | undefined },
): TransportEvent[] {
  const chatId = required(object.peer_id, "peer_id");
  const externalId = required(object.cmid, "cmid");
  const id = required(object.reacted_id, "reacted_id");
  const { first_name, last_name, screen_name } = personOf(id) ?? {};
  const name = [first_name, last_name].filter((part) => part !== undefined).join(" ");
  return [
    {
      kind: "reaction",
      ref: { chatType: "vk", chatId, externalId },
      emoji: object.reaction_id === undefined ? null : (EMOJI.get(object.reaction_id) ?? null),
      at: now,
      // A community has a negative id; in its conversations it is the channel's own.
      ...(!id.startsWith("-") && { by: { id, name: name || screen_name || id } }),
    },
  ];
}

/** Throws `Refusal` or `TransportError`. */
export async function reactToMessage(
  { client }: Pick<Community, "client">,
  ref: MessageRef,
  emoji: string | null,
  signal: AbortSignal,
): Promise<void> {
  const cmid = messageIdOf(ref);
  if (cmid === undefined) throw new TransportError("GENERAL_ERROR", "VK cannot change this message");
  const target = { peer_id: peerIdOf(ref), cmid };
  if (emoji === null) {
    await client.call("messages.deleteReaction", target, signal);
    return;
  }
  const reactionId = NUMBERS.get(withoutForm(emoji));
  if (reactionId === undefined)
    throw new TransportError(
      "GENERAL_ERROR",
      `VK has no such reaction, only ${[...EMOJI.values()].join(" ")}`,
    );
  await client.call("messages.sendReaction", { ...target, reaction_id: reactionId }, signal);
}
