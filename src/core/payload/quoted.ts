import type { Static } from "typebox";
import type { MessageExtras } from "../transport/message.ts";
import { reportedStatus } from "../transport/message.ts";
import type { MessageDetails, MessageFact, QuotedFact } from "./facts.ts";
import type { MessageItem, quotedItem as shape } from "./v3-shapes.ts";

/** `quotedMessage` of v3; the object of v2 has other names. Pure, like all functions below. */
export function quotedItem(
  { channelId, chatType, chatId }: MessageFact,
  quoted: QuotedFact,
): Static<typeof shape> {
  return {
    ...given("messageId", quoted.messageId),
    channelId,
    chatType,
    chatId,
    ...given("dateTime", quoted.sentAt?.toISOString() ?? null),
    type: quoted.type,
    ...given("status", quoted.status === null ? null : reportedStatus(quoted.status)),
    ...given("text", quoted.text),
    ...given("contentUri", quoted.contentUri),
    ...(quoted.isEcho === false ? {} : given("authorName", quoted.authorName)),
    ...given("isEcho", quoted.isEcho),
    ...(quoted.contact === null ? {} : { contact: contactItem(quoted.contact) }),
    ...(quoted.details === null ? {} : detailItems(quoted.details)),
  };
}

/** `contact` of a message. */
export function contactItem(contact: MessageFact["contact"]): MessageItem["contact"] {
  return {
    name: contact.name,
    ...given("avatarUri", contact.avatarUri),
    ...given("username", contact.username),
    ...given("phone", contact.phone),
    ...given("avitoProfileId", contact.profileId),
  };
}

type DetailItems = Pick<
  MessageItem,
  | "error"
  | "authorId"
  | "sentFromApp"
  | "sender"
  | "instPost"
  | Exclude<keyof MessageExtras, "post">
  | "interactive"
  | "isEdited"
  | "isDeleted"
  | "oldInfo"
>;

/** The fields that a message has only if they apply to it. */
export function detailItems({ error, interactive, extras, ...of }: MessageDetails): DetailItems {
  const { post, ...others } = extras;
  return {
    ...(error === null ? {} : { error: { error: error.code, description: error.description } }),
    ...given("authorId", of.authorId),
    ...(of.sentFromApp ? { sentFromApp: true } : {}),
    ...given("sender", of.sender),
    ...(post === undefined ? {} : { instPost: post }),
    ...others,
    ...(interactive.length === 0 ? {} : { interactive: [...interactive] }),
    ...(of.isEdited ? { isEdited: true } : {}),
    ...(of.isDeleted ? { isDeleted: true } : {}),
    ...given("oldInfo", of.oldInfo),
  };
}

/** An object with this field, or without it if the value is null. */
export function given<K extends string, V>(key: K, value: V | null): { [k in K]?: V } {
  return value === null ? {} : ({ [key]: value } as { [k in K]: V });
}
