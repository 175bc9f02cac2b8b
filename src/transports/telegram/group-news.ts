import type {
  GroupEvent,
  GroupPerson,
  MemberChange,
  MembersEvent,
  TransportEvent,
} from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign-date.ts";
import { needed, Unreadable } from "../kit/json.ts";
import { chatTypeOf, knownName, nameOf, refOf } from "./names.ts";
import type { TgChat, TgMember, TgMembership, TgMessage, TgUser } from "./update.ts";

/**
 * What a note about a group tells; null for other messages. Every bot in a group gets such notes, whatever its privacy
 * mode; in large groups Telegram writes none of who comes and goes.
 */
export function fromGroupNote(message: TgMessage): TransportEvent[] | null {
  if (chatTypeOf(message.chat) !== "telegroup") return null;
  const ref = refOf(message, "telegroup");
  const by = personOf(message.sender_chat ?? message.from);
  const about = { ref, at: dateFromUnix(message.date), ...(by && { by }) };
  const change = readNote(message, by);
  if (change === null) return null;
  return [
    "members" in change
      ? { kind: "members", ...about, title: knownName(message.chat), ...change }
      : { kind: "group", ...about, ...change },
  ];
}

type Change = Pick<GroupEvent, "title" | "picture"> | Pick<MembersEvent, "members">;

/** Throws `Unreadable` where a note is of a kind that is told on, but does not say what it should. */
function readNote(message: TgMessage, by: GroupPerson | undefined): Change | null {
  const { note } = message;
  if (message.new_chat_title) return { title: needed(note.new_chat_title, "title in the note") };
  if (message.new_chat_photo) return { picture: pictureOf(message) };
  if (message.delete_chat_photo) return { picture: null };
  if (message.new_chat_members) {
    const users = needed(note.new_chat_members, "new member in the note");
    return { members: users.map((user) => change("added", user)) };
  }
  if (!message.left_chat_member) return null;
  const went = change("left", needed(note.left_chat_member, "member in the note"));
  return { members: [went.person.id === by?.id ? went : { ...went, change: "removed" }] };
}

function pictureOf({ note }: TgMessage): NonNullable<GroupEvent["picture"]> {
  const token = note.new_chat_photo?.findLast(({ file_id }) => file_id !== undefined)?.file_id;
  return { token: needed(token, "picture in the note"), mimeType: "image/jpeg" };
}

/**
 * What became of one person's membership. A bot is told of its own, and of everybody's where it is an administrator:
 * also what notes say, so core knows both by the person. `updateId` names a change that has no time.
 */
export function fromMembership(
  { chat, from, date, old_chat_member: before, new_chat_member: after }: TgMembership,
  updateId: string,
): TransportEvent[] {
  if (chatTypeOf(chat) !== "telegroup") return [];
  const user = needed(after?.user ?? before?.user, "member");
  const by = personOf(from);
  return changesBetween(before, after, by?.id).map((what) => ({
    kind: "members",
    // Such updates have no id that is their own; within a second nobody becomes the same twice.
    ref: {
      chatType: "telegroup",
      chatId: needed(chat?.id, "chat id"),
      externalId: `${what}:${user.id}:${date ?? `update ${updateId}`}:${before?.status}:${after?.status}`,
    },
    at: dateFromUnix(date),
    ...(by && { by }),
    title: knownName(chat),
    members: [change(what, user)],
  }));
}

function changesBetween(
  before: TgMember | undefined,
  after: TgMember | undefined,
  by: string | undefined,
): MemberChange["change"][] {
  const [was, is] = [roleOf(before), roleOf(after)];
  if (was === is) return [];
  if (is === null) return [isOwnDoing(after, by) ? "left" : "removed"];
  if (was === null) return is === "administrator" ? ["added", "promoted"] : ["added"];
  return [is === "administrator" ? "promoted" : "demoted"];
}

/** Where Telegram does not say who did it: only those whom others put out are "kicked". */
function isOwnDoing(after: TgMember | undefined, by: string | undefined): boolean {
  return by === undefined ? after?.status === "left" : by === after?.user?.id;
}

/** Null: not in the group. Throws `Unreadable` for a state that is not known. */
function roleOf(member: TgMember | undefined): "administrator" | "member" | null {
  switch (member?.status) {
    case "creator":
    case "administrator":
      return "administrator";
    case "member":
      return "member";
    case "restricted":
      return needed(member.is_member, "is_member") ? "member" : null;
    case "left":
    case "kicked":
      return null;
    default:
      throw new Unreadable(`a member's status is ${String(member?.status)}`);
  }
}

function change(what: MemberChange["change"], user: TgUser): MemberChange {
  return { change: what, person: needed(personOf(user), "id of a member") };
}

/** Anonymous administrators act as the group itself. */
function personOf(who: TgChat | TgUser | undefined): GroupPerson | undefined {
  if (who?.id === undefined) return undefined;
  return { id: who.id, name: nameOf(who), ...(who.username && { username: who.username }) };
}
