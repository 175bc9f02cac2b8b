import type { Bot } from "../bot.ts";
import type { Chat } from "./chat.ts";

/** A press of a callback button that the bot may answer. */
export interface Press {
  readonly bot: Bot;
  readonly chat: Chat;
  readonly mid: string;
}
