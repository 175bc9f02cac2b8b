import type { Bot } from "./bot.ts";
import type { Chat, GroupChat, PrivateChat } from "./chat/chat.ts";
import type { Content, Message, User } from "./shape.ts";
import type { World } from "./world.ts";

/** A person's action, with the resulting updates. */
export interface Written {
  readonly message: Message;
  /** The updates by bot; a bot that is not subscribed gets none. */
  readonly update_ids: Readonly<Record<string, number>>;
}

/** A person writes to a bot. Updates keep the order of the chat. */
export function writePrivately(
  world: World,
  bot: Bot,
  chat: PrivateChat,
  content: Partial<Message>,
): Written {
  const message = compose(world, chat, chat.user, content);
  const updateId = world.notify(bot, { message }, orderingKeyOf(chat));
  return { message, update_ids: updateId === undefined ? {} : { [bot.id]: updateId } };
}

/** A person writes in a group: every bot there gets the message, or, in privacy mode, only those addressed to it. */
export function writeInGroup(world: World, group: GroupChat, user: User, content: Partial<Message>): Written {
  const message = compose(world, group, user, content);
  return { message, update_ids: tellGroup(world, group, message) };
}

/** Sends a group's message to the bots that may see it. */
export function tellGroup(world: World, group: GroupChat, message: Message): Record<string, number> {
  const updateIds: Record<string, number> = {};
  for (const bot of botsIn(world, group)) {
    if (!isVisible(bot, group, message)) continue;
    const updateId = world.notify(bot, { message }, orderingKeyOf(group));
    if (updateId !== undefined) updateIds[bot.id] = updateId;
  }
  return updateIds;
}

/** Bots that are in the group now. */
function botsIn(world: World, group: GroupChat): Bot[] {
  const inside = [...group.bots].filter(([, state]) => state === "member" || state === "administrator");
  return inside.map(([id]) => world.bots.get(id)).filter((bot) => bot !== undefined);
}

/** Creates and stores a person's message. */
export function compose(world: World, chat: Chat, from: User, content: Partial<Message>): Message {
  const message: Message = {
    message_id: chat.nextMessageId(),
    from,
    chat: chat.shape,
    date: world.clock.now(),
    ...content,
  };
  world.store(chat, message);
  return message;
}

/** Replaces a stored message by a changed version; objects already returned stay unchanged. */
export function amend(world: World, chat: Chat, message: Message, content: Content): Message {
  const amended = { ...message, ...content, edit_date: world.clock.now() };
  world.store(chat, amended);
  return amended;
}

/** Updates of a chat stay in order. */
export function orderingKeyOf(chat: Chat): string {
  return `chat ${chat.shape.id}`;
}

/** https://core.telegram.org/bots/features#privacy-mode */
function isVisible(bot: Bot, group: GroupChat, message: Message): boolean {
  if (bot.readsAllGroupMessages || group.bots.get(bot.id) === "administrator") return true;
  const isService = message.text === undefined && message.caption === undefined && !hasMedia(message);
  const text = message.text ?? message.caption ?? "";
  const mentioned = text.includes(`@${bot.user.username}`);
  const command = text.startsWith("/") && (!text.split(/\s/)[0]?.includes("@") || mentioned);
  return isService || command || mentioned || message.reply_to_message?.from?.id === bot.id;
}

function hasMedia(message: Message): boolean {
  return ["photo", "video", "audio", "voice", "document", "animation", "video_note", "sticker", "contact"]
    .concat(["location", "venue", "poll", "dice"])
    .some((field) => field in message);
}
