import { type Static, Type } from "typebox";
import { readMessageLog } from "../../../core/console/channels.ts";
import {
  findMessages,
  getMessageStory,
  listMessageEvents,
  type MessageLine,
  type MessageStory,
} from "../../../core/console/messages.ts";
import type { Core } from "../../../core/core.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString, uuidText } from "../../schema/shapes.ts";
import { accountOf } from "./admission.ts";
import { accountPath, countOf, logLine, logLineFields, time, timeOrNull } from "./shapes.ts";

const tags = ["console"];
const line = Type.Object({
  id: Type.String(),
  channelId: uuidText(),
  transport: Type.String(),
  channelName: Type.String(),
  chatType: Type.String(),
  chatId: Type.String(),
  chatName: Type.String(),
  phone: nullableString,
  direction: Type.Unsafe<MessageLine["direction"]>({ type: "string", enum: ["in", "out", "echo"] }),
  type: Type.String(),
  status: Type.Unsafe<MessageLine["status"]>({
    type: "string",
    enum: ["queued", "inbound", "sent", "delivered", "read", "error"],
  }),
  text: nullableString,
  errorCode: nullableString,
  createdAt: Type.String(),
});
const story = Type.Object({
  ...line.properties,
  accountId: Type.Integer(),
  crmMessageId: nullableString,
  externalId: { ...nullableString, description: "The messenger's id of the message" },
  authorName: nullableString,
  content: Type.Unknown({ description: "Its content other than the text" }),
  error: Type.Unknown({ description: "The error, if it was not sent" }),
  sentAt: Type.String(),
  deliveredAt: nullableString,
  statusAt: { ...nullableString, description: "When the latest status was learned" },
  editedAt: nullableString,
  deletedAt: nullableString,
  attempts: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "Number of attempts; null: it is not waiting to be sent",
  }),
  unsureSince: nullableString,
  events: Type.Array(
    Type.Object({
      id: Type.Integer({ description: "Id of the event" }),
      kind: Type.String(),
      at: Type.String({ description: "When the event was published" }),
      status: nullableString,
    }),
  ),
  exchanges: Type.Array(logLine, {
    description:
      "What the log of its channel says about it, oldest first: refused and repeated sends of the last week, and recorded exchanges",
  }),
});

/** Messages of an account, and everything known about one. */
export function messageRoutes(app: App, core: Core): void {
  listRoute(app, core);
  app.get(
    "/app/api/console/accounts/:account/messages/:message",
    {
      schema: {
        operationId: "getMessageStory",
        tags,
        summary: "Get a message with its history and its events",
        params: Type.Object({
          ...accountPath.properties,
          message: Type.String({ description: "Id of the message" }),
        }),
        response: { 200: story, ...errorAnswers },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND", "MESSAGES_NOT_FOUND"] },
    },
    async (request) => {
      const { accountId } = accountOf(request, request.params.account);
      const found = await getMessageStory(core.db, accountId, request.params.message);
      const events = await listMessageEvents(core.db, accountId, found.id);
      const exchanges = await readMessageLog(core.db, accountId, found.id);
      return {
        ...storyFields(found),
        events: events.map((each) => ({ ...each, at: time(each.at) })),
        exchanges: exchanges.map(logLineFields),
      };
    },
  );
}

function storyFields(found: MessageStory): Omit<Static<typeof story>, "events" | "exchanges"> {
  const { sentAt, deliveredAt, statusAt, editedAt, deletedAt, unsureSince, content, error } = found;
  return {
    ...found,
    content: content ?? null,
    error: error ?? null,
    createdAt: time(found.createdAt),
    sentAt: time(sentAt),
    deliveredAt: timeOrNull(deliveredAt),
    statusAt: timeOrNull(statusAt),
    editedAt: timeOrNull(editedAt),
    deletedAt: timeOrNull(deletedAt),
    unsureSince: timeOrNull(unsureSince),
  };
}

function listRoute(app: App, core: Core): void {
  app.get(
    "/app/api/console/accounts/:account/messages",
    {
      schema: {
        operationId: "findMessages",
        tags,
        summary: "Messages of an account, newest first",
        params: accountPath,
        querystring: Type.Object({
          search: Type.Optional(
            Type.String({ maxLength: 200, description: "An id, a chat's name, phone or username, or words" }),
          ),
          channel: Type.Optional(Type.String({ format: "uuid", description: "Only of this channel" })),
          direction: Type.Optional(Type.String({ pattern: "^(in|out|echo)$" })),
          status: Type.Optional(Type.String({ pattern: "^(queued|inbound|sent|delivered|read|error)$" })),
          limit: Type.Optional(Type.String({ pattern: "^[0-9]{1,4}$" })),
          cursor: Type.Optional(Type.String({ description: "`next` of the previous page" })),
        }),
        response: { 200: Type.Object({ data: Type.Array(line), next: nullableString }), ...errorAnswers },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const { accountId } = accountOf(request, request.params.account);
      const { search = "", channel = null, direction = null, status = null, limit, cursor } = request.query;
      const page = await findMessages(core.db, accountId, {
        text: search,
        channelId: channel,
        direction,
        status,
        limit: countOf(limit, 50),
        ...(cursor === undefined ? {} : { cursor }),
      });
      return {
        data: page.data.map((each) => ({ ...each, createdAt: time(each.createdAt) })),
        next: page.next,
      };
    },
  );
}
