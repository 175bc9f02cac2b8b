import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import type { NamedChat, RequestedChats } from "../../../core/page-ticket/opening.ts";
import { chatsLink } from "../../../core/page-ticket/tickets.ts";
import { snakeCase } from "../../../platform/foreign/snake-case.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import {
  ACTIVE_CHAT,
  authorName,
  CHATS,
  chatId,
  chatType,
  clientType,
  contactName,
  EVENTS,
  eventSwitch,
  MAX_CHATS,
  neededFor,
  normalOpening,
  pageLink,
  pageScope,
  phone,
  someName,
  userId,
  username,
} from "../../page-link.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";

const named = {
  chat_type: chatType,
  chat_id: Type.Optional(chatId),
  username: Type.Optional(username),
  phone: Type.Optional(phone),
};
const chat = strictObject({ ...named, contact_name: Type.Optional(contactName) }, someName("chat_id"));
const active = strictObject(
  { ...named, channel_id: Type.Optional(patterned("uuid")) },
  { ...someName("chat_id"), description: ACTIVE_CHAT },
);

const body = strictObject(
  {
    user_id: userId,
    author_name: Type.Optional(authorName),
    scope: pageScope,
    chats: Type.Optional(Type.Array(chat, { maxItems: MAX_CHATS, description: CHATS })),
    active_chat: Type.Optional(active),
    use_events: Type.Optional(
      strictObject(
        {
          deals: Type.Optional(eventSwitch("deals")),
          messages: Type.Optional(eventSwitch("messages")),
        },
        { description: EVENTS },
      ),
    ),
    client_type: Type.Optional(clientType),
  },
  {
    allOf: [
      neededFor("card", "chats"),
      {
        if: { properties: { scope: { const: "global" } }, required: ["scope"] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { title: "GlobalLink", properties: { chats: false } },
      },
    ],
  },
);
type Body = Static<typeof body>;

/** `POST /v2/iframe-links/chats` */
export function chatsLinkRoute(app: App, core: Core): void {
  app.post(
    "/v2/iframe-links/chats",
    {
      schema: {
        operationId: "linkToChatsPage",
        tags: ["chats"],
        summary: "Create a one-time link to the chat page",
        body,
        response: { 200: envelope(pageLink), ...errorAnswers },
      },
      config: { errors: ["CHANNEL_NOT_FOUND"], body: "list", secretAnswer: true },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const opening = normalOpening(openingOf(request.body), snakeCase);
        return enveloped(core, { link: await chatsLink(core, scopeOf(request), opening) });
      }),
  );
}

function openingOf(from: Body): RequestedChats {
  const { active_chat: activeChat, use_events: events } = from;
  return {
    userId: from.user_id,
    authorName: from.author_name ?? null,
    scope: from.scope,
    chats: (from.chats ?? []).map((each) => ({ ...nameOf(each), contactName: each.contact_name ?? null })),
    activeChat:
      activeChat === undefined
        ? null
        : { ...nameOf(activeChat), channelId: activeChat.channel_id?.toLowerCase() ?? null },
    events: { deals: events?.deals ?? false, messages: events?.messages ?? false },
    clientType: from.client_type ?? null,
  };
}

function nameOf(chat: Pick<Static<typeof active>, keyof typeof named>): Omit<NamedChat, "contactName"> {
  const { chat_type: chatType, chat_id: chatId = null, username = null, phone = null } = chat;
  return { chatType, chatId, username, phone };
}
