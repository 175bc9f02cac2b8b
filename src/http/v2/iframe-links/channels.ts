import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { channelsLink } from "../../../core/page-ticket/tickets.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { pageLink } from "../../page-link.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { pageTransportName, refuseUnknownTransport } from "../channels/transport-name.ts";
import { envelope, enveloped } from "../envelope.ts";

const body = (core: Core) =>
  strictObject({
    options: Type.Optional(
      strictObject(
        {
          transport: Type.Optional(pageTransportName(core.transports)),
          channel_id: Type.Optional(patterned("uuid")),
        },
        {
          description:
            "The transport to connect, or the channel to reconnect; without either, the person chooses",
        },
      ),
    ),
  });

/** `POST /v2/iframe-links/channels` */
export function channelsLinkRoute(app: App, core: Core): void {
  app.post(
    "/v2/iframe-links/channels",
    {
      schema: {
        operationId: "linkToChannelsPage",
        tags: ["channels"],
        summary: "Create a one-time link to the page where a person connects or reconnects a channel",
        body: body(core),
        response: { 200: envelope(pageLink), ...errorAnswers },
      },
      config: {
        errors: ["CHANNEL_NOT_FOUND", "TRANSPORT_NOT_AVAILABLE"],
        secretAnswer: true,
      },
      preValidation: refuseUnknownTransport(core, ({ options }) => options?.transport),
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const { transport = null, channel_id: channelId } = request.body.options ?? {};
        const opening = { transport, channelId: channelId?.toLowerCase() ?? null };
        return enveloped(core, { link: await channelsLink(core, scopeOf(request), opening) });
      }),
  );
}
