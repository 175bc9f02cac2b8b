import type { Chat, ChatMember, ChatMemberUpdated, Message, User } from "@grammyjs/types";
import type {
  GroupEvent,
  GroupPerson,
  MemberChange,
  MembersEvent,
  TransportEvent,
} from "../../core/transport/events.ts";
import { chatTypeOf, fromUnix, nameOf, refOf } from "./names.ts";

/**
 * What a note about a group tells; null for other messages. Every bot in a group gets such notes, whatever its privacy
 * mode; in large groups Telegram writes none of who comes and goes.
 */
export function fromGroupNote(message: Message): TransportEvent[] | null {
  if (chatTypeOf(message.chat) !== "telegroup") return null;
  const ref = refOf(message, "telegroup");
  const by = personOf(message.sender_chat ?? message.from);
  const about = { ref, at: fromUnix(message.date), ...(by && { by }) };
  const change = readNote(message, by);
  if (change === null) return null;
  return [
    "members" in change
      ? { kind: "members", ...about, title: nameOf(message.chat), ...change }
      : { kind: "group", ...about, ...change },
  ];
}

type Change = Pick<GroupEvent, "title" | "picture"> | Pick<MembersEvent, "members">;

function readNote(message: Message, by: GroupPerson | undefined): Change | null {
  const { new_chat_title, new_chat_photo, new_chat_members, left_chat_member } = message;
  if (new_chat_title !== undefined) return { title: new_chat_title };
  const picture = new_chat_photo?.at(-1);
  if (picture !== undefined) return { picture: { token: picture.file_id, mimeType: "image/jpeg" } };
  if (message.delete_chat_photo) return { picture: null };
  if (new_chat_members !== undefined)
    return { members: new_chat_members.map((user) => change("added", user)) };
  if (left_chat_member === undefined) return null;
  const went = change("left", left_chat_member);
  return { members: [went.person.id === by?.id ? went : { ...went, change: "removed" }] };
}

/**
 * What became of one person's membership. A bot is told of its own, and of everybody's where it is an administrator:
 * also what notes say, so core knows both by the person.
 */
export function fromMembership({
  chat,
  from,
  date,
  old_chat_member: before,
  new_chat_member: after,
}: ChatMemberUpdated): TransportEvent[] {
  if (chatTypeOf(chat) !== "telegroup") return [];
  const { user } = after;
  const by = personOf(from);
  return changesBetween(before, after, from).map((what) => ({
    kind: "members",
    // Such updates have no id that is their own; within a second nobody becomes the same twice.
    ref: {
      chatType: "telegroup",
      chatId: String(chat.id),
      externalId: `${what}:${user.id}:${date}:${before.status}:${after.status}`,
    },
    at: fromUnix(date),
    ...(by && { by }),
    title: nameOf(chat),
    members: [change(what, user)],
  }));
}

function changesBetween(before: ChatMember, after: ChatMember, from: User): MemberChange["change"][] {
  const [was, is] = [roleOf(before), roleOf(after)];
  if (was === is) return [];
  if (is === null) return [from.id === after.user.id ? "left" : "removed"];
  if (was === null) return is === "administrator" ? ["added", "promoted"] : ["added"];
  return [is === "administrator" ? "promoted" : "demoted"];
}

/** Null: not in the group. */
function roleOf(member: ChatMember): "administrator" | "member" | null {
  switch (member.status) {
    case "creator":
    case "administrator":
      return "administrator";
    case "member":
      return "member";
    case "restricted":
      return member.is_member ? "member" : null;
    case "left":
    case "kicked":
      return null;
  }
}

function change(what: MemberChange["change"], user: User): MemberChange {
  const { id, username } = user;
  return { change: what, person: { id: String(id), name: nameOf(user), ...(username && { username }) } };
}

/** Anonymous administrators act as the group itself. */
function personOf(who: Chat | User | undefined): GroupPerson | undefined {
  return who && { id: String(who.id), name: nameOf(who), ...(who.username && { username: who.username }) };
}
