import type { Bot } from "../bot.ts";
import type { User } from "../shape.ts";
import type { World } from "../world.ts";
import type { GroupChat, Membership } from "./chat.ts";
import { memberShape } from "./member.ts";

/** A person or bot joined a group, left it, or changed its role. */
export interface MembershipChange {
  readonly member: User;
  readonly by: User;
  readonly before: Membership;
  readonly after: Membership;
}

/** The role of a person or a bot in a group. */
export function membershipOf(group: GroupChat, id: number): Membership {
  const ofPerson = group.administrators.has(id) ? "administrator" : "member";
  return group.bots.get(id) ?? (group.users.has(id) ? ofPerson : "left");
}

/**
 * Reports its own membership to a bot, and that of others to subscribed administrators. Returns the updates by bot.
 * https://core.telegram.org/bots/api#chatmemberupdated
 */
export function tellMembership(
  world: World,
  group: GroupChat,
  { member, by, before, after }: MembershipChange,
): Record<string, number> {
  world.changed();
  const update = {
    chat: group.shape,
    from: by,
    date: world.clock.now(),
    old_chat_member: memberShape(member, before),
    new_chat_member: memberShape(member, after),
  };
  const updateIds: Record<string, number> = {};
  for (const bot of toldOf(world, group, member)) {
    const kind = bot.id === member.id ? "my_chat_member" : "chat_member";
    const id = world.notify(bot, { [kind]: update }, `membership ${group.shape.id}`);
    if (id !== undefined) updateIds[bot.id] = id;
  }
  return updateIds;
}

function toldOf(world: World, group: GroupChat, member: User): Bot[] {
  const ids = [...group.bots].filter(([id, role]) => id === member.id || role === "administrator");
  return ids.map(([id]) => world.bots.get(id)).filter((bot) => bot !== undefined);
}
