import type {
  GroupEvent,
  GroupPerson,
  MemberChange,
  MembersEvent,
  MessageRef,
  TransportEvent,
} from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { required } from "../../kit/json.ts";
import { type Known, nameOf, personOf } from "../people/names.ts";
import { photoRef } from "./file-token.ts";
import { chatIdOf, type TgMessage, type TgUpdate } from "./update.ts";

type Change =
  | Pick<GroupEvent, "title" | "picture">
  | { readonly members: readonly MemberChange[]; readonly title?: string }
  | { readonly newChatId: string }
  | { readonly formerChatId: string };

/**
 * Maps a service message about a group (TL type `MessageAction`); other actions map to nothing. Throws `Unreadable`
 * if required data is missing.
 */
export function fromGroupNotice(message: TgMessage, ref: MessageRef, known: Known): TransportEvent[] {
  const by = chatIdOf(message.fromId);
  const change = readNotice(message, ref, { known, by });
  if (change === null) return [];
  const { chatType, chatId } = ref;
  if ("newChatId" in change) return [{ kind: "moved", chatType, chatId, newChatId: change.newChatId }];
  if ("formerChatId" in change)
    return [{ kind: "moved", chatType, chatId: change.formerChatId, newChatId: chatId }];
  const about = {
    ref,
    at: dateFromUnix(message.date),
    ...(by !== undefined && { by: personOf(by, known) }),
  };
  if (!("members" in change)) return [{ kind: "group", ...about, ...change }];
  return membersEvent({ ...about, title: change.title ?? nameOf(known.get(chatId)) }, change.members);
}

interface Actors {
  readonly known: Known;
  /** The person who made the change. */
  readonly by: string | undefined;
}

function readNotice(message: TgMessage, ref: MessageRef, { known, by }: Actors): Change | null {
  const { action = {} } = message;
  const added = (ids: readonly (string | undefined)[]): readonly MemberChange[] =>
    people(ids, known).map((person) => ({ change: "added", person }));
  switch (action._) {
    case "messageActionChatEditTitle":
      return { title: required(action.title, "title") };
    case "messageActionChatEditPhoto": {
      const place = { chatId: ref.chatId, messageId: ref.externalId };
      return { picture: required(photoRef(action.photo, place), "picture") };
    }
    case "messageActionChatDeletePhoto":
      return { picture: null };
    case "messageActionChatCreate": {
      const members = added([by, ...(action.users ?? [])]);
      return { members, ...(action.title !== undefined && { title: action.title }) };
    }
    case "messageActionChatAddUser":
      return { members: added(required(action.users, "member")) };
    case "messageActionChatJoinedByLink":
    case "messageActionChatJoinedByRequest":
      return { members: added([required(by, "member")]) };
    case "messageActionChatDeleteUser": {
      const [person] = people([action.userId], known);
      const gone = required(person, "member");
      return { members: [{ change: gone.id === by ? "left" : "removed", person: gone }] };
    }
    case "messageActionChatMigrateTo":
      return { newChatId: required(chatIdOf({ channelId: action.channelId }), "group") };
    case "messageActionChannelMigrateFrom":
      return { formerChatId: required(chatIdOf({ chatId: action.chatId }), "group") };
    default:
      return null;
  }
}

function people(ids: readonly (string | undefined)[], known: Known): GroupPerson[] {
  const chatIds = ids.flatMap((id) => {
    const chatId = chatIdOf({ userId: id });
    return chatId === undefined ? [] : [chatId];
  });
  return [...new Set(chatIds)].map((chatId) => personOf(chatId, known));
}

function membersEvent(
  about: Omit<MembersEvent, "kind" | "members">,
  members: readonly MemberChange[],
): TransportEvent[] {
  if (members.length === 0) required(undefined, "member");
  return [{ kind: "members", ...about, members }];
}

/** Changes of a small group's administrators have a separate update (`updateChatParticipantAdmin`). */
export function fromAdminUpdate(update: TgUpdate, known: Known, now: Date): TransportEvent[] {
  const chatId = required(chatIdOf({ chatId: update.chatId }), "group");
  const userId = required(chatIdOf({ userId: update.userId }), "member");
  const change = required(update.isAdmin, "isAdmin") ? "promoted" : "demoted";
  const externalId = `${change}:${userId}:${update.version ?? ""}`;
  return [
    {
      kind: "members",
      ref: { chatType: "telegroup", chatId, externalId },
      at: wholeSecond(now),
      title: nameOf(known.get(chatId)),
      members: [{ change, person: personOf(userId, known) }],
    },
  ];
}

/**
 * The time of a change that Telegram reports without one. Other times of Telegram are whole seconds; a later change within
 * the same second must not seem to be the older one.
 */
export function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1_000) * 1_000);
}
