import { PrivateChat } from "./chat/chat.ts";
import type { World } from "./world.ts";

/** The bot that `--demo` starts with, and its first token. */
export const demoBotId = 1_000_001;
export const demoToken = "1000001:demo-trunkline-sandbox-token-0000000000";

/** One bot, and Ann, who has pressed start. */
export function seedDemo(world: World): void {
  const bot = world.addBot({ token: demoToken, username: "trunkline_demo_bot", name: "Trunkline demo" });
  const ann = world.users.get(111) ?? world.putUser({ id: 111, first_name: "Ann", language_code: "en" });
  bot.chats.set(ann.id, new PrivateChat(ann, world.keepMessages));
}
