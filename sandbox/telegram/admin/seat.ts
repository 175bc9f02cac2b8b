import type { Bot } from "../bot.ts";
import type { Chat } from "../chat.ts";
import type { User } from "../shape.ts";

/** A person in a chat: the private one with a bot, or a group. */
export interface Seat {
  readonly user: User;
  readonly chat: Chat;
  /** Whose private chat it is; undefined in a group. */
  readonly bot: Bot | undefined;
}
