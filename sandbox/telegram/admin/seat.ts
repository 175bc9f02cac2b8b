import type { Bot } from "../bot.ts";
import type { Chat } from "../chat/chat.ts";
import type { User } from "../shape.ts";

/** A person in a chat: the private one with a bot, or a group. */
export interface Seat {
  readonly user: User;
  readonly chat: Chat;
  /** The bot of a private chat; undefined in a group. */
  readonly bot: Bot | undefined;
}
