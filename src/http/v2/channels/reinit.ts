import { Type } from "typebox";
import { reinitChannel } from "../../../core/channel/channels.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString, strictObject, uuidText } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import {
  channelPath,
  channelState,
  credentialsOf,
  credentialsShape,
  historyRequest,
  proxyRequest,
} from "./channel-shape.ts";
import { anyCredentials } from "./credentials-shape.ts";

const body = strictObject({
  credentials: Type.Optional(credentialsShape),
  history: Type.Optional(historyRequest),
  proxy: Type.Optional(proxyRequest),
});

const answer = envelope(
  Type.Array(
    Type.Object(
      {
        channel_id: uuidText(),
        transport: Type.String(),
        state: channelState,
        phone: Type.String(),
        messenger_id: Type.String(),
        tariff: nullableString,
        name: Type.String(),
      },
      { title: "ReinitialisedChannel" },
    ),
  ),
);

/** `POST /v2/channels/{id}/reinit` */
export function reinitChannelRoute(app: App, core: Core): void {
  app.post(
    "/v2/channels/:id/reinit",
    {
      schema: {
        operationId: "reinitChannel",
        tags: ["channels"],
        summary: "Reconnect a channel, with new credentials",
        params: channelPath,
        body,
        response: { 200: answer, ...errorAnswers },
      },
      config: {
        errors: [
          "CHANNEL_NOT_FOUND",
          "CHANNEL_NO_MONEY",
          "TRANSPORT_NOT_AVAILABLE",
          "WRONG_CREDENTIALS",
          "CHANNEL_ALREADY_CONNECTED",
          "MESSENGER_UNAVAILABLE",
        ],
        describedBody: strictObject({
          ...body.properties,
          credentials: Type.Optional(anyCredentials(core.transports)),
        }),
      },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
        const { credentials, history, proxy } = request.body;
        if (credentials === undefined && proxy === undefined)
          throw new AppError("VALIDATION_ERROR", {
            data: { fields: [{ field: "credentials", message: "is required" }] },
          });
        const channel = await reinitChannel(core, scopeOf(request), channelId, {
          credentials: credentialsOf(credentials ?? []),
          history,
          proxy,
        });
        const { id, transport, state, phone, messengerId, tariff, name } = channel;
        return enveloped(core, [
          { channel_id: id, transport, state, phone, messenger_id: messengerId, tariff, name },
        ]);
      }),
  );
}
