import { Type } from "typebox";
import { findNamed } from "../../../core/chat/by-name.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { authorNameOf } from "../../../core/inbox/author.ts";
import { rememberEmployee } from "../../../core/inbox/colleagues.ts";
import type { InboxSession } from "../../../core/inbox/reach.ts";
import type { ChatsOpening } from "../../../core/page-ticket/opening.ts";
import { openChatsSession, type PageSession } from "../../../core/page-ticket/sessions.ts";
import { isUuid } from "../../../platform/ids.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString, nullableUuid } from "../../schema/shapes.ts";
import { refuseMovedProof } from "../session.ts";

const activeChat = Type.Object({
  chat_id: { ...nullableString, description: "Our id of the chat; null: it does not exist yet" },
  channel_id: nullableUuid,
  chat_type: Type.String(),
  messenger_chat_id: nullableString,
  username: nullableString,
  phone: nullableString,
  name: nullableString,
});

const answer = Type.Object({
  token: Type.String({ description: "Send it as a bearer token, and keep it in memory only" }),
  expires_in: Type.Integer({ description: "Seconds" }),
  user: Type.Object({ id: Type.String(), name: nullableString }),
  scope: Type.Unsafe<"global" | "card">({ type: "string", enum: ["global", "card"] }),
  active_chat: Type.Union([activeChat, Type.Null()]),
  crm: Type.Boolean({ description: "The page may show contacts and deals" }),
  events: Type.Object({ deals: Type.Boolean(), messages: Type.Boolean() }),
  client_type: nullableString,
  position: Type.String({
    description: "`Last-Event-ID` of a stream that reports every change since the session was opened",
  }),
});

/** `POST /app/api/chat-sessions`: the chat page exchanges its one-time ticket for a session. */
export function chatSessionRoute(app: App, core: Core): void {
  app.post(
    "/app/api/chat-sessions",
    {
      schema: {
        operationId: "openChatSession",
        tags: ["pages"],
        summary: "Open a session of the chat page",
        body: Type.Object({
          ticket: Type.String({ minLength: 1, maxLength: 500, description: "From the page's address" }),
        }),
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: ["NOT_FOUND"] },
    },
    async ({ body: { ticket } }) => {
      const opened = await openChatsSession(core, ticket);
      if (opened === null) {
        await refuseMovedProof(core, { ticket });
        throw new AppError("NOT_FOUND");
      }
      const { token, opening, scope, seconds } = opened;
      const [{ now: position }] = await Promise.all([
        core.live.start(scope.accountId),
        rememberEmployee(core, { scope, opening }),
      ]);
      return {
        token,
        expires_in: seconds,
        user: { id: opening.userId, name: await authorNameOf(core, { scope, opening }) },
        scope: opening.scope,
        active_chat: await activeChatOf(core, scope.accountId, opening),
        crm: opening.crm,
        events: { ...opening.events },
        client_type: opening.clientType,
        position: String(position),
      };
    },
  );
}

/** The chat to open first; if it does not exist yet, the data to start it with. */
async function activeChatOf(core: Core, accountId: number, { activeChat, chats }: ChatsOpening) {
  if (activeChat === null) return null;
  const { channelId, chatType, chatId, username, phone } = activeChat;
  const found = await findNamed(core.db, accountId, [activeChat]);
  const chat = found.find(({ channel_id }) => channelId === null || channel_id === channelId);
  const listed = chats.find(
    (each) =>
      each.chatType === chatType &&
      each.chatId === chatId &&
      each.username === username &&
      each.phone === phone,
  );
  return {
    chat_id: chat?.id ?? null,
    channel_id: channelId,
    chat_type: chatType,
    messenger_chat_id: chatId,
    username,
    phone,
    name: listed?.contactName ?? null,
  };
}

/** The session of a route behind `admitPages(…, "chats")`. */
export function inboxOf({ pageSession }: { readonly pageSession: PageSession | null }): InboxSession {
  if (pageSession?.opening.page !== "chats") throw new Error("This route does not admit chat pages");
  return { ...pageSession, opening: pageSession.opening };
}

export const idPath = Type.Object({ id: Type.String() });

/** Throws CHAT_NOT_FOUND if it is not a valid chat id. */
export function chatOf({ params: { id } }: { readonly params: { readonly id: string } }): string {
  if (!isUuid(id)) throw new AppError("CHAT_NOT_FOUND");
  return id.toLowerCase();
}
