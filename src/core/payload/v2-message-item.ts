import { withSnakeKeys } from "../../platform/foreign/snake-case.ts";
import { type ChatType, traitsOf } from "../transport/definition.ts";
import { reportedStatus } from "../transport/message.ts";
import type { MessageFact } from "./facts.ts";
import { detailItems, given, quotedItem } from "./quoted.ts";
import type { MessageItem } from "./v2-shapes.ts";

/** The current state of a message, as in its events and in lists. Pure, like all functions below. */
export function messageV2Item(fact: MessageFact): MessageItem {
  const { contact, quoted, sender } = fact;
  const { authorId: _author, sender: _sender, oldInfo: _old, ...shared } = detailItems(fact);
  const authorName = fact.isEcho ? fact.authorName : null;
  return {
    message_id: fact.messageId,
    channel_id: fact.channelId,
    direction: fact.status === "inbound" ? "inbound" : "outbound",
    timestamp: fact.sentAt.getTime(),
    type: fact.type,
    status: reportedStatus(fact.status),
    crm_user_id: fact.authorId,
    ...given("author_name", authorName),
    recipient: {
      chat_id: fact.chatId,
      chat_type: fact.chatType,
      name: contact.name,
      username: contact.username,
      phone: contact.phone,
    },
    text: fact.text,
    attachment: attachmentOf(fact),
    ...withSnakeKeys(shared),
    ...(quoted === null ? {} : { quoted_message: withSnakeKeys(quotedItem(fact, quoted)) }),
    ...(sender === null ? {} : { sender: senderOf(fact.chatType, sender) }),
    ...(fact.oldInfo === null ? {} : { old_info: oldInfoOf(fact.oldInfo) }),
  };
}

/** Includes the private chat with the sender. */
function senderOf(
  group: MessageFact["chatType"],
  { id, name }: NonNullable<MessageFact["sender"]>,
): NonNullable<MessageItem["sender"]> {
  const chatType = (traitsOf(group)?.personType ?? group) as ChatType;
  const hasPhone = traitsOf(chatType)?.idForm === "phone" && /^\d+$/.test(id);
  return { id, name, chat_type: chatType, chat_id: id, phone: hasPhone ? id : null };
}

function attachmentOf({ contentUri, file }: MessageFact): MessageItem["attachment"] {
  if (contentUri === null) return null;
  return { url: contentUri, name: file.name, mimetype: file.mimeType, size: file.size };
}

function oldInfoOf({
  oldText,
  oldAuthorId,
  oldAuthorName,
  oldContentUri,
}: NonNullable<MessageFact["oldInfo"]>): NonNullable<MessageItem["old_info"]> {
  return {
    old_text: oldText ?? null,
    old_author_id: oldAuthorId ?? null,
    old_author_name: oldAuthorName ?? null,
    ...(oldContentUri === undefined ? {} : { old_content_uri: oldContentUri }),
  };
}
