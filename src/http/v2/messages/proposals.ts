import { type Static, Type } from "typebox";
import type { Identity } from "../../../core/account/authenticate.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { PROPOSAL_STATES, type ProposalState } from "../../../core/inbox/proposal-view.ts";
import { getProposal, type ProposalOutcome, proposeMessage } from "../../../core/inbox/proposals.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { SENDING_ERRORS } from "../../message/message-errors.ts";
import { errorAnswers, nullableString, patterned, strictObject } from "../../schema/shapes.ts";
import { chatPath } from "../chats/chat-path.ts";
import { envelope, enveloped } from "../envelope.ts";
import { templateShape } from "./message-shapes.ts";

const DAY_SECONDS = 86_400;

const body = strictObject(
  {
    channel_id: patterned("uuid", { description: "Channel of the chat" }),
    ...chatPath.properties,
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description: "Text. Exactly one of text and template may be given",
      }),
    ),
    template: Type.Optional(templateShape),
    quoted_message_id: Type.Optional(patterned("uuid", { description: "Message of the same chat to quote" })),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 7 * DAY_SECONDS,
        description: "Seconds, after which nobody can approve it any more; default a day",
      }),
    ),
  },
  { title: "NewProposal" },
);

const decider = Type.Object(
  {
    id: Type.String({ description: "The employee's id in the CRM" }),
    name: { ...nullableString, description: "Their name, if it is known" },
  },
  { title: "ProposalDecider" },
);

const proposalShape = Type.Object(
  {
    proposal_id: Type.String({ description: "Id of the proposal" }),
    status: Type.Unsafe<ProposalState>({
      type: "string",
      enum: [...PROPOSAL_STATES],
      description:
        "waiting: for an employee; approved: being sent; sent: the message has a status of its own; failed: it was approved and could not be sent; declined; expired",
    }),
    channel_id: Type.String({ description: "Channel" }),
    chat_type: chatPath.properties.chat_type,
    chat_id: Type.String({ description: "The chat's id in the messenger" }),
    text: Type.String({ description: "The text, as the employee may have changed it" }),
    expires_at: Type.String({ description: "Until when it can be approved", format: "date-time" }),
    decided_by: Type.Union([decider, Type.Null()], {
      description: "The employee who approved or declined it",
    }),
    message_id: { ...nullableString, description: "Id of the message, once it is approved" },
    error: { ...nullableString, description: "Code of the error, if it could not be sent" },
  },
  { title: "Proposal" },
);
const answer = envelope(proposalShape);
const tags = ["messages"];
const PATH = "/v2/messages/proposals";

/** `POST /v2/messages/proposals` and `GET /v2/messages/proposals/{id}` */
export function proposalRoutes(app: App, core: Core): void {
  app.post(
    PATH,
    {
      schema: {
        operationId: "proposeMessage",
        tags,
        summary:
          "Propose a message into an existing chat; it is sent when an employee approves it on the chat page",
        body,
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: ["CHAT_NOT_FOUND", ...SENDING_ERRORS] },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async (operationId) => {
        const given = request.body;
        const scope = scopeOf(request) as Identity;
        const entry = await proposeMessage(core, scope, proposalOf(given), operationId);
        return enveloped(core, shown(await getProposal(core, scope, entry.id)));
      }),
  );
  app.get(
    `${PATH}/:id`,
    {
      schema: {
        operationId: "getProposal",
        tags,
        summary: "Get what became of a proposed message",
        params: Type.Object({ id: Type.String({ description: "Id of the proposal" }) }),
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: ["PROPOSAL_NOT_FOUND"] },
    },
    async (request) =>
      enveloped(core, shown(await getProposal(core, scopeOf(request), request.params.id.toLowerCase()))),
  );
}

function proposalOf(given: Static<typeof body>) {
  const { text, template, quoted_message_id: quoted } = given;
  if (text !== undefined && template !== undefined) throw new AppError("MESSAGE_ONLY_TEXT_OR_CONTENT");
  return {
    channelId: given.channel_id.toLowerCase(),
    chatType: given.chat_type,
    chatId: given.chat_id,
    expiresIn: given.expires_in ?? DAY_SECONDS,
    ...(text === undefined ? {} : { text }),
    ...(template === undefined
      ? {}
      : {
          template: {
            id: template.id.toLowerCase(),
            values: template.values ?? [],
            buttons: template.buttons ?? [],
          },
        }),
    ...(quoted === undefined ? {} : { quotedMessageId: quoted.toLowerCase() }),
  };
}

function shown({ entry, channelId, chatType, chatId }: ProposalOutcome): Static<typeof proposalShape> {
  const { proposal } = entry;
  if (proposal === null) throw new AppError("PROPOSAL_NOT_FOUND");
  return {
    proposal_id: entry.id,
    status: proposal.state,
    channel_id: channelId,
    chat_type: chatType as Static<typeof proposalShape>["chat_type"],
    chat_id: chatId,
    text: entry.text,
    expires_at: proposal.expires_at,
    decided_by: proposal.decided_by,
    message_id: proposal.message_id,
    error: proposal.error,
  };
}
