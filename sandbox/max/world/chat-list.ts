import type { Account } from "./account.ts";
import type { Chat } from "./chat.ts";
import type { World } from "./world.ts";

/** The chats of a person by their last event. */
export function newestFirst(world: World, account: Account): Chat[] {
  return world.chatsOf(account).sort((one, other) => other.lastEventTime - one.lastEventTime);
}
