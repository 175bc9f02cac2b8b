import { AdminError } from "../../http/fields.ts";
import type { AdminCall, AdminHandler, AdminRoute } from "../../http/route.ts";
import { type Content, receive } from "../chat/conversation.ts";
import { Chat } from "../chat/dialog.ts";
import type { Community } from "../community.ts";
import type { World } from "../world.ts";
import { chatOf } from "./person.ts";

type ChatHandler = (where: { world: World; community: Community; dialog: Chat }, call: AdminCall) => unknown;

/** Chats of several people with the community. */
export function chatRoutes(world: World): AdminRoute[] {
  const onChat = (handler: ChatHandler): AdminHandler => {
    return (call) => {
      const community = world.community(call.params.needInteger("group_id"));
      return handler({ world, community, dialog: chatOf(world, call) }, call);
    };
  };
  const below = "/communities/{group_id}/chats";
  return [
    ["POST", below, (call) => addChat(world, call)],
    [
      "GET",
      below,
      (call) => ({ items: chatsOf(world.community(call.params.needInteger("group_id"))).map(describe) }),
    ],
    ["POST", `${below}/{peer_id}/users`, onChat(invite)],
    ["POST", `${below}/{peer_id}/removals`, onChat(removeMember)],
    ["POST", `${below}/{peer_id}/titles`, onChat(rename)],
    ["POST", `${below}/{peer_id}/promotions`, onChat(promote)],
  ];
}

/** `{title?, user_ids?}`: the first person creates the chat and invites the community. */
function addChat(world: World, { params, body }: AdminCall): unknown {
  const community = world.community(params.needInteger("group_id"));
  const ids = body.list("user_ids")?.map(Number) ?? [...world.users.keys()].slice(-1);
  const people = ids.map((id) => world.user(id));
  const [owner] = people;
  if (!owner) throw new AdminError(400, "invalid_field", "user_ids must not be empty");
  const chat = community.addChat({ title: body.text("title") ?? "Chat", ownerId: owner.id });
  for (const { id } of people) chat.members.add(id);
  const action = { type: "chat_invite_user", member_id: -community.id };
  return { ...describe(chat), ...receive(world, { community, dialog: chat }, owner.id, { action }) };
}

/** `{user_id?, by?}`: a person joins or is invited; without `user_id` the community is invited again. */
function invite({ world, community, dialog }: Parameters<ChatHandler>[0], { body }: AdminCall): unknown {
  const id = body.integer("user_id");
  if (id === undefined) dialog.isMember = true;
  else dialog.members.add(world.user(id).id);
  const by = body.integer("by") ?? dialog.ownerId;
  return tell({ world, community, dialog }, by, {
    action: { type: "chat_invite_user", member_id: id ?? -community.id },
  });
}

/** `{user_id?, by?}`: a person leaves or is removed; without `user_id` the community is removed. */
function removeMember(
  { world, community, dialog }: Parameters<ChatHandler>[0],
  { body }: AdminCall,
): unknown {
  const id = body.integer("user_id");
  const by = body.integer("by") ?? id ?? dialog.ownerId;
  const action = { type: "chat_kick_user", member_id: id ?? -community.id };
  const told = tell({ world, community, dialog }, by, { action });
  if (id === undefined) dialog.isMember = false;
  else dialog.members.delete(id);
  world.changed();
  return told;
}

/** `{user_id?}`: becomes an administrator; without `user_id` the community does. */
function promote({ community, dialog, world }: Parameters<ChatHandler>[0], { body }: AdminCall): unknown {
  dialog.admins.add(body.integer("user_id") ?? -community.id);
  world.changed();
  return describe(dialog);
}

/** `{title, user_id?}` */
function rename({ world, community, dialog }: Parameters<ChatHandler>[0], { body }: AdminCall): unknown {
  dialog.title = body.needText("title");
  const by = body.integer("user_id") ?? dialog.ownerId;
  return tell({ world, community, dialog }, by, {
    action: { type: "chat_title_update", text: dialog.title },
  });
}

function tell(where: Parameters<ChatHandler>[0], by: number, content: Content): unknown {
  if (!where.dialog.isMember) return { message: null, events: 0 };
  return receive(where.world, where, by, content);
}

function chatsOf(community: Community): Chat[] {
  return [...community.dialogs.values()].filter((dialog) => dialog instanceof Chat);
}

function describe({ peerId, title, ownerId, members, admins, photo, isMember, link }: Chat): object {
  return {
    ...{ peer_id: peerId, title, owner_id: ownerId, user_ids: [...members], is_member: isMember },
    ...{ admin_ids: [...admins], photo: photo ?? null, link },
  };
}
