import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { approveProposal, declineProposal } from "../../../core/inbox/proposals.ts";
import type { App } from "../../app.ts";
import { SENDING_ERRORS } from "../../message/message-errors.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { idPath, inboxOf } from "./session.ts";
import { entryShape } from "./shapes.ts";

const tags = ["pages"];
const answer = Type.Object({
  decided: Type.Boolean({
    description: "false: somebody else was first, or it has expired; the entry says which",
  }),
  entry: entryShape,
});

/** What employees decide about the messages that programs propose. */
export function proposalRoutes(app: App, core: Core): void {
  app.post(
    "/app/api/proposals/:id/approve",
    {
      schema: {
        operationId: "approveProposal",
        tags,
        summary: "Send a proposed message as the employee's own",
        params: idPath,
        body: Type.Object({
          text: Type.Optional(
            Type.String({ maxLength: 10_000, description: "Instead of the proposed text" }),
          ),
        }),
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: ["MESSAGES_NOT_FOUND", ...SENDING_ERRORS, "MESSAGE_TEXT_TOO_LONG"] },
    },
    (request) => approveProposal(core, inboxOf(request), request.params.id.toLowerCase(), request.body.text),
  );
  app.post(
    "/app/api/proposals/:id/decline",
    {
      schema: {
        operationId: "declineProposal",
        tags,
        summary: "Decline a proposed message; nothing is sent",
        params: idPath,
        body: Type.Object({}),
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: ["MESSAGES_NOT_FOUND"] },
    },
    (request) => declineProposal(core, inboxOf(request), request.params.id.toLowerCase()),
  );
}
