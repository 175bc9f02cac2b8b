import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { checkedPhone } from "../../../core/payload/v2-shapes.ts";
import { checkPhones, MAX_PHONES } from "../../../core/phone/phone-checks.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { channelPath } from "./channel-shape.ts";

const body = strictObject({
  phones: Type.Array(patterned("printable", { maxLength: 50 }), {
    minItems: 1,
    maxItems: MAX_PHONES,
    description: "International numbers with their country codes",
  }),
});

const answer = envelope(
  Type.Object({
    check_id: Type.String({ description: "Id of the request, as in the event phones.checked" }),
    phones: Type.Array(checkedPhone, { description: "What is known already" }),
    waiting: Type.Integer({
      description: "How many numbers are looked up; their results are events phones.checked",
    }),
  }),
);

/** `POST /v2/channels/{id}/phones/check` */
export function phoneCheckRoute(app: App, core: Core): void {
  app.post(
    "/v2/channels/:id/phones/check",
    {
      schema: {
        operationId: "checkPhones",
        tags: ["channels"],
        summary:
          "Find out which phone numbers the messenger has. Looked up slowly, because messengers restrict accounts that look up many; the results of 30 days are known at once",
        params: channelPath,
        body,
        response: { 200: answer, ...errorAnswers },
      },
      config: {
        errors: [
          "CHANNEL_NOT_FOUND",
          "CHANNEL_INVALID_TRANSPORT",
          "MESSAGE_CHANNEL_UNAVAILABLE",
          "PHONE_CHECK_QUEUE_FULL",
        ],
      },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async (operationId) => {
        const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
        const { phones } = request.body;
        const check = await checkPhones(core, scopeOf(request), channelId, { phones, operationId });
        return enveloped(core, {
          check_id: check.checkId,
          phones: check.known.map(({ phone, exists, chatType, chatId, username }) => ({
            phone,
            exists,
            chat_type: chatType,
            chat_id: chatId,
            username,
          })),
          waiting: check.waiting,
        });
      }),
  );
}
