import type { Community } from "../community.ts";
import { cropped, type Message } from "../shape.ts";
import type { World } from "../world.ts";
import type { Dialog } from "./dialog.ts";

/** The content of a new message, without its ids and author. */
export type Content = Partial<
  Omit<Message, "id" | "date" | "peer_id" | "from_id" | "out" | "version" | "conversation_message_id">
>;

/** The ordering key of a conversation: its events are reported in order. */
export function orderingKeyOf(dialog: Dialog): string {
  return `peer ${dialog.peerId}`;
}

/** Stores a new message; the caller reports it. */
export function addMessage(
  world: World,
  where: { readonly community: Community; readonly dialog: Dialog },
  fromId: number,
  content: Content,
): Message {
  const { community, dialog } = where;
  const message: Message = {
    id: dialog.isChat ? 0 : community.nextMessageId(),
    date: world.clock.now(),
    peer_id: dialog.peerId,
    from_id: fromId,
    out: fromId === -community.id ? 1 : 0,
    version: 10_000 + dialog.lastCmid + 1,
    conversation_message_id: dialog.nextCmid(),
    random_id: 0,
    text: "",
    attachments: [],
    fwd_messages: [],
    important: false,
    is_hidden: false,
    ...content,
  };
  dialog.put(message);
  world.changed();
  return message;
}

/** Replaces a stored message by a changed version; objects already returned stay unchanged. */
export function amend(world: World, dialog: Dialog, message: Message, content: Content): Message {
  const amended = { ...message, ...content, version: message.version + 1, update_time: world.clock.now() };
  dialog.put(amended);
  world.changed();
  return amended;
}

/** A person writes: `message_new`, with the capabilities of the person's client. */
export function receive(
  world: World,
  where: { readonly community: Community; readonly dialog: Dialog },
  fromId: number,
  content: Content,
): { readonly message: Message; readonly events: number } {
  const message = addMessage(world, where, fromId, content);
  const { community, dialog } = where;
  if (!dialog.isChat) dialog.allowed = true;
  return {
    message,
    events: world.emit(
      community,
      "message_new",
      { message: cropped(message), client_info: clientInfo },
      orderingKeyOf(dialog),
    ),
  };
}

/** https://dev.vk.com/ru/api/community-events/json-schema#message_new */
const clientInfo = {
  button_actions: ["text", "vkpay", "open_app", "location", "open_link", "callback"],
  keyboard: true,
  inline_keyboard: true,
  carousel: true,
  lang_id: 0,
};
