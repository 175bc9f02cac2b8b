import { AdminError, type Fields } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { GroupChat, Membership } from "../chat/chat.ts";
import { tellMembership } from "../chat/membership.ts";
import { compose, tellGroup } from "../inbound.ts";
import type { World } from "../world.ts";
import { actor } from "./group-change.ts";

/** Groups: creating them, adding and removing bots, and upgrading to a supergroup. */
export function groupRoutes(world: World): AdminRoute[] {
  const groupOf = ({ params }: AdminCall) => world.group(params.needInteger("group_id"));
  return [
    ["POST", "/groups", ({ body }) => describeGroup(addGroup(world, body))],
    ["GET", "/groups", () => ({ items: [...world.groups.values()].map(describeGroup) })],
    ["GET", "/groups/{group_id}", (call) => describeGroup(groupOf(call))],
    ["POST", "/groups/{group_id}/bots", (call) => addBot(world, groupOf(call), call.body)],
    ["POST", "/groups/{group_id}/kicks", (call) => kickBot(world, groupOf(call), call.body)],
    ["POST", "/groups/{group_id}/upgrades", (call) => describeGroup(upgrade(world, groupOf(call)))],
  ];
}

function addGroup(world: World, body: Fields): GroupChat {
  const type = body.text("type") ?? "group";
  if (type !== "group" && type !== "supergroup") {
    throw new AdminError(400, "invalid_field", "type must be group or supergroup");
  }
  const id = body.integer("id");
  const username = body.text("username");
  const users = (body.list("user_ids") ?? []).map((userId) => world.user(Number(userId)));
  const group = world.addGroup({
    title: body.needText("title"),
    type,
    ...(id !== undefined && { id }),
    ...(username !== undefined && { username }),
  });
  for (const user of users) group.users.set(user.id, user);
  return group;
}

function describeGroup(group: GroupChat): unknown {
  return {
    ...group.shape,
    user_ids: [...group.users.keys()],
    administrator_ids: [...group.administrators],
    bots: Object.fromEntries(group.bots),
    upgraded_to: group.upgradedTo ?? null,
  };
}

function addBot(world: World, group: GroupChat, body: Fields): unknown {
  const bot = world.bot(body.needInteger("bot_id"));
  const membership: Membership = body.flag("administrator") === true ? "administrator" : "member";
  const by = actor(world, group, body);
  const before = group.bots.get(bot.id) ?? "left";
  group.bots.set(bot.id, membership);
  bot.chats.set(group.shape.id, group);
  const told = tellMembership(world, group, { member: bot.user, by, before, after: membership });
  const message = compose(world, group, by, { new_chat_members: [bot.user] });
  return { message, update_ids: tellGroup(world, group, message), membership_update_id: told[bot.id] };
}

function kickBot(world: World, group: GroupChat, body: Fields): unknown {
  const bot = world.bot(body.needInteger("bot_id"));
  const by = actor(world, group, body);
  const before = group.bots.get(bot.id) ?? "left";
  group.bots.set(bot.id, "kicked");
  const told = tellMembership(world, group, { member: bot.user, by, before, after: "kicked" });
  const message = compose(world, group, by, { left_chat_member: bot.user });
  return { message, update_ids: tellGroup(world, group, message), membership_update_id: told[bot.id] };
}

/** The old group is closed and the new one has another id; both get a service message. */
function upgrade(world: World, group: GroupChat): GroupChat {
  if (group.shape.type !== "group" || group.upgradedTo !== undefined) {
    throw new AdminError(409, "not_upgradable", `group ${group.shape.id} is a supergroup already`);
  }
  const { title = "" } = group.shape;
  const upgraded = world.addGroup({ title, type: "supergroup" });
  for (const [id, user] of group.users) upgraded.users.set(id, user);
  for (const id of group.administrators) upgraded.administrators.add(id);
  for (const [id, membership] of group.bots) {
    upgraded.bots.set(id, membership);
    world.bots.get(id)?.chats.set(upgraded.shape.id, upgraded);
  }
  const by = [...group.users.values()][0] ?? { id: 1_087_968_824, is_bot: true, first_name: "Group" };
  // Bots are notified that they are in the new group, and never that they left the old one (tdlib/telegram-bot-api,
  // #266).
  for (const [id, membership] of upgraded.bots) {
    const bot = world.bots.get(id);
    if (bot) tellMembership(world, upgraded, { member: bot.user, by, before: "left", after: membership });
  }
  const farewell = compose(world, group, by, { migrate_to_chat_id: upgraded.shape.id });
  tellGroup(world, group, farewell);
  group.upgradedTo = upgraded.shape.id;
  const greeting = compose(world, upgraded, by, { migrate_from_chat_id: group.shape.id });
  tellGroup(world, upgraded, greeting);
  return upgraded;
}
