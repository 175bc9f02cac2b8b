import { type Static, Type } from "typebox";
import type { ErrorCode } from "../../../core/errors.ts";
import type { DoneChange, GroupKey } from "../../../core/group/call.ts";
import { type GivenPerson, givenNameOf } from "../../../core/group/people.ts";
import {
  GROUP_ROLES,
  type Group,
  PERSON_RESULTS,
  type PersonOutcome,
} from "../../../core/transport/groups.ts";
import { nullableString, patterned, strictObject, uuidText } from "../../schema/shapes.ts";
import { chatTypeShape } from "../chats/chat-path.ts";

/** More than any messenger allows in one request. */
const MAX_PEOPLE = 1_000;

/** A person in a request. */
const personShape = strictObject(
  {
    chat_id: Type.Optional(
      patterned("printable", {
        maxLength: 255,
        description: "Id of the person in the messenger, as in `sender.id` of messages",
      }),
    ),
    phone: Type.Optional(
      patterned("printable", { maxLength: 255, description: "Phone number with its country code" }),
    ),
    username: Type.Optional(
      patterned("printable", { maxLength: 255, description: "Username, where the messenger has them" }),
    ),
  },
  { description: "A person: one of chat_id, phone and username" },
);
export const peopleShape = (description: string) =>
  Type.Array(personShape, { maxItems: MAX_PEOPLE, description });

export const nameShape = Type.String({ minLength: 1, maxLength: 255, description: "Name of the group" });
export const channelIdShape = patterned("uuid", { description: "The channel" });

/** `{chat_id}` of a group in a path. */
export const groupPath = Type.Object({
  chat_id: patterned("printable", { maxLength: 255, description: "The group's id in the messenger" }),
});

const keyFields = {
  channel_id: uuidText({ description: "The channel" }),
  chat_type: chatTypeShape,
  chat_id: Type.String({ description: "The group's id in the messenger" }),
};
const memberShape = Type.Object(
  {
    chat_id: Type.String({ description: "Id of the person in the messenger, as in `sender.id` of messages" }),
    name: Type.String({ description: "Name in the messenger; empty if unknown" }),
    username: { ...nullableString, description: "Username without @" },
    phone: { ...nullableString, description: "International, digits only" },
    role: Type.Enum([...GROUP_ROLES], { description: "Role in the group" }),
    is_own: Type.Boolean({ description: "Whether it is the channel's account" }),
  },
  { description: "A member" },
);
const groupFields = {
  ...keyFields,
  name: Type.String({ description: "Name of the group" }),
  participants_count: Type.Integer({ description: "Number of members" }),
  participants: Type.Array(memberShape, {
    description: "The members, with the channel's account; of a large group not all",
  }),
};
const outcomeFields = {
  participant: Type.Object(
    {
      chat_id: Type.Optional(Type.String()),
      phone: Type.Optional(Type.String()),
      username: Type.Optional(Type.String()),
    },
    { description: "The person as the request names them" },
  ),
  chat_id: { ...nullableString, description: "Id of the person in the messenger, if known" },
  result: Type.Enum([...PERSON_RESULTS], {
    description:
      "done; invitation_needed: the person's settings let them join by an invitation only; unknown: there is no such account; already: they are a member or have the role; not_a_member; left_recently: they can only return by themselves; full: the group or the person's list of groups; protected: they cannot be changed by the channel's account; refused",
  }),
  details: { ...nullableString, description: "The messenger's own reason" },
};

export const groupShape = Type.Object(groupFields);
export const createdShape = Type.Object({
  ...groupFields,
  results: Type.Array(Type.Object(outcomeFields), {
    description: "What became of each person of the request",
  }),
});
export const changedShape = Type.Object({
  ...keyFields,
  results: Type.Array(
    Type.Object({
      change: Type.Enum(["add", "remove", "promote", "demote"], { description: "The change" }),
      ...outcomeFields,
    }),
    { description: "What became of each person of the request" },
  ),
});

export function keyItem({ channelId, chatType, chatId }: GroupKey) {
  return { channel_id: channelId, chat_type: chatType, chat_id: chatId };
}

export function groupItem(key: GroupKey, { name, size, members }: Group): Static<typeof groupShape> {
  return {
    ...keyItem(key),
    name,
    participants_count: size,
    participants: members.map((member) => ({
      chat_id: member.id,
      name: member.name,
      username: member.username ?? null,
      phone: member.phone ?? null,
      role: member.role,
      is_own: member.isOwn === true,
    })),
  };
}

export function outcomeItem({ person, id, result, data }: PersonOutcome) {
  const { chatId, phone, username } = givenNameOf(person);
  return {
    participant: {
      ...(chatId === undefined ? {} : { chat_id: chatId }),
      ...(phone === undefined ? {} : { phone }),
      ...(username === undefined ? {} : { username }),
    },
    chat_id: id ?? null,
    result,
    details: data ?? null,
  };
}

export function changedItems(done: readonly DoneChange[]): Static<typeof changedShape>["results"] {
  return done.flatMap(({ change, people }) =>
    change === "rename" || change === "picture"
      ? []
      : people.map((outcome) => ({ change, ...outcomeItem(outcome) })),
  );
}

export function peopleOf(people: Static<ReturnType<typeof peopleShape>> = []): GivenPerson[] {
  return people.map(({ chat_id: chatId, ...rest }) => ({ ...rest, chatId }));
}

/** Errors of every call about a group. */
export const GROUP_ERRORS = [
  "CHANNEL_NOT_FOUND",
  "CHANNEL_INVALID_TRANSPORT",
  "CHANNEL_BLOCKED",
  "CHANNEL_NO_MONEY",
  "MESSAGE_CHANNEL_UNAVAILABLE",
  "MESSENGER_UNAVAILABLE",
  "GROUP_REFUSED",
  "GROUP_LIMIT_REACHED",
] as const satisfies readonly ErrorCode[];
export const OF_EXISTING = ["GROUP_NOT_FOUND", "GROUP_NOT_A_MEMBER"] as const satisfies readonly ErrorCode[];
/** Errors of calls with people and names. */
export const WITH_PEOPLE = [
  "GROUP_PARTICIPANT_NOT_FOUND",
  "GROUP_TOO_MANY_PARTICIPANTS",
  "GROUP_NAME_REFUSED",
  "GROUP_OUTCOME_UNKNOWN",
] as const satisfies readonly ErrorCode[];
