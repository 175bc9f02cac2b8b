import { type Static, Type } from "typebox";
import type { Core } from "../../core/core.ts";
import type { NamedChat, RequestedChats } from "../../core/page-ticket/opening.ts";
import { chatsLink } from "../../core/page-ticket/tickets.ts";
import { answerOnce } from "../answer-once.ts";
import { type App, scopeOf } from "../app.ts";
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
  LINK,
  MAX_CHATS,
  neededFor,
  normalOpening,
  pageScope,
  phone,
  someName,
  userId,
  username,
} from "../page-link.ts";
import { errorAnswers, patterned } from "../schema/shapes.ts";

const named = {
  chatType,
  chatId: Type.Optional(chatId),
  username: Type.Optional(username),
  phone: Type.Optional(phone),
};
const filtered = Type.Object({ ...named, name: Type.Optional(contactName) }, someName("chatId"));
const active = Type.Object(
  { ...named, channelId: Type.Optional(patterned("uuid")) },
  { ...someName("chatId"), description: ACTIVE_CHAT },
);

const body = Type.Object(
  {
    user: Type.Object({ id: userId, name: Type.Optional(authorName) }, { description: "The employee" }),
    scope: pageScope,
    filter: Type.Optional(Type.Array(filtered, { maxItems: MAX_CHATS, description: CHATS })),
    activeChat: Type.Optional(active),
    options: Type.Optional(
      Type.Object(
        {
          clientType: Type.Optional(clientType),
          useDealsEvents: Type.Optional(eventSwitch("deals")),
          useMessageEvents: Type.Optional(eventSwitch("messages")),
        },
        { description: EVENTS },
      ),
    ),
  },
  { allOf: [neededFor("card", "filter")] },
);
type Body = Static<typeof body>;

/** `POST /v3/iframe` */
export function iframeRoute(app: App, core: Core): void {
  app.post(
    "/v3/iframe",
    {
      schema: {
        operationId: "linkToChats",
        tags: ["chats"],
        summary: "Create a one-time link to the chat page",
        body,
        response: { 200: Type.Object({ url: LINK }), ...errorAnswers },
      },
      config: { errors: ["CHANNEL_NOT_FOUND"], body: "list", secretAnswer: true },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const opening = normalOpening(openingOf(request.body), (path) => path.replace(/^chats/, "filter"));
        return { url: await chatsLink(core, scopeOf(request), opening) };
      }),
  );
}

/** A filter is meaningless for the whole window. */
function openingOf({ user, scope, filter = [], activeChat, options }: Body): RequestedChats {
  const chats = scope === "card" ? filter : [];
  return {
    userId: user.id,
    authorName: user.name ?? null,
    scope,
    chats: chats.map((each) => ({ ...nameOf(each), contactName: each.name ?? null })),
    activeChat:
      activeChat === undefined
        ? null
        : { ...nameOf(activeChat), channelId: activeChat.channelId?.toLowerCase() ?? null },
    events: { deals: options?.useDealsEvents ?? false, messages: options?.useMessageEvents ?? false },
    clientType: options?.clientType ?? null,
  };
}

function nameOf(chat: Pick<Static<typeof active>, keyof typeof named>): Omit<NamedChat, "contactName"> {
  const { chatType, chatId = null, username = null, phone = null } = chat;
  return { chatType, chatId, username, phone };
}
