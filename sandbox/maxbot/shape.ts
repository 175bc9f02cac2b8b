import { Bot } from "./bot.ts";
import type { Chat, Link, StoredMessage, User } from "./chat/chat.ts";

/** A person or a bot in the API's format: https://dev.max.ru/docs-api/objects/User */
export function userShape(user: User | Bot): Readonly<Record<string, unknown>> {
  if (user instanceof Bot) {
    const { id, name, username, lastActivityMs } = user;
    return {
      user_id: id,
      first_name: name,
      username,
      is_bot: true,
      last_activity_time: lastActivityMs,
      name,
    };
  }
  const { user_id, first_name, last_name, username, lastActivityMs } = user;
  return {
    user_id,
    first_name,
    last_name,
    ...(username !== null && { username }),
    is_bot: false,
    // Live updates have whole seconds here.
    last_activity_time: Math.floor(lastActivityMs / 1000) * 1000,
    name: last_name === "" ? first_name : `${first_name} ${last_name}`,
  };
}

/** `GET /me`: https://dev.max.ru/docs-api/objects/BotInfo */
export function botInfo(bot: Bot): Readonly<Record<string, unknown>> {
  return {
    ...userShape(bot),
    ...(bot.description !== null && { description: bot.description }),
    commands: [],
  };
}

/** https://dev.max.ru/docs-api/objects/Message */
export function messageShape(message: StoredMessage): Readonly<Record<string, unknown>> {
  return {
    sender: userShape(message.sender),
    recipient: recipientShape(message),
    timestamp: message.timestamp,
    ...(message.link && { link: linkShape(message.link) }),
    body: bodyShape(message),
  };
}

/** In a dialog, the recipient is the one who is not the sender. */
function recipientShape({ chat, sender }: StoredMessage): Readonly<Record<string, unknown>> {
  const { chatId, type } = chat;
  if (type !== "dialog") return { chat_id: chatId, chat_type: type, user_id: null };
  const [bot] = chat.bots.keys();
  const other = sender instanceof Bot ? chat.user?.user_id : bot;
  return { chat_id: chatId, chat_type: type, user_id: other ?? null };
}

function bodyShape({
  mid,
  seq,
  text,
  attachments,
  markup,
}: StoredMessage): Readonly<Record<string, unknown>> {
  return {
    mid,
    seq,
    text: text ?? "",
    ...(attachments.length > 0 && { attachments }),
    ...(markup.length > 0 && { markup }),
  };
}

function linkShape({ type, message }: Link): Readonly<Record<string, unknown>> {
  return {
    type,
    sender: userShape(message.sender),
    ...(type === "forward" && { chat_id: message.chat.chatId }),
    message: bodyShape(message),
  };
}

/** https://dev.max.ru/docs-api/objects/Chat */
export function chatShape(chat: Chat): Readonly<Record<string, unknown>> {
  const last = chat.newest()[0];
  return {
    chat_id: chat.chatId,
    type: chat.type,
    status: chat.suspended ? "closed" : "active",
    title: chat.title,
    icon: null,
    last_event_time: last?.timestamp ?? chat.createdMs,
    participants_count: chat.users.size + chat.bots.size,
    is_public: false,
    link: null,
    description: null,
    dialog_with_user: chat.user ? userShape(chat.user) : null,
  };
}
