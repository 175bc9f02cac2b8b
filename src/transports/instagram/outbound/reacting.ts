import type { MarkedChat } from "../../../core/transport/connector.ts";
import type { ChatMark } from "../../../core/transport/definition.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { MessageRef } from "../../../core/transport/events.ts";
import { graphOf, type InstagramLink, nodeOf } from "../access.ts";
import { igsidOf } from "../people.ts";

/** The emoji of the one reaction that accounts can send (page "Send messages", "React to a message"). */
const HEART = "❤";
const LOVE = "love";

/**
 * Sets or, with null, removes the account's reaction. A part of a message stands for the whole. Throws `GraphRefusal` or
 * `TransportError`.
 */
export async function reactToMessage(
  link: InstagramLink,
  { chatId, externalId }: MessageRef,
  emoji: string | null,
  signal: AbortSignal,
): Promise<void> {
  if (emoji !== null && emoji.replaceAll("\uFE0F", "") !== HEART)
    throw new TransportError("GENERAL_ERROR", "Instagram accepts only the reaction ❤️ from accounts");
  const [mid = ""] = externalId.split("#");
  // Presses, opened links, and messages without an id.
  if (mid.includes(":")) throw new TransportError("GENERAL_ERROR", "Instagram has no message with this id");
  const action = {
    sender_action: emoji === null ? "unreact" : "react",
    payload: { message_id: mid, ...(emoji !== null && { reaction: LOVE }) },
  };
  await act(link, chatId, action, signal);
}

/** Page "Sender actions": marks all messages as read, or shows typing for 20 seconds. Throws as `reactToMessage`. */
export async function markChat(
  link: InstagramLink,
  { chatId }: Pick<MarkedChat, "chatId">,
  mark: ChatMark,
  signal: AbortSignal,
): Promise<void> {
  await act(link, chatId, { sender_action: mark === "read" ? "mark_seen" : "typing_on" }, signal);
}

async function act(link: InstagramLink, chatId: string, action: object, signal: AbortSignal): Promise<void> {
  const igsid = await igsidOf(link, chatId);
  if (igsid === null)
    throw new TransportError(
      "CHATID_IGSID_MISMATCH",
      "No person with this username has written to the account",
    );
  const body = { recipient: { id: igsid }, ...action };
  await graphOf(link).call("POST", `${nodeOf(link)}/messages`, { body, signal });
}
