import { type GroupCall, groupMethod, type MethodTable } from "../call/call.ts";
import { badParam, VkError } from "../call/vk-error.ts";
import { Chat, type Dialog } from "../chat/dialog.ts";
import { communityShape, userShape } from "../chat/profile.ts";
import { chatOffset } from "../shape.ts";
import { extended, page } from "./history.ts";
import { knownDialog } from "./target.ts";

/** Conversations, their members, and people's permission for messages. */
export const conversationMethods: MethodTable = {
  "messages.getConversations": groupMethod(
    "messages",
    { offset: "integer", count: "integer", filter: "text", start_message_id: "integer", ...extended },
    getConversations,
  ),
  "messages.getConversationsById": groupMethod("messages", { peer_ids: "integers", ...extended }, (call) => {
    const { params, community } = call;
    const peerIds = params.integers("peer_ids");
    if (!peerIds) throw badParam("peer_ids is undefined");
    const dialogs = peerIds.map((id) => community.dialogs.get(id)).filter((dialog) => dialog !== undefined);
    return { count: dialogs.length, items: dialogs.map((each) => describeDialog(each, community.id)) };
  }),
  "messages.getConversationMembers": groupMethod(
    "messages",
    { peer_id: "integer", offset: "integer", count: "integer", member_ids: "integers", ...extended },
    getMembers,
  ),
  "messages.isMessagesFromGroupAllowed": groupMethod("messages", { user_id: "integer" }, (call) => {
    const dialog = call.community.dialogs.get(call.params.needInteger("user_id"));
    return { is_allowed: dialog?.allowed && !dialog.banned ? 1 : 0 };
  }),
};

/** Newest conversation first. */
function getConversations(call: GroupCall): unknown {
  const { params, community } = call;
  const filter = params.oneOf("filter", ["all", "unread", "important", "unanswered", "archive"], "all");
  const dialogs = [...community.dialogs.values()]
    .filter(
      (dialog) => dialog.lastCmid > 0 && (filter === "all" || (filter !== "archive" && isUnread(dialog))),
    )
    .toSorted((a, b) => (b.newest()[0]?.date ?? 0) - (a.newest()[0]?.date ?? 0));
  const items = page(call, dialogs).map((dialog) => {
    const [last] = dialog.newest();
    return { conversation: describeDialog(dialog, community.id), ...(last && { last_message: last }) };
  });
  return { count: dialogs.length, items };
}

function isUnread(dialog: Dialog): boolean {
  return dialog.newest().some(({ out, conversation_message_id: cmid }) => out === 0 && cmid > dialog.inRead);
}

function describeDialog(dialog: Dialog, groupId: number): object {
  const messages = dialog.newest();
  const idOf = (cmid: number) => dialog.get(cmid)?.id ?? 0;
  const unread = messages.filter(
    ({ out, conversation_message_id: cmid }) => out === 0 && cmid > dialog.inRead,
  );
  const isChat = dialog instanceof Chat;
  const localId = isChat ? dialog.peerId - chatOffset : dialog.peerId;
  return {
    peer: { id: dialog.peerId, type: isChat ? "chat" : "user", local_id: localId },
    version: 10_000 + dialog.lastCmid,
    last_message_id: messages[0]?.id ?? 0,
    last_conversation_message_id: dialog.lastCmid,
    in_read: idOf(dialog.inRead),
    out_read: idOf(dialog.outRead),
    ...(unread.length > 0 && { unread_count: unread.length }),
    can_write: { allowed: dialog.allowed && !dialog.banned },
    ...(dialog.keyboard && { current_keyboard: dialog.keyboard }),
    ...(isChat && { chat_settings: chatSettings(dialog, groupId) }),
  };
}

function chatSettings(chat: Chat, groupId: number): object {
  const { ownerId, title, isMember, members, admins, photo } = chat;
  return {
    owner_id: ownerId,
    title,
    state: isMember ? "in" : "kicked",
    members_count: members.size + (isMember ? 1 : 0),
    active_ids: [...members].slice(0, 4),
    admin_ids: [...admins],
    acl: chatRights(chat.isRunBy(groupId)),
    is_group_channel: false,
    ...(photo !== undefined && { photo: { photo_50: photo, photo_100: photo, photo_200: photo } }),
  };
}

/** The rights of a community in a chat, by whether it administers the chat. It can never add people. */
function chatRights(isAdmin: boolean): object {
  return {
    can_change_info: isAdmin,
    can_change_invite_link: isAdmin,
    can_change_pin: isAdmin,
    can_invite: false,
    can_promote_users: false,
    can_see_invite_link: isAdmin,
    can_moderate: isAdmin,
    can_copy_chat: false,
    can_call: false,
    can_use_mass_mentions: false,
  };
}

function getMembers(call: GroupCall): unknown {
  const { params, community, world } = call;
  const dialog = knownDialog(call, params.needInteger("peer_id"));
  if (!(dialog instanceof Chat)) throw new VkError(917);
  const people = [...dialog.members];
  const items = [...people, -community.id].map((id) => ({
    member_id: id,
    join_date: world.clock.now(),
    invited_by: dialog.ownerId,
    is_admin: dialog.isAdmin(id),
    is_owner: id === dialog.ownerId,
    can_kick: dialog.isRunBy(community.id) && id !== dialog.ownerId && id !== -community.id,
  }));
  const profiles = people.map((id) => world.users.get(id)).filter((user) => user !== undefined);
  return {
    count: items.length,
    items: page(call, items),
    profiles: profiles.map((user) => userShape(world, user, [])),
    groups: [communityShape(world, community, [])],
  };
}
