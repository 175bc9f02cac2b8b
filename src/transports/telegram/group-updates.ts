import type {
  GroupEvent,
  GroupPerson,
  MemberChange,
  MembersEvent,
  TransportEvent,
} from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required, Unreadable } from "../kit/json.ts";
import type { TgChat, TgUser } from "./content.ts";
import { chatTypeOf, knownName, nameOf, refOf } from "./names.ts";
import type { TgMember, TgMembership, TgMessage } from "./update.ts";

/**
 * Maps a service message about a group; null for other messages. Every bot in a group receives service messages,
 * whatever its privacy mode; large groups get none for joining and leaving members.
 */
export function fromServiceMessage(message: TgMessage): TransportEvent[] | null {
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

/** Throws `Unreadable` if a supported service message lacks its data. */
function readNote(message: TgMessage, by: GroupPerson | undefined): Change | null {
  const { note } = message;
  if (message.new_chat_title) return { title: required(note.new_chat_title, "title") };
  if (message.new_chat_photo) return { picture: pictureOf(message) };
  if (message.delete_chat_photo) return { picture: null };
  if (message.new_chat_members) {
    const users = required(note.new_chat_members, "new member");
    return { members: users.map((user) => change("added", user)) };
  }
  if (!message.left_chat_member) return null;
  const left = change("left", required(note.left_chat_member, "member"));
  return { members: [left.person.id === by?.id ? left : { ...left, change: "removed" }] };
}

function pictureOf({ note }: TgMessage): NonNullable<GroupEvent["picture"]> {
  const token = note.new_chat_photo?.findLast(({ file_id }) => file_id !== undefined)?.file_id;
  return { token: required(token, "picture"), mimeType: "image/jpeg" };
}

/**
 * Maps a change of one person's membership. A bot receives its own changes, and everyone's if it is an administrator.
 * Service messages report the same changes, so core deduplicates by person. `updateId` identifies a change without a
 * time.
 */
export function fromMembership(
  { chat, from, date, old_chat_member: before, new_chat_member: after }: TgMembership,
  updateId: string,
): TransportEvent[] {
  if (chatTypeOf(chat) !== "telegroup") return [];
  const user = required(after?.user ?? before?.user, "member");
  const by = personOf(from);
  return changesBetween(before, after, by?.id).map((what) => ({
    kind: "members",
    // Such updates have no id of their own. A person cannot get the same status twice within a second.
    ref: {
      chatType: "telegroup",
      chatId: required(chat?.id, "chat id"),
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
  if (is === null) return [isSelfInitiated(after, by) ? "left" : "removed"];
  if (was === null) return is === "administrator" ? ["added", "promoted"] : ["added"];
  return [is === "administrator" ? "promoted" : "demoted"];
}

/** Used if Telegram does not say who acted: only members removed by others are "kicked". */
function isSelfInitiated(after: TgMember | undefined, by: string | undefined): boolean {
  return by === undefined ? after?.status === "left" : by === after?.user?.id;
}

/** Returns null for a person outside the group. Throws `Unreadable` for an unknown status. */
function roleOf(member: TgMember | undefined): "administrator" | "member" | null {
  switch (member?.status) {
    case "creator":
    case "administrator":
      return "administrator";
    case "member":
      return "member";
    case "restricted":
      return required(member.is_member, "is_member") ? "member" : null;
    case "left":
    case "kicked":
      return null;
    default:
      throw new Unreadable(`unknown member status ${String(member?.status)}`);
  }
}

function change(what: MemberChange["change"], user: TgUser): MemberChange {
  return { change: what, person: required(personOf(user), "id of a member") };
}

/** Anonymous administrators act as the group itself. */
function personOf(who: TgChat | TgUser | undefined): GroupPerson | undefined {
  if (who?.id === undefined) return undefined;
  return { id: who.id, name: nameOf(who), ...(who.username && { username: who.username }) };
}
