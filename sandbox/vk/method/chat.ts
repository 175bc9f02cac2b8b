import { type GroupCall, groupMethod, type MethodTable } from "../call/call.ts";
import { badParam, VkError } from "../call/vk-error.ts";
import { Chat } from "../chat/dialog.ts";
import { chatOffset } from "../shape.ts";
import { photoFields } from "../upload/media.ts";

const maxTitle = 128;

/** Chats of a community: what its key may do (dev.vk.com, "messages", methods for communities). */
export const chatMethods: MethodTable = {
  "messages.createChat": groupMethod("messages", { user_ids: "integers", title: "text" }, createChat),
  "messages.editChat": groupMethod("messages", { chat_id: "integer", title: "text" }, (call) => {
    const chat = ownChat(call);
    chat.title = titleIn(call);
    call.world.changed();
    return 1;
  }),
  "photos.getChatUploadServer": groupMethod(
    "photos",
    { chat_id: "integer", crop_x: "integer", crop_y: "integer", crop_width: "integer" },
    (call) => {
      const chatId = ownChat(call).peerId - chatOffset;
      return { upload_url: call.world.uploads.open("chat_photo", call.community.id, chatId) };
    },
  ),
  "messages.setChatPhoto": groupMethod("messages", { file: "text" }, setPhoto),
  "messages.deleteChatPhoto": groupMethod("messages", { chat_id: "integer" }, (call) => {
    const chat = ownChat(call);
    chat.photo = undefined;
    call.world.changed();
    return { message_id: 0, chat: describeChat(chat) };
  }),
  "messages.removeChatUser": groupMethod(
    "messages",
    { chat_id: "integer", user_id: "integer", member_id: "integer" },
    removeUser,
  ),
  "messages.getInviteLink": groupMethod(
    "messages",
    { peer_id: "integer", reset: "flag" },
    ({ params, community }) => {
      const chat = community.dialogs.get(params.needInteger("peer_id"));
      if (!(chat instanceof Chat) || !chat.isMember) throw new VkError(917);
      if (!chat.isRunBy(community.id)) throw new VkError(919);
      return { link: chat.link };
    },
  ),
  // Communities cannot add people to an existing chat.
  "messages.addChatUser": {
    caller: "user",
    params: { chat_id: "integer", user_id: "integer", visible_messages_count: "integer" },
    run: () => {
      throw new VkError(15, "not emulated for people");
    },
  },
};

/** Adds those who accept messages of the community and allow to be added; the response names them. */
function createChat(call: GroupCall): unknown {
  const { params, world, community } = call;
  const ids = [...new Set(params.integers("user_ids") ?? [])];
  if (ids.some((id) => !world.users.has(id))) throw new VkError(936);
  const chat = community.addChat({ title: titleIn(call), ownerId: -community.id });
  const added = ids.filter((id) => {
    const user = world.user(id);
    const dialog = community.dialogWith(user);
    return dialog.allowed && !dialog.banned && !user.deactivated && user.refuses_chats !== true;
  });
  for (const id of added) chat.members.add(id);
  world.changed();
  return { chat_id: chat.peerId - chatOffset, peer_ids: added };
}

function titleIn({ params }: GroupCall): string {
  const title = params.needText("title");
  if ([...title].length > maxTitle) throw badParam("title is too long");
  return title;
}

/** The chat of `chat_id`, which the community must administer. */
function ownChat({ params, community }: GroupCall): Chat {
  return runBy(community, community.dialogs.get(chatOffset + params.needInteger("chat_id")));
}

function runBy(community: GroupCall["community"], chat: unknown): Chat {
  if (!(chat instanceof Chat) || !chat.isMember) throw new VkError(917);
  if (!chat.isRunBy(community.id)) throw new VkError(925);
  return chat;
}

/** The upload names the chat, as that of the platform does. */
function setPhoto({ params, world, community }: GroupCall): unknown {
  const { chatId, uploaded } = world.uploads.takeChatPhoto(params.needText("file"));
  if (uploaded.groupId !== community.id || !uploaded.size) throw new VkError(129);
  const chat = runBy(community, community.dialogs.get(chatOffset + chatId));
  const { sizes } = photoFields(world.files, uploaded.file, uploaded.size, world.clock.now());
  chat.photo = sizes.at(-1)?.url;
  world.changed();
  return { message_id: 0, chat: describeChat(chat) };
}

function removeUser(call: GroupCall): unknown {
  const { params, world, community } = call;
  const chat = ownChat(call);
  const id = params.integer("member_id") ?? params.needInteger("user_id");
  if (id === -community.id) {
    chat.isMember = false;
    return 1;
  }
  if (!chat.members.has(id)) throw new VkError(935);
  if (id === chat.ownerId) throw new VkError(925);
  chat.members.delete(id);
  chat.admins.delete(id);
  world.changed();
  return 1;
}

function describeChat(chat: Chat): object {
  const { peerId, title, ownerId, members, photo } = chat;
  return {
    id: peerId - chatOffset,
    type: "chat",
    title,
    admin_id: ownerId,
    users: [...members],
    members_count: members.size + 1,
    is_default_photo: photo === undefined,
    ...(photo !== undefined && { photo_50: photo, photo_100: photo, photo_200: photo }),
  };
}
