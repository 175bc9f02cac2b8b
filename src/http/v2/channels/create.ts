import { Type } from "typebox";
import { createChannel } from "../../../core/channel/channels.ts";
import type { Core } from "../../../core/core.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, strictObject, uuidText } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";
import { credentialsOf, credentialsShape, historyRequest, proxyRequest } from "./channel-shape.ts";
import { credentialsByTransport } from "./credentials-shape.ts";
import { refusePageTransport, refuseUnknownTransport, transportName } from "./transport-name.ts";

const body = (core: Core) =>
  strictObject({
    transport: transportName(core.transports),
    credentials: credentialsShape,
    history: Type.Optional(historyRequest),
    proxy: Type.Optional(proxyRequest),
  });

const answer = envelope(
  Type.Array(
    Type.Object(
      {
        channel_id: uuidText(),
        transport: Type.String(),
        url: Type.Optional(
          Type.String({
            description:
              "The address where a person connects the channel; only if it was created without credentials",
          }),
        ),
      },
      { title: "CreatedChannel" },
    ),
  ),
);

/** `POST /v2/channels` */
export function createChannelRoute(app: App, core: Core): void {
  app.post(
    "/v2/channels",
    {
      schema: {
        operationId: "createChannel",
        tags: ["channels"],
        summary: "Connect a messenger account as a new channel",
        body: body(core),
        response: { 200: answer, ...errorAnswers },
      },
      config: {
        errors: [
          "TRANSPORT_NOT_AVAILABLE",
          "WRONG_CREDENTIALS",
          "CHANNEL_ALREADY_CONNECTED",
          "MESSENGER_UNAVAILABLE",
          "QUOTA_EXCEEDED",
        ],
        describedBody: { ...body(core), allOf: credentialsByTransport(core.transports) },
      },
      preValidation: [refuseUnknownTransport(core, ({ transport }) => transport), refusePageTransport(core)],
    },
    (request, reply) =>
      answerOnce(core, request, reply, async (operationId) => {
        const { id, transport, url } = await createChannel(
          core,
          scopeOf(request),
          { ...request.body, credentials: credentialsOf(request.body.credentials) },
          operationId,
        );
        return enveloped(core, [{ channel_id: id, transport, ...(url === null ? {} : { url }) }]);
      }),
  );
}
