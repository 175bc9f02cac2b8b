import { AdminError, Fields } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { GroupChat } from "../chat/chat.ts";
import { membershipOf, tellMembership } from "../chat/membership.ts";
import { sharedOwner } from "../file/file-registry.ts";
import { compose, tellGroup } from "../inbound.ts";
import type { Message, User } from "../shape.ts";
import type { World } from "../world.ts";
import { readContent } from "./content.ts";

/** Changes of a group by people: its title, picture, members and administrators. */
export function groupChangeRoutes(world: World): AdminRoute[] {
  const onGroup =
    (change: (world: World, group: GroupChat, body: Fields) => unknown) =>
    ({ params, body }: AdminCall) =>
      change(world, world.group(params.needInteger("group_id")), body);
  return [
    ["POST", "/groups/{group_id}/titles", onGroup(rename)],
    ["POST", "/groups/{group_id}/photos", onGroup(setPhoto)],
    ["DELETE", "/groups/{group_id}/photos", onGroup(removePhoto)],
    ["POST", "/groups/{group_id}/users", onGroup(addUser)],
    ["POST", "/groups/{group_id}/removals", onGroup(removeUser)],
    ["POST", "/groups/{group_id}/promotions", onGroup(changeRole(true))],
    ["POST", "/groups/{group_id}/demotions", onGroup(changeRole(false))],
  ];
}

/** The acting person: `user_id`, or the first member. */
export function actor(world: World, group: GroupChat, body: Fields, field = "user_id"): User {
  const userId = body.integer(field);
  if (userId !== undefined) return world.user(userId);
  const first = [...group.users.values()][0];
  if (first) return first;
  throw new AdminError(
    409,
    "empty_group",
    `nobody is in group ${group.shape.id}: give ${field}, or add users`,
  );
}

/** `{title, user_id?}` */
function rename(world: World, group: GroupChat, body: Fields): unknown {
  const title = body.needText("title");
  const by = actor(world, group, body);
  group.shape = { ...group.shape, title };
  return note(world, group, by, { new_chat_title: title });
}

/** `{file?, user_id?}` */
async function setPhoto(world: World, group: GroupChat, body: Fields): Promise<unknown> {
  const by = actor(world, group, body);
  const fields = new Fields({ kind: "photo", file: body.object("file") });
  const { photo = [] } = await readContent(fields, { files: world.files, botId: sharedOwner, user: by });
  return note(world, group, by, { new_chat_photo: photo });
}

/** `{user_id?}` */
function removePhoto(world: World, group: GroupChat, body: Fields): unknown {
  return note(world, group, actor(world, group, body), { delete_chat_photo: true });
}

/** `{user_id, by?}`: without `by` the person joins by a link. */
function addUser(world: World, group: GroupChat, body: Fields): unknown {
  const member = world.user(body.needInteger("user_id"));
  const by = body.integer("by") === undefined ? member : actor(world, group, body, "by");
  const before = membershipOf(group, member.id);
  group.users.set(member.id, member);
  const told = tellMembership(world, group, { member, by, before, after: "member" });
  return { ...note(world, group, by, { new_chat_members: [member] }), membership_update_ids: told };
}

/** `{user_id, by?}`: without `by` the person leaves. */
function removeUser(world: World, group: GroupChat, body: Fields): unknown {
  const member = world.user(body.needInteger("user_id"));
  const by = body.integer("by") === undefined ? member : actor(world, group, body, "by");
  const before = membershipOf(group, member.id);
  if (before === "left") throw new AdminError(409, "not_a_member", `user ${member.id} is not in the group`);
  group.users.delete(member.id);
  group.administrators.delete(member.id);
  // Basic groups have no bans.
  const after = by.id === member.id || group.shape.type === "group" ? "left" : "kicked";
  const told = tellMembership(world, group, { member, by, before, after });
  return { ...note(world, group, by, { left_chat_member: member }), membership_update_ids: told };
}

/** `{user_id or bot_id, by?}`: Telegram writes no service message about it. */
function changeRole(isPromotion: boolean): (world: World, group: GroupChat, body: Fields) => unknown {
  return (world, group, body) => {
    const botId = body.integer("bot_id");
    const member = botId === undefined ? world.user(body.needInteger("user_id")) : world.bot(botId).user;
    const before = membershipOf(group, member.id);
    const after = isPromotion ? "administrator" : "member";
    if (before !== (isPromotion ? "member" : "administrator"))
      throw new AdminError(409, "wrong_role", `${member.id} is ${before} in the group`);
    if (botId !== undefined) group.bots.set(botId, after);
    else if (isPromotion) group.administrators.add(member.id);
    else group.administrators.delete(member.id);
    const by = actor(world, group, body, "by");
    return { membership_update_ids: tellMembership(world, group, { member, by, before, after }) };
  };
}

function note(world: World, group: GroupChat, by: User, content: Partial<Message>): object {
  const message = compose(world, group, by, content);
  return { message, update_ids: tellGroup(world, group, message) };
}
