import type { Bot } from "../bot.ts";
import type { Chat, User } from "../chat/chat.ts";
import type { World } from "../world.ts";

/** A person in a chat. */
export interface Seat {
  readonly world: World;
  readonly chat: Chat;
  readonly user: User;
  /** The bot of a dialog. */
  readonly bot: Bot | undefined;
}
