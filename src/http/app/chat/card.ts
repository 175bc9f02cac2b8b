import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { CARD_LENGTHS, changeCard, getCard } from "../../../core/inbox/card.ts";
import type { App } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { chatOf, idPath, inboxOf } from "./session.ts";
import { cardShape } from "./shapes.ts";

const tags = ["pages"];
const { name, phone, email, comment } = CARD_LENGTHS;

/** What employees note on the person of a chat. */
export function cardRoutes(app: App, core: Core): void {
  const path = "/app/api/chats/:id/card";
  const answers = { params: idPath, response: { 200: cardShape, ...errorAnswers } };
  app.get(
    path,
    {
      schema: {
        operationId: "getCard",
        tags,
        summary: "What employees noted on the person of the chat",
        ...answers,
      },
      config: { errors: ["CHAT_NOT_FOUND", "FORBIDDEN"] },
    },
    (request) => getCard(core, inboxOf(request), chatOf(request)),
  );
  app.patch(
    path,
    {
      schema: {
        operationId: "changeCard",
        tags,
        summary: "Note a name, a phone number, an e-mail address or a comment on the person of the chat",
        body: Type.Object(
          {
            name: Type.Optional(Type.String({ maxLength: name })),
            phone: Type.Optional(Type.String({ maxLength: phone })),
            email: Type.Optional(Type.String({ maxLength: email })),
            comment: Type.Optional(Type.String({ maxLength: comment })),
          },
          { description: "Omitted fields keep their values; an empty one is removed" },
        ),
        ...answers,
      },
      config: { errors: ["CHAT_NOT_FOUND", "FORBIDDEN"] },
    },
    (request) => changeCard(core, inboxOf(request), chatOf(request), request.body),
  );
}
