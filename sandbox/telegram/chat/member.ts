import type { User } from "../shape.ts";
import type { Membership } from "./chat.ts";

/** https://core.telegram.org/bots/api#chatmember */
export function memberShape(user: User, membership: Membership): Readonly<Record<string, unknown>> {
  switch (membership) {
    case "kicked":
      return { user, status: "kicked", until_date: 0 };
    case "administrator":
      return { user, status: "administrator", ...administratorRights };
    default:
      return { user, status: membership };
  }
}

const administratorRights = {
  can_be_edited: false,
  is_anonymous: false,
  can_manage_chat: true,
  can_delete_messages: true,
  can_manage_video_chats: true,
  can_restrict_members: true,
  can_promote_members: false,
  can_change_info: true,
  can_invite_users: true,
  can_post_stories: false,
  can_edit_stories: false,
  can_delete_stories: false,
  can_pin_messages: true,
};
